import fc from "fast-check";
import { type Caller, callers, known } from "../caller.ts";
import { accountChoices, accountChosen, keyChoices, keyOf, limitOf } from "../choices.ts";
import type { History } from "../history.ts";
import { issue, madeBefore } from "../issuing.ts";
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
import { isOverCap } from "../spending.ts";
import { seldom, steps, type ValuesOf } from "../step.ts";
import { type Check, gateChecks, issuableChecks } from "../verdict.ts";

const order = {
  caller: callers,
  key: keyChoices,
  account: accountChoices,
  ...orderFields,
  /** Often the one whose steps count by company and key. */
  scenario: seldom(fc.oneof(fc.constant("issuer-recovers" as const), fc.constantFrom(...ofOrders)), 6),
};
type Order = ValuesOf<typeof order>;

const operation = "orderPhysicalCard";

/** Its checks from top to bottom, as the README has them. */
function* checks(asked: Order, caller: Caller, key: string | undefined, accountId: string): Generator<Check> {
  const { company, member } = caller;
  const has = (fault: string) => asked.faults.includes(fault);
  yield* gateChecks(caller, "issue", "order.forbidden");
  yield ["order.content_type_invalid", has("content_type_invalid")];
  yield ["order.idempotency_key_missing", key === undefined];
  yield ["order.idempotency_key_invalid", key === "order-1"];
  const before = madeBefore(caller, operation, key);
  yield ["order.replayed", before !== undefined && before.meaning === meaningOf(asked, accountId)];
  yield ["order.replayed_with_other_body", before !== undefined];
  yield ["order.body_not_json", has("body_not_json")];
  for (const fault of faultNames) yield [`order.${fault}`, has(fault)];
  yield ["order.delivery_method_not_offered", !isMethodOffered(asked)];
  const limit = limitOf(asked.limit);
  yield ["order.spending_limit_over_cap", limit !== null && isOverCap(limit)];
  yield ["order.invalid_request", false];
  const account = company.accounts.find(({ id }) => id === accountId);
  yield ["order.account_not_found", account === undefined];
  yield ["order.change_in_progress", false];
  yield* issuableChecks("order", company, {
    isAccountClosed: account?.status === "closed",
    isHolderComplete: member.detailsComplete,
    isUndeliverable: isUndeliverable(asked),
    needsRoom: true,
  });
}

async function orderCard(history: History, asked: Order): Promise<void> {
  const key = keyOf(history, asked.key);
  history.retry = () => send(history, asked, key);
  await history.retry();
}

async function send(history: History, asked: Order, key: string | undefined): Promise<void> {
  const by = await known(history, asked.caller, "order");
  const accountId = accountChosen(history, by.caller?.company, asked.account).id;
  await issue(history, {
    operation,
    family: "order",
    path: "/developer/cards/physical",
    created: "order.created",
    by,
    key,
    body: bodyOf(asked, accountId),
    ...(asked.faults.includes("content_type_invalid") && { contentType: "text/plain" }),
    scenario: asked.scenario,
    scenarioInBody: scenarioInName(asked),
    checks: (caller) => checks(asked, caller, key, accountId),
    meaning: meaningOf(asked, accountId),
    ordered: ({ member }) => ({
      type: "physical",
      accountId,
      memberId: member.id,
      name: nameIn(asked),
      autoConvert: asked.autoConvert ?? false,
      limit: limitOf(asked.limit),
    }),
  });
}

export const orderSteps = steps("order a physical card", order, orderCard);
export const retrySteps = steps("retry the latest order", {}, ({ retry }) => retry());
