import { cardId } from "../contract/identifiers.ts";
import { SandboxError } from "../rules/errors.ts";
import { reachOf } from "../rules/permissions.ts";
import type { Services } from "../runtime/services.ts";
import type { Caller } from "../store/callers.ts";
import { cardOfCompany, type StoredCard } from "../store/cards.ts";

/** Whether the caller sees its own cards alone, not the company's. */
export function seesOwnAlone({ role }: Caller): boolean {
  return reachOf(role, "view_cards") === "own";
}

/**
 * A card of the caller's company that the caller sees.
 * @param named - what the caller sent as its id
 * @throws SandboxError `cards.not_found`
 */
export function visibleCard({ database, clock }: Services, caller: Caller, named: string): StoredCard {
  const id = cardId.safeParse(named).data;
  const found = id && cardOfCompany(database, clock.now(), caller.companyPk, id);
  if (found && !(seesOwnAlone(caller) && found.card.memberId !== caller.memberId)) return found;
  throw new SandboxError("cards.not_found", `card ${named} was not found in this company`);
}
