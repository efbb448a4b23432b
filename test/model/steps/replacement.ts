import fc from "fast-check";
import { authenticate, authentications, type Caller } from "../authentication.ts";
import { defaultName } from "../cards.ts";
import { type Check, canSee, changeable, gateChecks, newCardChecks } from "../checks.ts";
import { cardChoices, cardChosen, keyChoices, keyOf, unknownId } from "../choices.ts";
import type { History } from "../history.ts";
import { cardOfKey, issue } from "../issuing.ts";
import { seldom, steps, type ValuesOf } from "../step.ts";
import { type Card, hasEnded } from "../world.ts";

const replacement = {
  caller: authentications,
  card: cardChoices,
  key: keyChoices,
  reason: fc.constantFrom("lost", "stolen", "damaged", "expiring", "expiring", "expiring"),
  isWrong: seldom(fc.constant(true)),
  country: fc.constantFrom("GB", "GB", "CU"),
  scenario: seldom(fc.constant("conflict" as const)),
};
type Values = ValuesOf<typeof replacement>;

const operation = "replaceCard";

/** The checks of a replacement in their order. */
function* checks(
  values: Values,
  caller: Caller,
  card: Card | undefined,
  key: string | undefined,
): Generator<Check> {
  const { company } = caller;
  yield* gateChecks(caller, "issue", "access.forbidden");
  yield ["cards.idempotency_key_invalid", key === undefined || key === "order-1"];
  yield ["cards.replayed", cardOfKey(caller, operation, key) !== undefined];
  yield ["cards.body_invalid", values.isWrong === true];
  yield ["cards.not_found", !canSee(caller, card)];
  if (!card) throw new Error("a missing card was found");
  yield ["cards.change_in_progress", false];
  const isOfState =
    changeable.includes(card.status) || (values.reason === "expiring" && card.status === "expired");
  yield ["cards.state_conflict", !isOfState || (hasEnded(card) && card.isReplaced)];
  yield* newCardChecks("cards", company, {
    isAccountClosed: company.accounts.find(({ id }) => id === card.accountId)?.status === "closed",
    isHolderComplete: company.members.find(({ id }) => id === card.memberId)?.detailsComplete ?? false,
    isUndeliverable: card.type === "physical" && values.country === "CU",
    needsRoom: hasEnded(card),
  });
}

const destinations = {
  GB: { address: { city: "London", post_code: "SE1 4PG" }, method: "express" },
  CU: { address: { city: "La Habana", post_code: "10400" }, method: "international" },
};

function bodyOf({ reason, isWrong, country }: Values, type: Card["type"]): object {
  const { address, method } = country === "CU" ? destinations.CU : destinations.GB;
  const delivery = {
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", ...address, country_code: country },
    delivery_method: method,
  };
  return { reason: isWrong ? "boredom" : reason, ...(type === "physical" && delivery) };
}

async function replaceCard(history: History, values: Values): Promise<void> {
  const by = await authenticate(history, values.caller, "cards");
  // An expired card can be replaced once, as expiring.
  const fits = values.reason === "expiring" ? (card: Card) => card.status === "expired" : undefined;
  const old = cardChosen(history, by.caller?.company, values.card, fits);
  if (!old && values.card.own) return;
  const key = keyOf(history, values.key);
  const isOwn = old && by.caller?.company.cards.includes(old);
  await issue(history, {
    operation,
    family: "cards",
    path: `/developer/cards/${old?.id ?? unknownId}/replace`,
    created: "cards.replaced",
    by,
    key,
    body: bodyOf(values, isOwn ? old.type : "physical"),
    scenario: values.scenario,
    checks: (caller) => checks(values, caller, old, key),
    ordered: () => {
      if (!old) throw new Error("no card was replaced");
      const name = old.name === defaultName(old) ? undefined : old.name;
      return { ...old, name, replaces: old };
    },
    made: (card) => {
      if (!old) throw new Error("no card was replaced");
      // A lost or stolen card gets a new number.
      const keepsNumber = values.reason === "damaged" || values.reason === "expiring";
      if (keepsNumber) history.checkEqual("the number", card.lastFour, old.lastFour);
      if (old.status !== "expired") old.status = "terminated";
      old.isReplaced = true;
    },
  });
}

export const replaceSteps = steps("replace a card", replacement, replaceCard);
