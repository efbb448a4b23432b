import fc from "fast-check";
import { type Caller, callers, known } from "../caller.ts";
import { usualName } from "../cards.ts";
import { cardChoices, cardChosen, keyChoices, keyOf, nobodys } from "../choices.ts";
import type { History } from "../history.ts";
import { issue, madeBefore } from "../issuing.ts";
import { seldom, steps, type ValuesOf } from "../step.ts";
import { type Check, changeable, gateChecks, isSeen, issuableChecks } from "../verdict.ts";
import { type Card, hasEnded } from "../world.ts";

const replacement = {
  caller: callers,
  card: cardChoices,
  key: keyChoices,
  reason: fc.constantFrom("lost", "stolen", "damaged", "expiring", "expiring", "expiring"),
  isWrong: seldom(fc.constant(true)),
  country: fc.constantFrom("GB", "GB", "CU"),
  scenario: seldom(fc.constant("conflict" as const)),
};
type Asked = ValuesOf<typeof replacement>;

const operation = "replaceCard";

/** Its checks from top to bottom. */
function* checks(
  asked: Asked,
  caller: Caller,
  card: Card | undefined,
  key: string | undefined,
): Generator<Check> {
  const { company } = caller;
  yield* gateChecks(caller, "issue", "access.forbidden");
  yield ["cards.idempotency_key_invalid", key === undefined || key === "order-1"];
  yield ["cards.replayed", madeBefore(caller, operation, key) !== undefined];
  yield ["cards.body_invalid", asked.isWrong === true];
  yield ["cards.not_found", !isSeen(caller, card)];
  if (!card) throw new Error("a card that is not there was found");
  yield ["cards.change_in_progress", false];
  const isOfState =
    changeable.includes(card.status) || (asked.reason === "expiring" && card.status === "expired");
  yield ["cards.state_conflict", !isOfState || (hasEnded(card) && card.isReplaced)];
  yield* issuableChecks("cards", company, {
    isAccountClosed: company.accounts.find(({ id }) => id === card.accountId)?.status === "closed",
    isHolderComplete: company.members.find(({ id }) => id === card.memberId)?.detailsComplete ?? false,
    isUndeliverable: card.type === "physical" && asked.country === "CU",
    needsRoom: hasEnded(card),
  });
}

const destinations = {
  GB: { address: { city: "London", post_code: "SE1 4PG" }, method: "express" },
  CU: { address: { city: "La Habana", post_code: "10400" }, method: "international" },
};

function bodyOf({ reason, isWrong, country }: Asked, type: Card["type"]): object {
  const { address, method } = country === "CU" ? destinations.CU : destinations.GB;
  const delivery = {
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", ...address, country_code: country },
    delivery_method: method,
  };
  return { reason: isWrong ? "boredom" : reason, ...(type === "physical" && delivery) };
}

async function replaceCard(history: History, asked: Asked): Promise<void> {
  const by = await known(history, asked.caller, "cards");
  // One that expired is replaced as expiring, and once.
  const fits = asked.reason === "expiring" ? (card: Card) => card.status === "expired" : undefined;
  const old = cardChosen(history, by.caller?.company, asked.card, fits);
  if (!old && asked.card.own) return;
  const key = keyOf(history, asked.key);
  const isOwn = old && by.caller?.company.cards.includes(old);
  await issue(history, {
    operation,
    family: "cards",
    path: `/developer/cards/${old?.id ?? nobodys}/replace`,
    created: "cards.replaced",
    by,
    key,
    body: bodyOf(asked, isOwn ? old.type : "physical"),
    scenario: asked.scenario,
    checks: (caller) => checks(asked, caller, old, key),
    ordered: () => {
      if (!old) throw new Error("no card was replaced");
      const name = old.name === usualName(old) ? undefined : old.name;
      return { ...old, name, replaces: old };
    },
    made: (card) => {
      if (!old) throw new Error("no card was replaced");
      // Whoever found or took the old one knows its number.
      const keepsNumber = asked.reason === "damaged" || asked.reason === "expiring";
      if (keepsNumber) history.same("the number", card.lastFour, old.lastFour);
      if (old.status !== "expired") old.status = "terminated";
      old.isReplaced = true;
    },
  });
}

export const replaceSteps = steps("replace a card", replacement, replaceCard);
