import fc from "fast-check";
import { type Caller, callers, known } from "../caller.ts";
import { accountChoices, accountChosen, keyChoices, keyOf, limitOf, limits } from "../choices.ts";
import type { History } from "../history.ts";
import { issue, madeBefore } from "../issuing.ts";
import { ofVirtualOrders } from "../scenarios.ts";
import { isOverCap } from "../spending.ts";
import { seldom, steps, type ValuesOf } from "../step.ts";
import { type Check, gateChecks, issuableChecks } from "../verdict.ts";

const order = {
  caller: callers,
  key: keyChoices,
  account: accountChoices,
  limit: fc.option(limits, { nil: undefined }),
  isWrong: seldom(fc.constant(true)),
  scenario: seldom(fc.constantFrom("conflict", ...ofVirtualOrders), 6),
};
type Order = ValuesOf<typeof order>;

const operation = "orderVirtualCard";

/** Its checks from top to bottom. */
function* checks(asked: Order, caller: Caller, key: string | undefined, accountId: string): Generator<Check> {
  const { company, member } = caller;
  yield* gateChecks(caller, "issue", "access.forbidden");
  yield ["cards.idempotency_key_invalid", key === undefined || key === "order-1"];
  yield ["cards.replayed", madeBefore(caller, operation, key) !== undefined];
  yield ["cards.body_invalid", asked.isWrong === true];
  const limit = limitOf(asked.limit);
  yield ["cards.spending_limit_over_cap", limit !== null && isOverCap(limit)];
  const account = company.accounts.find(({ id }) => id === accountId);
  yield ["cards.account_not_found", account === undefined];
  yield ["cards.virtual_change_in_progress", false];
  yield* issuableChecks("cards", company, {
    isAccountClosed: account?.status === "closed",
    isHolderComplete: member.detailsComplete,
    isUndeliverable: false,
    needsRoom: true,
  });
}

async function orderVirtual(history: History, asked: Order): Promise<void> {
  const by = await known(history, asked.caller, "cards");
  const key = keyOf(history, asked.key);
  const accountId = accountChosen(history, by.caller?.company, asked.account).id;
  await issue(history, {
    operation,
    family: "cards",
    path: "/developer/cards/virtual",
    created: "cards.virtual_created",
    by,
    key,
    body: {
      account_id: accountId,
      ...(asked.limit && { spending_limit: asked.limit }),
      ...(asked.isWrong && { name: 7 }),
    },
    scenario: asked.scenario,
    checks: (caller) => checks(asked, caller, key, accountId),
    ordered: ({ member }) => ({
      type: "virtual",
      accountId,
      memberId: member.id,
      name: undefined,
      autoConvert: false,
      limit: limitOf(asked.limit),
    }),
  });
}

export const virtualSteps = steps("order a virtual card", order, orderVirtual);
