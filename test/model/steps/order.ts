import fc from "fast-check";
import type { Caller } from "../caller.ts";
import { callers, known } from "../caller.ts";
import type { History } from "../history.ts";
import { idempotencyKeys, issue, madeBefore } from "../issuing.ts";
import { ofOrders, type ScenarioName, turnAt } from "../scenarios.ts";
import { isOverCap } from "../spending.ts";
import { pick, seldom, steps } from "../step.ts";
import { type Check, gateChecks, issuableChecks, judge, statusOf } from "../verdict.ts";
import { type Account, type Card, type Company, minorOf, type Period } from "../world.ts";

type Body = Record<string, unknown>;

/** What can be wrong with an order's body, in the order in which it is looked for. */
const faults: Readonly<Record<string, (body: Body) => void>> = {
  account_id_invalid: (body) => Object.assign(body, { account_id: "gbp" }),
  pin_invalid: (body) => Object.assign(body, { pin: "48" }),
  delivery_address_invalid: (body) => Object.assign(body.delivery_address as Body, { line1: undefined }),
  country_code_invalid: (body) => Object.assign(body.delivery_address as Body, { country_code: "UK" }),
  delivery_method_invalid: (body) => Object.assign(body, { delivery_method: "pigeon" }),
  name_invalid: (body) => Object.assign(body, { name: 7 }),
  auto_convert_invalid: (body) => Object.assign(body, { auto_convert: "yes" }),
  spending_limit_invalid: (body) =>
    Object.assign(body, { spending_limit: { period: "yearly", amount: "5" } }),
  spending_limit_amount_invalid: (body) =>
    Object.assign(body, { spending_limit: { period: "daily", amount: "1.001" } }),
  address_field_required: (body) => Object.assign(body.delivery_address as Body, { city: undefined }),
  post_code_format: (body) => Object.assign(body.delivery_address as Body, { post_code: "?" }),
};
const faultNames = Object.keys(faults);
/** These leave the limit as it stands, which is then no matter of the cap. */
const overwritesLimit = ["spending_limit_invalid", "spending_limit_amount_invalid"];

/** Where cards are sent, and by which methods (assumed). */
const places = {
  GB: { city: "London", post_code: "SE1 4PG", methods: ["classic", "express"] },
  FR: { city: "Paris", post_code: "75001", methods: ["express", "international"] },
  KE: { city: "Nairobi", post_code: "00100", methods: ["international"] },
  CU: { city: "La Habana", post_code: "10400", methods: ["international"] },
};
const isUndeliverable = (country: string) => country === "CU";

export const limits = fc.record({
  period: fc.constantFrom<Period[]>("daily", "weekly", "monthly", "lifetime"),
  amount: fc.constantFrom("40.00", "100.5", "10000.00", "10000.01", "50000.00", "50000.01"),
});
const accounts = fc.constantFrom(
  ..."main main main small closed foreign unknown".split(" "),
) as fc.Arbitrary<AccountChoice>;
type AccountChoice = "main" | "small" | "closed" | "foreign" | "unknown";

/** An account by what it is to the company; one that is nobody's for a company that has none such. */
function accountOf(
  history: History,
  company: Company | undefined,
  choice: AccountChoice,
): Pick<Account, "id"> {
  const own = company?.accounts ?? history.world.companies[0]?.accounts ?? [];
  const others = history.world.companies.filter(({ id }) => id !== company?.id);
  const found = {
    main: own[0],
    small: own[1] ?? own[0],
    closed: own.find(({ status }) => status === "closed"),
    foreign: others[0]?.accounts[0],
    unknown: undefined,
  }[choice];
  return found ?? { id: "9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11" };
}

export const limitOf = (limit: { period: Period; amount: string } | undefined): Card["limit"] =>
  limit ? { period: limit.period, amountMinor: minorOf(limit.amount) } : null;

export const keyChoices = fc.oneof(
  { weight: 10, arbitrary: fc.record({ n: fc.nat(2), isUpper: fc.boolean() }) },
  { weight: 6, arbitrary: fc.constant("new" as const) },
  { weight: 1, arbitrary: fc.constantFrom("missing" as const, "no UUID" as const) },
);
type KeyChoice = typeof keyChoices extends fc.Arbitrary<infer Value> ? Value : never;

