import type { CompanyNames } from "../../../store/callers.ts";
import { Recent } from "../recent.ts";
import type { Rule, WebhookAttempt } from "../rule.ts";
import { fieldsOf } from "../sent-body.ts";

const slowMs = 5000;
const fewest = 3;
/** Nothing receives there: a suite may name a place where nobody listens. */
const absent: ReadonlySet<number> = new Set([404, 405]);

type Failure = "slow" | "redirected" | "refused" | "absent";

interface Receiver {
  readonly company: CompanyNames;
  /** What became of the deliveries since one was last acknowledged in time, by the deliveries' ids. */
  readonly failed: Map<string, Failure>;
  hasAcknowledged: boolean;
}

/** A receiver does not acknowledge what it is sent, or not in time. */
export const hook5: Rule = {
  severity: "warn",
  title: "Webhook not acknowledged",
  why: "What is not answered with 2xx in time is sent again, for days; slow receivers fall behind, and then lose events.",
  mend: "Verify the signature, put the event into a queue, answer 2xx at once, and work on it after; register the final URL, for redirects are not followed.",
  spec: "§6 (assumed)",
  watch() {
    const receivers = new Recent<string, Receiver>(1000);

    return {
      see(request) {
        // After a reset another webhook may have the id.
        if (request.exchange.point !== "webhooks.created") return;
        const id = fieldsOf(request.answered)?.id;
        if (typeof id === "string") receivers.delete(id);
      },
      hear(attempt) {
        if (attempt.forced) return;
        const failure = failureOf(attempt);
        if (failure === "nobody") return;
        const { webhookId, deliveryId, company } = attempt;
        const receiver = receivers.get(webhookId) ?? { company, failed: new Map(), hasAcknowledged: false };
        receivers.set(webhookId, receiver);
        if (failure === undefined) {
          receiver.hasAcknowledged = true;
          receiver.failed.clear();
        } else if (receiver.failed.size < kept) receiver.failed.set(deliveryId, failure);
      },
      standing(_moment, found) {
        for (const { company, failed, hasAcknowledged } of receivers.values()) {
          if (failed.size < fewest) continue;
          const failures = [...failed.values()];
          const isAbsent = !hasAcknowledged && failures.every((failure) => failure === "absent");
          found({
            seen: `${failed.size === kept ? `${kept} and more` : failed.size} events in a row were not acknowledged: ${[...new Set(failures)].map((failure) => words[failure]).join(", ")}`,
            requests: [],
            company,
            ...(isAbsent && { severity: "info" }),
          });
        }
      },
    };
  },
};

const kept = 100;

const words: Readonly<Record<Failure, string>> = {
  slow: `answered after more than ${slowMs / 1000} s`,
  redirected: "redirected",
  refused: "not answered with 2xx",
  absent: "answered with 404 or 405",
};

/** Undefined where it was acknowledged; `nobody` where nobody listens, as when a test is over. */
function failureOf({ status, error, durationMs }: WebhookAttempt): Failure | "nobody" | undefined {
  if (durationMs > slowMs) return "slow";
  if (error === null) return undefined;
  if (error.startsWith("redirects")) return "redirected";
  if (status === null) return "nobody";
  return absent.has(status) ? "absent" : "refused";
}
