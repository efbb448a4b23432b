import fc from "fast-check";
import { type Caller, callers, known } from "../caller.ts";
import { shown, usualName } from "../cards.ts";
import { cardChoices, cardChosen, limitOf, limits, nobodys } from "../choices.ts";
import type { History } from "../history.ts";
import { turnAt } from "../scenarios.ts";
import { isOverCap } from "../spending.ts";
import { seldom, steps, type ValuesOf } from "../step.ts";
import { type Check, changeable, gateChecks, isSeen, judge, type Permission } from "../verdict.ts";
import type { Card, Status } from "../world.ts";

interface Change {
  readonly operation: string;
  readonly request: readonly [method: string, path: string];
  readonly needs: Permission;
  readonly from: readonly Status[];
  /** Absent: it stays in its state. */
  readonly to?: Status;
  readonly point: string;
}

/** What a caller may change of a card, from which states, and to which. */
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

const asked = {
  change: fc.constantFrom("freeze", "freeze", ...(Object.keys(changes) as (keyof typeof changes)[])),
  caller: callers,
  card: cardChoices,
  limit: limits,
  name: fc.constantFrom("Travel", "Tools", ""),
  isWrong: seldom(fc.constant(true)),
  scenario: seldom(fc.constant("conflict" as const)),
};
type Asked = ValuesOf<typeof asked>;

function bodyOf({ change, limit, name, isWrong }: Asked): object | undefined {
  if (change === "rename") return isWrong ? { name: 7 } : { name, auto_convert: true };
  if (change === "limit") return isWrong ? { ...limit, amount: "0.00" } : limit;
  return undefined;
}

function* checks(asked: Asked, caller: Caller, card: Card | undefined): Generator<Check> {
  const { needs, from } = changeOf[asked.change];
  yield* gateChecks(caller, needs, "access.forbidden");
  yield ["cards.body_invalid", asked.isWrong === true && bodyOf(asked) !== undefined];
  yield ["cards.not_found", !isSeen(caller, card)];
  const limit = limitOf(asked.limit);
  yield ["cards.spending_limit_over_cap", asked.change === "limit" && limit !== null && isOverCap(limit)];
  yield ["cards.change_in_progress", false];
  yield ["cards.state_conflict", !card || !from.includes(card.status)];
}

async function changeCard(history: History, asked: Asked): Promise<void> {
  const { headers, caller, refused } = await known(history, asked.caller, "cards");
  const card = cardChosen(history, caller?.company, asked.card);
  if (!card && asked.card.own) return;
  const { operation, request, point: success } = changeOf[asked.change];
  const [method, tail] = request;
  const path = `/developer/cards/${card?.id ?? nobodys}${tail}`;
  const body = bodyOf(asked);
  const sent = {
    headers: {
      ...headers,
      ...(body && { "Content-Type": "application/json" }),
      ...(asked.scenario && { "Sandbox-Scenario": asked.scenario }),
    },
    body,
  };
  if (!caller) return history.refuses({ point: refused ?? "" }, method, path, sent);
  const turn = turnAt(history.world, caller.company, operation, { scenario: asked.scenario, key: "" });
  const { point, isForced } = judge(checks(asked, caller, card), turn, "cards");
  const scenario = isForced ? turn?.name : undefined;
  if (point) return history.refuses({ point, scenario }, method, path, sent);
  if (!card) throw new Error("a card that is not there passed every check");
  applyTo(card, asked);
  const expected = { status: 200, point: success, body: shown(history, caller.company, card) };
  await history.meet(expected, method, path, sent);
}

function applyTo(card: Card, asked: Asked): void {
  card.status = changeOf[asked.change].to ?? card.status;
  if (asked.change === "rename") {
    card.name = asked.name === "" ? usualName(card) : asked.name;
    card.autoConvert = true;
  }
  if (asked.change === "limit") card.limit = limitOf(asked.limit);
  if (asked.change === "unlimit") card.limit = null;
}

export const changeSteps = steps("change a card", asked, changeCard);