/** The key that a choice comes to; undefined: none is sent. */
export function keyOf(history: History, choice: KeyChoice): string | undefined {
  if (choice === "missing") return undefined;
  if (choice === "no UUID") return "order-1";
  if (choice === "new") return history.newUuid();
  const key = pick(idempotencyKeys, choice.n) ?? "";
  return choice.isUpper ? key.toUpperCase() : key;
}

const order = {
  caller: callers,
  key: keyChoices,
  account: accounts,
  country: fc.constantFrom("GB", "GB", "GB", "FR", "KE", "CU") as fc.Arbitrary<keyof typeof places>,
  method: fc.oneof(
    { weight: 8, arbitrary: fc.nat(1) },
    { weight: 1, arbitrary: fc.constantFrom("classic", "international") },
  ),
  limit: fc.option(limits, { nil: undefined }),
  name: seldom(fc.constant("Travel"), 3),
  autoConvert: seldom(fc.constant(true), 3),
  faults: fc.oneof(
    { weight: 5, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc.subarray([...faultNames, "content_type_invalid", "body_not_json"], { maxLength: 3 }),
    },
  ),
  scenario: seldom(fc.constantFrom(...ofOrders)),
  /** In the body's name, which is farther than one in the header. */
  inName: seldom(fc.constantFrom(...ofOrders)),
};
type Order = {
  [Name in keyof typeof order]: (typeof order)[Name] extends fc.Arbitrary<infer Value> ? Value : never;
};

const methodOf = ({ country, method }: Order) =>
  typeof method === "string" ? method : (pick(places[country].methods, method) ?? "");
const nameIn = ({ name, inName, faults: wrong }: Order): string | undefined =>
  inName &&
  !wrong.some(
    (each) => each === "body_not_json" || each === "content_type_invalid" || each === "name_invalid",
  )
    ? `scenario:${inName}`
    : name;

function bodyOf(asked: Order, accountId: string): Body {
  const { city, post_code } = places[asked.country];
  const name = nameIn(asked);
  const body: Body = {
    account_id: accountId,
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", city, post_code, country_code: asked.country },
    delivery_method: methodOf(asked),
    ...(name !== undefined && { name }),
    ...(asked.autoConvert && { auto_convert: true }),
    ...(asked.limit && { spending_limit: asked.limit }),
  };
  for (const fault of asked.faults) faults[fault]?.(body);
  return body;
}

/** An order's checks from top to bottom; the ones of the body are ours to order (the README's table of checks). */
function* checks(asked: Order, caller: Caller, key: string | undefined, accountId: string): Generator<Check> {
  const { company, member } = caller;
  const has = (fault: string) => asked.faults.includes(fault);
  yield* gateChecks(caller, "issue", "order.forbidden");
  yield ["order.content_type_invalid", has("content_type_invalid")];
  yield ["order.idempotency_key_missing", key === undefined];
  yield ["order.idempotency_key_invalid", key === "order-1"];
  yield ["order.replayed", key !== undefined && madeBefore(caller, "orderPhysicalCard", key) !== undefined];
  yield ["order.body_not_json", has("body_not_json")];
  for (const fault of faultNames) yield [`order.${fault}`, has(fault)];
  yield ["order.delivery_method_not_offered", !places[asked.country].methods.includes(methodOf(asked))];
  const limit = overwritesLimit.some(has) ? null : limitOf(asked.limit);
  yield ["order.spending_limit_over_cap", limit !== null && isOverCap(limit)];
  yield ["order.invalid_request", false];
  const account = company.accounts.find(({ id }) => id === accountId);
  yield ["order.account_not_found", account === undefined];
  yield ["order.change_in_progress", false];
  yield* issuableChecks("order", company, {
    isAccountClosed: account?.status === "closed",
    isHolderComplete: member.detailsComplete,
    isUndeliverable: isUndeliverable(asked.country),
    needsRoom: true,
  });
}

