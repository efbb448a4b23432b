import type { OperationId } from "../../contract/operations.ts";
import type { Seen } from "./seen.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** An object of JSON; undefined for anything else. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

const withLimitWithin = new Set<OperationId>(["orderPhysicalCard", "orderVirtualCard"]);

/** The spending limit that a request sets; undefined where it sets none. */
export function limitSent(request: Seen): Fields | undefined {
  const { operation } = request.exchange;
  if (operation === "setSpendingLimit") return fieldsOf(request.json);
  if (operation === undefined || !withLimitWithin.has(operation)) return undefined;
  return fieldsOf(fieldsOf(request.json)?.spending_limit);
}
