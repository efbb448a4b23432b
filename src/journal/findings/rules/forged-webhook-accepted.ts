import type { Rule, WebhookAttempt } from "../rule.ts";

/** A receiver accepts an event with a wrong signature or an old timestamp, which a scenario sent. */
export const forgedWebhookAccepted: Rule = {
  severity: "critical",
  title: "Forged or old webhook accepted",
  why: "A receiver that does not verify the signature acts on events that anybody can send; one that accepts old timestamps acts on events that somebody recorded and sends again.",
  mend: "Verify webhook-signature and webhook-timestamp with a Standard Webhooks library before you answer, and answer 401 when verification fails. If your receiver queues events unverified, answer 202, and verify them when you take them from the queue.",
  spec: "§6 (assumed)",
  watch: (report) => ({
    onAttempt({ broken, status, error, webhookId, deliveryId, company }: WebhookAttempt) {
      if (broken === undefined || error !== null) return;
      // 202 leaves the outcome open (RFC 9110 §15.3.3): the receiver may verify the event later, from its queue.
      const isQueued = status === 202;
      const advice = isQueued ? "; confirm that the consumer of its queue verifies the event" : "";
      report({
        seen: `The receiver of webhook ${webhookId} answered ${status} to delivery ${deliveryId}, which had ${defects[broken]}${advice}`,
        requests: [],
        company,
        severity: isQueued ? "info" : severities[broken],
      });
    },
  }),
};

const defects = {
  signature: "a signature that matches none of its secrets",
  timestamp: "a webhook-timestamp that was ten minutes old",
} as const;

const severities = { signature: "critical", timestamp: "warn" } as const;
