import type { Choices } from "./behaviours.ts";
import { type Contract, defaultContract } from "./dialect.ts";
import type { ContractPointId } from "./points.ts";
import type { EventType } from "./webhook.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields with amounts, by the area of the object. Those of cards are specified. */
export const amountFields: Readonly<Record<string, readonly string[]>> = {
  accounts: ["balance", "available_balance"],
  transactions: ["amount", "original_amount", "running_balance"],
  invoices: ["net", "vat", "total"],
};

/** Whether an object of this area is a card, whose fields are specified. */
const isOfCards = (area: string) => area === "cards" || area === "order";

/** Shows the body of a successful response as the contract does. It is the body itself without a dialect. */
export function presented(contract: Contract, point: ContractPointId, body: unknown): unknown {
  if (contract === defaultContract || contract.points[point].status >= 300) return body;
  const area = point.slice(0, point.indexOf("."));
  const shown = withTimestamps(contract, presentedIn(contract, area, body));
  const name = point === `${area}.shown` ? wrapperOf(contract, area) : undefined;
  return name === undefined ? shown : { [name]: shown };
}

/** Shows an event as the contract does. */
export function presentedEvent<Payload extends { readonly type: EventType; readonly data: object }>(
  contract: Contract,
  payload: Payload,
): unknown {
  if (contract === defaultContract) return payload;
  const area = `${payload.type.split(".")[0]}s`;
  return withTimestamps(contract, { ...payload, data: presentedIn(contract, area, payload.data) });
}

/** The name under which a response has one object of an area; undefined if it has none. */
export function wrapperOf({ choices }: Contract, area: string): string | undefined {
  if (!(area in amountFields)) return undefined;
  const choice = choices["responses.single_object"];
  return choice === "none" ? undefined : choice === "named" ? area.slice(0, -1) : "data";
}

/** Shows an object, or the objects of a list in any envelope. Objects have an `id`. */
function presentedIn(contract: Contract, area: string, body: unknown): unknown {
  if (Array.isArray(body)) return body.map((each) => presentedIn(contract, area, each));
  if (typeof body !== "object" || body === null) return body;
  if ("id" in body) return presentedObject(contract, area, body as Fields);
  const entries = Object.entries(body).map(([name, value]) => [
    name,
    Array.isArray(value) ? presentedIn(contract, area, value) : value,
  ]);
  return Object.fromEntries(entries);
}

function presentedObject({ choices }: Contract, area: string, object: Fields): Fields {
  const { direction, currency, original_currency } = object;
  const isDebit = choices["transactions.debit_sign"] === "negative" && direction === "debit";
  const entries = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    if (isOfCards(area)) return [[name, value]];
    if (value === null && choices["responses.null_fields"] === "omitted") return [];
    if (amountFields[area]?.includes(name)) {
      const of = name === "original_amount" ? original_currency : currency;
      const sign = isDebit && name !== "running_balance" ? "-" : "";
      return [[nameOf(choices, name), amountOf(choices, value as string | null, sign, of as string)]];
    }
    return [[name, name.endsWith("currency") ? currencyOf(choices, value as string) : value]];
  });
  if (choices["responses.extra_fields"] === "metadata") entries.push(["metadata", {}]);
  return Object.fromEntries(entries);
}

/** The name of a field with an amount. */
export function nameOf(choices: Choices, field: string): string {
  return field === "running_balance" ? choices["transactions.running_balance"] : field;
}

function amountOf(choices: Choices, decimal: string | null, sign: string, currency: string): unknown {
  if (decimal === null) return null;
  const signed = `${sign}${decimal}`;
  switch (choices["responses.amounts"]) {
    case "decimal":
      return signed;
    case "number":
      return Number(signed);
    case "object":
      return { value: Number(signed.replace(".", "")), currency: currencyOf(choices, currency) };
  }
}

function currencyOf(choices: Choices, currency: string): string {
  return choices["responses.currency_case"] === "lower" ? currency.toLowerCase() : currency;
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Rewrites all timestamps, except in the payload of a delivery, which is shown as it was sent. */
function withTimestamps(contract: Contract, value: unknown): unknown {
  const form = contract.choices["responses.timestamps"];
  if (form === "milliseconds") return value;
  if (typeof value === "string" && timestamp.test(value)) {
    return form === "seconds" ? `${value.slice(0, 19)}Z` : `${value.slice(0, -1)}+00:00`;
  }
  if (Array.isArray(value)) return value.map((each) => withTimestamps(contract, each));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    name === "payload" ? each : withTimestamps(contract, each),
  ]);
  return Object.fromEntries(entries);
}
