import type { CardStatus } from "../../../contract/card.ts";
import { hasEnded, isHeld } from "../../../rules/card-transitions.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

const tooManyAttempts = 3;

/** The same change is asked again and again of a card that has ended, or that the operator holds. */
export const state1: Rule = {
  severity: "info",
  title: "Change repeated on a card that cannot make it",
  why: "A card that has ended stays so, and one that the operator holds is lifted by the operator alone: every attempt meets 409.",
  mend: "Read the card's status with GET /developer/cards/{id}, and offer only changes that it can make; webhooks tell when it changes.",
  spec: "§3 (assumed beyond 409)",
  watch(found) {
    const refused = new Recent<string, readonly Seen[]>(2000);
    return {
      see(request) {
        const { point, operation, path } = request.exchange;
        if (point !== "cards.state_conflict" || request.muted) return;
        const status = statusNamedIn(request.answered);
        if (!status || !(hasEnded(status) || isHeld(status))) return;
        const name = `${request.client} ${operation} ${path.toLowerCase()} ${status}`;
        const attempts = [...(refused.get(name) ?? []), request];
        if (attempts.length > tooManyAttempts) return;
        refused.set(name, attempts);
        if (attempts.length < tooManyAttempts) return;
        found({
          seen: `The same change was asked three times of a card that is ${status}`,
          requests: attempts,
        });
      },
    };
  },
};

/** The card's status, as the refusal tells it. */
function statusNamedIn(body: unknown): CardStatus | undefined {
  const { error } = (body ?? {}) as { error?: unknown };
  const [, status] = /^The card is ([a-z]+),/.exec(typeof error === "string" ? error : "") ?? [];
  return status as CardStatus | undefined;
}
