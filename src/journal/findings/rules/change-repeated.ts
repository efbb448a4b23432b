import QuickLRU from "quick-lru";
import { type CardStatus, cardStatus } from "../../../contract/card.ts";
import { hasEnded, isHeld } from "../../../rules/card-transitions.ts";
import { fieldsOf, type ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

const tooManyAttempts = 3;

export const changeRepeated: Rule = {
  severity: "info",
  title: "Impossible card change retried",
  why: "A card that is expired or terminated cannot change again, and only the operator can lift the hold of a card that is suspended, locked or blocked. Every attempt gets 409.",
  fix: "Read the card's status with GET /developer/cards/{id}, and offer only the changes that it allows. Use webhooks to learn when the status changes.",
  spec: "§3 (the allowed changes are assumed)",
  watch(report) {
    const attemptsOf = new QuickLRU<string, readonly ObservedRequest[]>({ maxSize: 1000 });
    return {
      onRequest(request) {
        const { point, operation, path } = request.exchange;
        if (point !== "cards.state_conflict" || request.muted) return;
        const status = statusIn(request.response);
        if (!status || !(hasEnded(status) || isHeld(status))) return;
        const name = `${request.client} ${operation} ${path.toLowerCase()} ${status}`;
        const attempts = [...(attemptsOf.get(name) ?? []), request];
        if (attempts.length > tooManyAttempts) return;
        attemptsOf.set(name, attempts);
        if (attempts.length < tooManyAttempts) return;
        report({
          observed: `The same change was requested ${tooManyAttempts} times for a card that is ${status}`,
          requests: attempts,
        });
      },
    };
  },
};

const anyStatus = new RegExp(`\\b(?:${cardStatus.options.join("|")})\\b`);

/** The status of the card, which the message of the refusal names first. */
function statusIn(body: unknown): CardStatus | undefined {
  const error = fieldsOf(body)?.error;
  return typeof error === "string" ? (anyStatus.exec(error)?.[0] as CardStatus | undefined) : undefined;
}
