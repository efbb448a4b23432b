import fc from "fast-check";
import { authenticate, authentications, type Caller } from "../authentication.ts";
import { cardResponse, defaultName } from "../cards.ts";
import { type Check, canSee, changeable, gateChecks, judge, type Permission } from "../checks.ts";
import { cardChoices, cardChosen, limitOf, limits, unknownId } from "../choices.ts";
import type { History } from "../history.ts";
import { isOverCap } from "../limits.ts";
import { claimStep } from "../scenarios.ts";
import { seldom, steps, type ValuesOf } from "../step.ts";
import type { Card, Status } from "../world.ts";

interface Change {
  readonly operation: string;
  readonly request: readonly [method: string, path: string];
  readonly needs: Permission;
  readonly from: readonly Status[];
  /** Absent if the state stays. */
  readonly to?: Status;
  readonly point: string;
}

/** The changes that callers may make, with their states. */
const changes = {
  freeze: {
    operation: "freezeCard",
    request: ["POST", "/freeze"],
    needs: "freeze",
    from: ["active"],
    to: "frozen",
    point: "cards.frozen",
  },
  unfreeze: {
    operation: "unfreezeCard",
    request: ["POST", "/unfreeze"],
    needs: "manage",
    from: ["frozen"],
    to: "active",
    point: "cards.unfrozen",
  },
  terminate: {
    operation: "terminateCard",
    request: ["POST", "/terminate"],
    needs: "manage",
    from: changeable,
    to: "terminated",
    point: "cards.terminated",
  },
  rename: {
    operation: "changeCard",
    request: ["PATCH", ""],
    needs: "manage",
    from: changeable,
    point: "cards.changed",
  },
  limit: {
    operation: "setSpendingLimit",
    request: ["PUT", "/spending-limit"],
    needs: "manage",
    from: changeable,
    point: "cards.spending_limit_set",
  },
  unlimit: {
    operation: "removeSpendingLimit",
    request: ["DELETE", "/spending-limit"],
    needs: "manage",
    from: changeable,
    point: "cards.spending_limit_removed",
  },
} satisfies Record<string, Change>;
const changeOf: Readonly<Record<keyof typeof changes, Change>> = changes;

const arbitraries = {
  change: fc.constantFrom("freeze", "freeze", ...(Object.keys(changes) as (keyof typeof changes)[])),
  caller: authentications,
  card: cardChoices,
  limit: limits,
  name: fc.constantFrom("Travel", "Tools", ""),
  isWrong: seldom(fc.constant(true)),
  scenario: seldom(fc.constant("conflict" as const)),
};
type Values = ValuesOf<typeof arbitraries>;

function bodyOf({ change, limit, name, isWrong }: Values): object | undefined {
  if (change === "rename") return isWrong ? { name: 7 } : { name, auto_convert: true };
  if (change === "limit") return isWrong ? { ...limit, amount: "0.00" } : limit;
  return undefined;
}

function* checks(values: Values, caller: Caller, card: Card | undefined): Generator<Check> {
  const { needs, from } = changeOf[values.change];
  yield* gateChecks(caller, needs, "access.forbidden");
  yield ["cards.body_invalid", values.isWrong === true && bodyOf(values) !== undefined];
  yield ["cards.not_found", !canSee(caller, card)];
  const limit = limitOf(values.limit);
  yield ["cards.spending_limit_over_cap", values.change === "limit" && limit !== null && isOverCap(limit)];
  yield ["cards.change_in_progress", false];
  yield ["cards.state_conflict", !card || !from.includes(card.status)];
}

async function changeCard(history: History, values: Values): Promise<void> {
  const { headers, caller, refused } = await authenticate(history, values.caller, "cards");
  const card = cardChosen(history, caller?.company, values.card);
  if (!card && values.card.own) return;
  const { operation, request, point: success } = changeOf[values.change];
  const [method, tail] = request;
  const path = `/developer/cards/${card?.id ?? unknownId}${tail}`;
  const body = bodyOf(values);
  const sent = {
    headers: {
      ...headers,
      ...(body && { "Content-Type": "application/json" }),
      ...(values.scenario && { "Sandbox-Scenario": values.scenario }),
    },
    body,
  };
  if (!caller) return history.expectRefusal({ point: refused ?? "" }, method, path, sent);
  const claim = claimStep(history.world, caller.company, operation, { scenario: values.scenario, key: "" });
  const { point, isForced } = judge(checks(values, caller, card), claim, "cards");
  const scenario = isForced ? claim?.name : undefined;
  if (point) return history.expectRefusal({ point, scenario }, method, path, sent);
  if (!card) throw new Error("a missing card passed every check");
  applyTo(card, values);
  const expected = { status: 200, point: success, body: cardResponse(history, caller.company, card) };
  await history.expectReply(expected, method, path, sent);
}

function applyTo(card: Card, values: Values): void {
  card.status = changeOf[values.change].to ?? card.status;
  if (values.change === "rename") {
    card.name = values.name === "" ? defaultName(card) : values.name;
    card.autoConvert = true;
  }
  if (values.change === "limit") card.limit = limitOf(values.limit);
  if (values.change === "unlimit") card.limit = null;
}

export const changeSteps = steps("change a card", arbitraries, changeCard);
