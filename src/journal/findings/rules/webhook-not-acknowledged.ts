import QuickLRU from "quick-lru";
import type { CompanyNames } from "../../../store/callers.ts";
import { fieldsOf } from "../request.ts";
import { latestEntry, type Rule, type WebhookAttempt } from "../rule.ts";

const slowMs = 5000;
const fewest = 3;
const kept = 100;
/** Statuses of a server that has no receiver at the URL, as in tests that need none. */
const absent: ReadonlySet<number> = new Set([404, 405]);

type Failure = "slow" | "redirected" | "refused" | "absent";

interface Receiver {
  readonly company: CompanyNames;
  /** The failures since the last acknowledgement in time, by the deliveries' ids. */
  readonly failed: Map<string, Failure>;
  hasAcknowledged: boolean;
}

export const webhookNotAcknowledged: Rule = {
  severity: "warn",
  title: "Webhook not acknowledged",
  why: "What is not answered with 2xx in time is sent again, for days; slow receivers fall behind, and then lose events.",
  mend: "Verify the signature, put the event into a queue, answer 2xx at once, and work on it after; register the final URL, for redirects are not followed.",
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
        const outcome = attempt.forced ? "nobody" : outcomeOf(attempt);
        if (outcome === "nobody") return;
        const { webhookId, deliveryId, company } = attempt;
        const receiver = latestEntry(receivers, webhookId, () => newReceiver(company));
        if (outcome === "acknowledged") {
          receiver.hasAcknowledged = true;
          receiver.failed.clear();
        } else if (receiver.failed.size < kept) receiver.failed.set(deliveryId, outcome);
      },
      summarise(_moment, report) {
        for (const [, { company, failed, hasAcknowledged }] of receivers.entries()) {
          if (failed.size < fewest) continue;
          const failures = [...new Set(failed.values())];
          const isAbsent = !hasAcknowledged && failures.every((failure) => failure === "absent");
          report({
            seen: `${failed.size === kept ? `${kept} and more` : failed.size} events in a row were not acknowledged: ${failures.map((failure) => words[failure]).join(", ")}`,
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
  slow: `answered after more than ${slowMs / 1000} s`,
  redirected: "redirected",
  refused: "not answered with 2xx",
  absent: "answered with 404 or 405",
};

function newReceiver(company: CompanyNames): Receiver {
  return { company, failed: new Map(), hasAcknowledged: false };
}

/** `nobody`: no server listened, as when a test is over. */
function outcomeOf({ status, error, durationMs }: WebhookAttempt): Failure | "acknowledged" | "nobody" {
  if (durationMs > slowMs) return "slow";
  if (error === null) return "acknowledged";
  if (error.startsWith("redirects")) return "redirected";
  if (status === null) return "nobody";
  return absent.has(status) ? "absent" : "refused";
}