async function orderCard(history: History, asked: Order): Promise<void> {
  const { headers, caller, refused } = await known(history, asked.caller);
  const key = keyOf(history, asked.key);
  const accountId = accountOf(history, caller?.company, asked.account).id;
  const body = asked.faults.includes("body_not_json") ? "{" : bodyOf(asked, accountId);
  const sent = {
    ...headers,
    "Content-Type": asked.faults.includes("content_type_invalid") ? "text/plain" : "application/json",
    ...(key !== undefined && { "Idempotency-Key": key }),
    ...(asked.scenario && { "Sandbox-Scenario": asked.scenario }),
  };
  const path = "/developer/cards/physical";
  if (!caller) {
    const point = refused ?? "";
    await history.meet({ status: statusOf(point), point }, "POST", path, { headers: sent, body });
    return;
  }
  const name = nameIn(asked);
  const inName = name?.startsWith("scenario:") ? (name.slice("scenario:".length) as ScenarioName) : undefined;
  const choice = { scenario: asked.scenario ?? inName, key: key?.toLowerCase() ?? "" };
  const turn = turnAt(history.world, caller.company, "orderPhysicalCard", choice);
  await issue(
    history,
    caller,
    {
      operation: "orderPhysicalCard",
      family: "order",
      path,
      created: "order.created",
      headers: sent,
      body,
      key: key ?? "",
    },
    {
      verdict: judge(checks(asked, caller, key, accountId), turn, "order"),
      turn,
      ordered: {
        type: "physical",
        accountId,
        memberId: caller.member.id,
        name,
        autoConvert: asked.autoConvert ?? false,
        limit: limitOf(asked.limit),
      },
    },
  );
}

const virtual = {
  caller: callers,
  key: keyChoices,
  account: accounts,
  limit: fc.option(limits, { nil: undefined }),
  isWrong: seldom(fc.constant(true)),
  scenario: seldom(fc.constantFrom(...(["conflict"] as const))),
};
type Virtual = {
  [Name in keyof typeof virtual]: (typeof virtual)[Name] extends fc.Arbitrary<infer Value> ? Value : never;
};

function* virtualChecks(
  asked: Virtual,
  caller: Caller,
  key: string | undefined,
  accountId: string,
): Generator<Check> {
  const { company, member } = caller;
  yield* gateChecks(caller, "issue", "access.forbidden");
  yield ["cards.idempotency_key_invalid", key === undefined || key === "order-1"];
  yield ["cards.replayed", key !== undefined && madeBefore(caller, "orderVirtualCard", key) !== undefined];
  yield ["cards.body_invalid", asked.isWrong === true];
  const limit = limitOf(asked.limit);
  yield ["cards.spending_limit_over_cap", limit !== null && isOverCap(limit)];
  const account = company.accounts.find(({ id }) => id === accountId);
  yield ["cards.account_not_found", account === undefined];
  yield ["cards.change_in_progress", false];
  yield* issuableChecks("cards", company, {
    isAccountClosed: account?.status === "closed",
    isHolderComplete: member.detailsComplete,
    isUndeliverable: false,
    needsRoom: true,
  });
}

async function orderVirtual(history: History, asked: Virtual): Promise<void> {
  const { headers, caller, refused } = await known(history, asked.caller);
  const key = keyOf(history, asked.key);
  const accountId = accountOf(history, caller?.company, asked.account).id;
  const body = {
    account_id: accountId,
    ...(asked.limit && { spending_limit: asked.limit }),
    ...(asked.isWrong && { name: 7 }),
  };
  const sent = {
    ...headers,
    "Content-Type": "application/json",
    ...(key !== undefined && { "Idempotency-Key": key }),
    ...(asked.scenario && { "Sandbox-Scenario": asked.scenario }),
  };
  const path = "/developer/cards/virtual";
  if (!caller) {
    const point = refused ?? "";
    await history.meet({ status: statusOf(point), point }, "POST", path, { headers: sent, body });
    return;
  }
  const choice = { scenario: asked.scenario, key: key?.toLowerCase() ?? "" };
  const turn = turnAt(history.world, caller.company, "orderVirtualCard", choice);
  await issue(
    history,
    caller,
    {
      operation: "orderVirtualCard",
      family: "cards",
      path,
      created: "cards.virtual_created",
      headers: sent,
      body,
      key: key ?? "",
    },
    {
      verdict: judge(virtualChecks(asked, caller, key, accountId), turn, "cards"),
      turn,
      ordered: {
        type: "virtual",
        accountId,
        memberId: caller.member.id,
        name: undefined,
        autoConvert: false,
        limit: limitOf(asked.limit),
      },
    },
  );
}

export const orderSteps = steps("order a physical card", order, orderCard);
export const virtualSteps = steps("order a virtual card", virtual, orderVirtual);
