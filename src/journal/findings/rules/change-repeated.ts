import QuickLRU from "quick-lru";
import type { CardStatus } from "../../../contract/card.ts";
import { hasEnded, isHeld } from "../../../rules/card-transitions.ts";
import { fieldsOf, type ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

const tooManyAttempts = 3;

export const changeRepeated: Rule = {
  severity: "info",
  title: "Change repeated on a card that cannot make it",
  why: "A card that has ended stays so, and one that the operator holds is lifted by the operator alone: every attempt meets 409.",
  mend: "Read the card's status with GET /developer/cards/{id}, and offer only changes that it can make; webhooks tell when it changes.",
  spec: "§3 (assumed beyond 409)",
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
          seen: `The same change was asked three times of a card that is ${status}`,
          requests: attempts,
        });
      },
    };
  },
};

/** The card's status in the message of the refusal. */
function statusIn(body: unknown): CardStatus | undefined {
  const error = fieldsOf(body)?.error;
  const [, status] = /^The card is ([a-z]+),/.exec(typeof error === "string" ? error : "") ?? [];
  return status as CardStatus | undefined;
}
