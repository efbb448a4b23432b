import type { Rule, WebhookAttempt } from "../rule.ts";

/** A receiver accepts an event that a scenario sent with an invalid signature or an old timestamp. */
export const forgedWebhookAccepted: Rule = {
  severity: "critical",
  title: "Forged or old webhook accepted",
  why: "Anyone can send events to a receiver that does not verify the signature. A receiver that accepts old timestamps acts on recorded events that an attacker sends again.",
  fix: "Verify the signature and the timestamp (with a Standard Webhooks library, unless a dialect changes the signature) before you respond, and respond with 401 if the verification fails. If your receiver queues events before it verifies them, respond with 202, and verify each event when you take it from the queue.",
  spec: "§6 (assumed)",
  watch: (report) => ({
    onAttempt({ broken, status, error, webhookId, deliveryId, company }: WebhookAttempt) {
      if (broken === undefined || error !== null) return;
      // 202 leaves the outcome open (RFC 9110 §15.3.3): the receiver may verify the event when it leaves its queue.
      const isQueued = status === 202;
      const advice = isQueued ? "; check that the consumer of its queue verifies the event" : "";
      report({
        observed: `The receiver of webhook ${webhookId} responded with ${status} to delivery ${deliveryId}, which had ${defects[broken]}${advice}`,
        requests: [],
        company,
        severity: isQueued ? "info" : severities[broken],
      });
    },
  }),
};

const defects = {
  signature: "an invalid signature",
  timestamp: "a timestamp of ten minutes ago",
} as const;

const severities = { signature: "critical", timestamp: "warn" } as const;
