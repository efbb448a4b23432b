import fc from "fast-check";
import { type Caller, callers, known } from "../caller.ts";
import { shown, usualName } from "../cards.ts";
import type { History } from "../history.ts";
import { issue, madeBefore } from "../issuing.ts";
import { turnAt } from "../scenarios.ts";
import { isOverCap } from "../spending.ts";
import { anyOf, pick, seldom, steps } from "../step.ts";
import {
  type Check,
  gateChecks,
  issuableChecks,
  judge,
  type Permission,
  reach,
  statusOf,
} from "../verdict.ts";
import { type Card, type Company, hasEnded, type Status } from "../world.ts";
import { keyChoices, keyOf, limitOf, limits } from "./order.ts";

const path = (id: string) => `/developer/cards/${id}`;
const nobodys = "9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11";

/** Any card of any company: mostly of the caller's. */
function cardChosen(history: History, company: Company | undefined, { own, n }: { own: boolean; n: number }) {
  const among = own && company ? company.cards : history.world.companies.flatMap(({ cards }) => cards);
  return pick(among, n);
}
export const cardChoices = fc.record({ own: fc.nat(9).map((n) => n > 0), n: anyOf });

/** Whether the caller sees the card: an employee its own alone. */
export function isSeen({ company, member }: Caller, card: Card | undefined, how: "all" | "own" | undefined) {
  if (!card || !company.cards.includes(card)) return false;
  return how === "all" || card.memberId === member.id;
}

const changeable: readonly Status[] = ["inactive", "active", "frozen"];

/** What a caller may change of a card: from which states, to which, and by what request. */
const changes = {
  freeze: { operation: "freezeCard", needs: "freeze", from: ["active"], to: "frozen", point: "cards.frozen" },
  unfreeze: {
    operation: "unfreezeCard",
    needs: "manage",
    from: ["frozen"],
    to: "active",
    point: "cards.unfrozen",
  },
  terminate: {
    operation: "terminateCard",
    needs: "manage",
    from: changeable,
    to: "terminated",
    point: "cards.terminated",
  },
  rename: { operation: "changeCard", needs: "manage", from: changeable, point: "cards.changed" },
  limit: {
    operation: "setSpendingLimit",
    needs: "manage",
    from: changeable,
    point: "cards.spending_limit_set",
  },
  unlimit: {
    operation: "removeSpendingLimit",
    needs: "manage",
    from: changeable,
    point: "cards.spending_limit_removed",
  },
} as const satisfies Record<
  string,
  { operation: string; needs: Permission; from: readonly Status[]; to?: Status; point: string }
>;
const requestOf = {
  freeze: ["POST", "/freeze"],
  unfreeze: ["POST", "/unfreeze"],
  terminate: ["POST", "/terminate"],
  rename: ["PATCH", ""],
  limit: ["PUT", "/spending-limit"],
  unlimit: ["DELETE", "/spending-limit"],
} as const;

const change = {
  change: fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])),
  caller: callers,
  card: cardChoices,
  limit: limits,
  name: fc.constantFrom("Travel", "Tools", ""),
  isWrong: seldom(fc.constant(true)),
  scenario: seldom(fc.constant("conflict" as const)),
};
type Change = {
  [Name in keyof typeof change]: (typeof change)[Name] extends fc.Arbitrary<infer Value> ? Value : never;
};

function bodyOf({ change, limit, name, isWrong }: Change): object | undefined {
  if (change === "rename") return isWrong ? { name: 7 } : { name, auto_convert: true };
  if (change === "limit") return isWrong ? { ...limit, amount: "0.00" } : limit;
  return undefined;
}

function* checks(asked: Change, caller: Caller, card: Card | undefined): Generator<Check> {
  const { needs, from } = changes[asked.change];
  yield* gateChecks(caller, needs, "access.forbidden");
  yield ["cards.body_invalid", asked.isWrong === true && bodyOf(asked) !== undefined];
  yield ["cards.not_found", !isSeen(caller, card, reach(caller, "viewCards"))];
  const limit = limitOf(asked.limit);
  yield ["cards.spending_limit_over_cap", asked.change === "limit" && limit !== null && isOverCap(limit)];
  yield ["cards.change_in_progress", false];
  yield ["cards.state_conflict", !card || !(from as readonly Status[]).includes(card.status)];
}

