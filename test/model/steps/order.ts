import fc from "fast-check";
import { authenticate, authentications, type Caller } from "../authentication.ts";
import { type Check, gateChecks, newCardChecks } from "../checks.ts";
import { accountChoices, accountChosen, keyChoices, keyOf, limitOf } from "../choices.ts";
import type { History } from "../history.ts";
import { cardOfKey, issue } from "../issuing.ts";
import { isOverCap } from "../limits.ts";
import {
  bodyOf,
  faultNames,
  isMethodOffered,
  isUndeliverable,
  meaningOf,
  nameIn,
  orderFields,
  scenarioInName,
} from "../order-body.ts";
import { ofOrders } from "../scenarios.ts";
import { seldom, steps, type ValuesOf } from "../step.ts";

const order = {
  caller: authentications,
  key: keyChoices,
  account: accountChoices,
  ...orderFields,
  /** Often the one that counts its steps by company and key. */
  scenario: seldom(fc.oneof(fc.constant("issuer-recovers" as const), fc.constantFrom(...ofOrders)), 6),
};
type Order = ValuesOf<typeof order>;

const operation = "orderPhysicalCard";

/** The checks of a physical order in their order, as in the README. */
function* checks(
  values: Order,
  caller: Caller,
  key: string | undefined,
  accountId: string,
): Generator<Check> {
  const { company, member } = caller;
  const has = (fault: string) => values.faults.includes(fault);
  yield* gateChecks(caller, "issue", "order.forbidden");
  yield ["order.content_type_invalid", has("content_type_invalid")];
  yield ["order.idempotency_key_missing", key === undefined];
  yield ["order.idempotency_key_invalid", key === "order-1"];
  const before = cardOfKey(caller, operation, key);
  yield ["order.replayed", before !== undefined && before.meaning === meaningOf(values, accountId)];
  yield ["order.replayed_with_other_body", before !== undefined];
  yield ["order.body_not_json", has("body_not_json")];
  for (const fault of faultNames) yield [`order.${fault}`, has(fault)];
  yield ["order.delivery_method_not_offered", !isMethodOffered(values)];
  const limit = limitOf(values.limit);
  yield ["order.spending_limit_over_cap", limit !== null && isOverCap(limit)];
  yield ["order.invalid_request", false];
  const account = company.accounts.find(({ id }) => id === accountId);
  yield ["order.account_not_found", account === undefined];
  yield ["order.change_in_progress", false];
  yield* newCardChecks("order", company, {
    isAccountClosed: account?.status === "closed",
    isHolderComplete: member.detailsComplete,
    isUndeliverable: isUndeliverable(values),
    needsRoom: true,
  });
}

async function orderCard(history: History, values: Order): Promise<void> {
  const key = keyOf(history, values.key);
  history.retry = () => send(history, values, key);
  await history.retry();
}

async function send(history: History, values: Order, key: string | undefined): Promise<void> {
  const by = await authenticate(history, values.caller, "order");
  const accountId = accountChosen(history, by.caller?.company, values.account).id;
  await issue(history, {
    operation,
    family: "order",
    path: "/developer/cards/physical",
    created: "order.created",
    by,
    key,
    body: bodyOf(values, accountId),
    ...(values.faults.includes("content_type_invalid") && { contentType: "text/plain" }),
    scenario: values.scenario,
    scenarioInBody: scenarioInName(values),
    checks: (caller) => checks(values, caller, key, accountId),
    meaning: meaningOf(values, accountId),
    ordered: ({ member }) => ({
      type: "physical",
      accountId,
      memberId: member.id,
      name: nameIn(values),
      autoConvert: values.autoConvert ?? false,
      limit: limitOf(values.limit),
    }),
  });
}

export const orderSteps = steps("order a physical card", order, orderCard);
export const retrySteps = steps("retry the latest order", {}, ({ retry }) => retry());
