import QuickLRU from "quick-lru";
import type { CompanyNames } from "../../../store/callers.ts";
import { fieldsOf } from "../request.ts";
import { latestEntry, type Rule, type WebhookAttempt } from "../rule.ts";

const slowMs = 5000;
const minFailures = 3;
const maxKept = 100;
/** Statuses of a server without a receiver at the URL, as in tests that do not need one. */
const absent: ReadonlySet<number> = new Set([404, 405]);

type Failure = "slow" | "redirected" | "refused" | "not_200" | "absent";

interface Receiver {
  readonly company: CompanyNames;
  /** The failures since the last acknowledgement in time, by delivery id. */
  readonly failed: Map<string, Failure>;
  hasAcknowledged: boolean;
}

export const webhookNotAcknowledged: Rule = {
  severity: "warn",
  title: "Webhook not acknowledged",
  why: "The service sends an event again, for days, until it gets a 2xx response in time. A slow receiver falls behind and finally loses events.",
  fix: "Verify the signature, put the event into a queue, respond with 200 at once, and process the event afterwards. Register the final URL, because redirects are not followed.",
  spec: "§6 (assumed)",
  operations: ["createWebhook"],
  watch() {
    /** By the webhook's id. */
    const receivers = new QuickLRU<string, Receiver>({ maxSize: 500 });
    return {
      onRequest(request) {
        if (request.exchange.point !== "webhooks.created") return;
        // After a reset another webhook may have the same id.
        const id = fieldsOf(request.response)?.id;
        if (typeof id === "string") receivers.delete(id);
      },
      onAttempt(attempt) {
        const outcome = attempt.forced ? "unreachable" : outcomeOf(attempt);
        if (outcome === "unreachable") return;
        const { webhookId, deliveryId, company } = attempt;
        const receiver = latestEntry(receivers, webhookId, () => newReceiver(company));
        if (outcome === "acknowledged") {
          receiver.hasAcknowledged = true;
          receiver.failed.clear();
        } else if (receiver.failed.size < maxKept) receiver.failed.set(deliveryId, outcome);
      },
      summarise(_moment, report) {
        for (const [, { company, failed, hasAcknowledged }] of receivers.entries()) {
          if (failed.size < minFailures) continue;
          const failures = [...new Set(failed.values())];
          const isAbsent = !hasAcknowledged && failures.every((failure) => failure === "absent");
          report({
            observed: `${failed.size === maxKept ? `At least ${maxKept}` : failed.size} events in a row were not acknowledged: ${failures.map((failure) => words[failure]).join(", ")}`,
            requests: [],
            company,
            ...(isAbsent && { severity: "info" }),
          });
        }
      },
    };
  },
};

const words: Readonly<Record<Failure, string>> = {
  slow: `response after more than ${slowMs / 1000} s`,
  redirected: "redirect",
  refused: "response other than 2xx",
  not_200: "2xx response other than 200",
  absent: "404 or 405",
};

function newReceiver(company: CompanyNames): Receiver {
  return { company, failed: new Map(), hasAcknowledged: false };
}

/** `unreachable`: no server was listening, for example after a test. */
function outcomeOf({ status, error, durationMs }: WebhookAttempt): Failure | "acknowledged" | "unreachable" {
  if (durationMs > slowMs || error?.startsWith("no response within")) return "slow";
  if (error === null) return "acknowledged";
  if (error.startsWith("redirects")) return "redirected";
  if (status === null) return "unreachable";
  // Only 200 is accepted under some dialects.
  if (status < 300) return "not_200";
  return absent.has(status) ? "absent" : "refused";
}
