import fc from "fast-check";
import { limits } from "./choices.ts";
import { ofOrders, type ScenarioName } from "./scenarios.ts";
import { pick, seldom, type ValuesOf } from "./step.ts";

type Body = Record<string, unknown>;
const inAddress = (fields: Body) => (body: Body) => Object.assign(body.delivery_address as Body, fields);
const inBody = (fields: Body) => (body: Body) => Object.assign(body, fields);

/** Faults of an order's fields, in the order of the checks. */
const faults: Readonly<Record<string, (body: Body) => void>> = {
  account_id_invalid: inBody({ account_id: "gbp" }),
  pin_invalid: inBody({ pin: "48" }),
  delivery_address_invalid: inAddress({ line1: undefined }),
  country_code_invalid: inAddress({ country_code: "UK" }),
  delivery_method_invalid: inBody({ delivery_method: "pigeon" }),
  name_invalid: inBody({ name: 7 }),
  auto_convert_invalid: inBody({ auto_convert: "yes" }),
  spending_limit_invalid: inBody({ spending_limit: { period: "yearly", amount: "5" } }),
  spending_limit_amount_invalid: inBody({ spending_limit: { period: "daily", amount: "1.001" } }),
  spending_limit_amount_too_large: inBody({
    spending_limit: { period: "lifetime", amount: "10000000000000" },
  }),
  address_field_required: inAddress({ city: undefined }),
  post_code_format: inAddress({ post_code: "?" }),
};
export const faultNames = Object.keys(faults);

/** Destinations with their delivery methods (assumed). */
const places = {
  GB: { city: "London", post_code: "SE1 4PG", methods: ["classic", "express"] },
  FR: { city: "Paris", post_code: "75001", methods: ["express", "international"] },
  KE: { city: "Nairobi", post_code: "00100", methods: ["international"] },
  CU: { city: "La Habana", post_code: "10400", methods: ["international"] },
};
const countries: readonly (keyof typeof places)[] = ["GB", "GB", "GB", "GB", "GB", "FR", "KE", "CU"];

/** The fields of an order except its account. */
export const orderFields = {
  country: fc.constantFrom(...countries),
  /** The index of a method that the country has, or a method that it may not have. */
  method: fc.oneof(
    { weight: 12, arbitrary: fc.nat(1) },
    { weight: 1, arbitrary: fc.constantFrom("classic", "international") },
  ),
  limit: fc.option(limits, { nil: undefined }),
  name: seldom(fc.constant("Travel"), 3),
  autoConvert: seldom(fc.constant(true), 3),
  faults: fc.oneof(
    { weight: 5, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc.subarray(["content_type_invalid", "body_not_json", ...faultNames], { maxLength: 3 }),
    },
  ),
  /** A scenario that is chosen by the card's name. */
  inName: seldom(fc.constantFrom(...ofOrders)),
};
type Fields = ValuesOf<typeof orderFields>;

const methodOf = ({ country, method }: Fields) =>
  typeof method === "string" ? method : (pick(places[country].methods, method) ?? "");

export const isUndeliverable = ({ country }: Fields) => country === "CU";
export const isMethodOffered = (fields: Fields) => places[fields.country].methods.includes(methodOf(fields));

/** With these faults the name cannot choose a scenario. */
const hidesName = ["content_type_invalid", "body_not_json", "name_invalid"];
export const scenarioInName = ({ inName, faults }: Fields): ScenarioName | undefined =>
  faults.some((fault) => hidesName.includes(fault)) ? undefined : inName;
export const nameIn = (fields: Fields): string | undefined =>
  scenarioInName(fields) ? `scenario:${fields.inName}` : fields.name;

/** Two orders with the same meaning have the same digest; an invalid body differs from every order. */
export function meaningOf(fields: Fields, accountId: string): string {
  const { country, autoConvert = false, limit } = fields;
  const isFaulty = fields.faults.some((fault) => fault !== "content_type_invalid");
  const amount = limit && [limit.period, Number(limit.amount)];
  const parts = [
    accountId,
    country,
    methodOf(fields),
    scenarioInName(fields) ? null : (fields.name?.trim() ?? null),
    autoConvert,
    amount,
  ];
  return isFaulty ? "no order" : JSON.stringify(parts);
}

/** The body of the request. */
export function bodyOf(fields: Fields, accountId: string): Body | string {
  if (fields.faults.includes("body_not_json")) return "{";
  const { city, post_code } = places[fields.country];
  const name = nameIn(fields);
  const body: Body = {
    account_id: accountId,
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", city, post_code, country_code: fields.country },
    delivery_method: methodOf(fields),
    ...(name !== undefined && { name }),
    ...(fields.autoConvert && { auto_convert: true }),
    ...(fields.limit && { spending_limit: fields.limit }),
  };
  // In reverse, so that no fault undoes one of an earlier check.
  for (const fault of fields.faults.toReversed()) faults[fault]?.(body);
  return body;
}