async function changeCard(history: History, asked: Change): Promise<void> {
  const { headers, caller, refused } = await known(history, asked.caller);
  const card = cardChosen(history, caller?.company, asked.card);
  const [method, tail] = requestOf[asked.change];
  const at = path(card?.id ?? nobodys) + tail;
  const body = bodyOf(asked);
  const sent = {
    headers: {
      ...headers,
      ...(body && { "Content-Type": "application/json" }),
      ...(asked.scenario && { "Sandbox-Scenario": asked.scenario }),
    },
    body,
  };
  const { operation, point: success } = changes[asked.change];
  const turn =
    caller && turnAt(history.world, caller.company, operation, { scenario: asked.scenario, key: "" });
  const verdict = caller
    ? judge(checks(asked, caller, card), turn, "cards")
    : { point: refused, isForced: false };
  if (verdict.point) {
    const scenario = verdict.isForced ? turn?.name : undefined;
    await history.meet({ status: statusOf(verdict.point), point: verdict.point, scenario }, method, at, sent);
    return;
  }
  if (!caller || !card) throw new Error("the model changes no card");
  apply(asked, card);
  const expected = { status: 200, point: success, body: shown(history, caller.company, card) };
  await history.meet(expected, method, at, sent);
}

function apply(asked: Change, card: Card): void {
  const to = "to" in changes[asked.change] ? (changes[asked.change] as { to: Status }).to : undefined;
  if (to) card.status = to;
  if (asked.change === "rename") {
    card.name = asked.name === "" ? usualName(card) : asked.name;
    card.autoConvert = true;
  }
  if (asked.change === "limit") card.limit = limitOf(asked.limit);
  if (asked.change === "unlimit") card.limit = null;
}

const replacement = {
  caller: callers,
  card: cardChoices,
  key: keyChoices,
  reason: fc.constantFrom("lost", "stolen", "damaged", "expiring"),
  isWrong: seldom(fc.constant(true)),
  country: fc.constantFrom("GB", "GB", "CU"),
  scenario: seldom(fc.constant("conflict" as const)),
};
type Replacement = {
  [Name in keyof typeof replacement]: (typeof replacement)[Name] extends fc.Arbitrary<infer Value>
    ? Value
    : never;
};

function* replaceChecks(
  asked: Replacement,
  caller: Caller,
  card: Card | undefined,
  key: string | undefined,
): Generator<Check> {
  const { company } = caller;
  yield* gateChecks(caller, "issue", "access.forbidden");
  yield ["cards.idempotency_key_invalid", key === undefined || key === "order-1"];
  yield ["cards.replayed", key !== undefined && madeBefore(caller, "replaceCard", key) !== undefined];
  yield ["cards.body_invalid", asked.isWrong === true];
  yield ["cards.not_found", !isSeen(caller, card, reach(caller, "viewCards"))];
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

function replacementBody({ reason, isWrong, country }: Replacement, type: Card["type"]): object {
  const { address, method } = country === "CU" ? destinations.CU : destinations.GB;
  const delivery = {
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", ...address, country_code: country },
    delivery_method: method,
  };
  return { reason: isWrong ? "boredom" : reason, ...(type === "physical" && delivery) };
}

async function replaceCard(history: History, asked: Replacement): Promise<void> {
  const { headers, caller, refused } = await known(history, asked.caller);
  const old = cardChosen(history, caller?.company, asked.card);
  const key = keyOf(history, asked.key);
  const isOwn = old && caller?.company.cards.includes(old);
  const sent = {
    ...headers,
    "Content-Type": "application/json",
    ...(key !== undefined && { "Idempotency-Key": key }),
    ...(asked.scenario && { "Sandbox-Scenario": asked.scenario }),
  };
  const at = `${path(old?.id ?? nobodys)}/replace`;
  const body = replacementBody(asked, isOwn ? old.type : "physical");
  if (!caller) {
    const point = refused ?? "";
    await history.meet({ status: statusOf(point), point }, "POST", at, { headers: sent, body });
    return;
  }
  const choice = { scenario: asked.scenario, key: key?.toLowerCase() ?? "" };
  const turn = turnAt(history.world, caller.company, "replaceCard", choice);
  const verdict = judge(replaceChecks(asked, caller, old, key), turn, "cards");
  const keepsNumber = asked.reason === "damaged" || asked.reason === "expiring";
  await issue(
    history,
    caller,
    {
      operation: "replaceCard",
      family: "cards",
      path: at,
      created: "cards.replaced",
      headers: sent,
      body,
      key: key ?? "",
    },
    {
      verdict,
      turn,
      ordered: {
        type: old?.type ?? "physical",
        accountId: old?.accountId ?? "",
        memberId: old?.memberId ?? "",
        name: !old || old.name === usualName(old) ? undefined : old.name,
        autoConvert: old?.autoConvert ?? false,
        limit: old?.limit ?? null,
        ...(old && { replaces: old }),
      },
      made: (card) => {
        if (!old) throw new Error("no card was replaced");
        if (keepsNumber) history.same("the number", card.lastFour, old.lastFour);
        if (old.status !== "expired") old.status = "terminated";
        old.isReplaced = true;
      },
    },
  );
}

export const changeSteps = steps("change a card", change, changeCard);
export const replaceSteps = steps("replace a card", replacement, replaceCard);
