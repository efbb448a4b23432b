import fc from "fast-check";
import { authenticate, authentications, type Caller } from "../authentication.ts";
import { type Check, gateChecks, newCardChecks } from "../checks.ts";
import { accountChoices, accountChosen, keyChoices, keyOf, limitOf, limits } from "../choices.ts";
import type { History } from "../history.ts";
import { cardOfKey, issue } from "../issuing.ts";
import { isOverCap } from "../limits.ts";
import { ofVirtualOrders } from "../scenarios.ts";
import { seldom, steps, type ValuesOf } from "../step.ts";

const order = {
  caller: authentications,
  key: keyChoices,
  account: accountChoices,
  limit: fc.option(limits, { nil: undefined }),
  isWrong: seldom(fc.constant(true)),
  scenario: seldom(fc.constantFrom("conflict", ...ofVirtualOrders), 6),
};
type Order = ValuesOf<typeof order>;

const operation = "orderVirtualCard";

/** The checks of a virtual order in their order. */
function* checks(
  values: Order,
  caller: Caller,
  key: string | undefined,
  accountId: string,
): Generator<Check> {
  const { company, member } = caller;
  yield* gateChecks(caller, "issue", "access.forbidden");
  yield ["cards.idempotency_key_invalid", key === undefined || key === "order-1"];
  yield ["cards.replayed", cardOfKey(caller, operation, key) !== undefined];
  yield ["cards.body_invalid", values.isWrong === true];
  const limit = limitOf(values.limit);
  yield ["cards.spending_limit_over_cap", limit !== null && isOverCap(limit)];
  const account = company.accounts.find(({ id }) => id === accountId);
  yield ["cards.account_not_found", account === undefined];
  yield ["cards.virtual_change_in_progress", false];
  yield* newCardChecks("cards", company, {
    isAccountClosed: account?.status === "closed",
    isHolderComplete: member.detailsComplete,
    isUndeliverable: false,
    needsRoom: true,
  });
}

async function orderVirtual(history: History, values: Order): Promise<void> {
  const by = await authenticate(history, values.caller, "cards");
  const key = keyOf(history, values.key);
  const accountId = accountChosen(history, by.caller?.company, values.account).id;
  await issue(history, {
    operation,
    family: "cards",
    path: "/developer/cards/virtual",
    created: "cards.virtual_created",
    by,
    key,
    body: {
      account_id: accountId,
      ...(values.limit && { spending_limit: values.limit }),
      ...(values.isWrong && { name: 7 }),
    },
    scenario: values.scenario,
    checks: (caller) => checks(values, caller, key, accountId),
    ordered: ({ member }) => ({
      type: "virtual",
      accountId,
      memberId: member.id,
      name: undefined,
      autoConvert: false,
      limit: limitOf(values.limit),
    }),
  });
}

export const virtualSteps = steps("order a virtual card", order, orderVirtual);
