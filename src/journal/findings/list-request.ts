import { type OperationId, operationIds, operations } from "../../contract/operations.ts";
import type { ObservedRequest } from "./request.ts";

/** The number of rows on a page if the request has no `limit`. */
export const defaultLimit = 50;

export const listOperations: readonly OperationId[] = operationIds.filter(
  (id) => id.startsWith("list") && operations[id].method === "GET",
);

/** A request that reads a page of a list. */
export interface ListRequest {
  /** The path and the filters; two requests for the same list have the same text. */
  readonly list: string;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** In milliseconds since the epoch; undefined if the list has no such limit. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The path and the filters without `from` and `to`. */
  readonly filters: string;
  /** The `next_cursor` of the response: null at the list's end, undefined if no page was delivered. */
  readonly next: string | null | undefined;
}

export function readListRequest(request: ObservedRequest): ListRequest | undefined {
  const { method, operation, path, query } = request.exchange;
  if (method !== "GET" || !operation?.startsWith("list")) return undefined;
  const params = new URLSearchParams(query);
  const { limit, cursor, from, to }: Record<string, string | undefined> = Object.fromEntries(params);
  const filters = [...new Set(params.keys())]
    .filter((name) => name !== "limit" && name !== "cursor")
    .map((name) => [name, valuesOf(name, params.getAll(name))] as const)
    .sort();
  return {
    list: JSON.stringify([path, ...filters]),
    filters: JSON.stringify([path, ...filters.filter(([name]) => !isPeriodEnd(name))]),
    limit: Number(limit ?? defaultLimit),
    cursor,
    from: instantOf(from),
    to: instantOf(to),
    next: nextOf(request),
  };
}

/** The last field of a page, found without parsing its rows. */
const nextCursor = /"next_cursor":(null|"[^"]+")\}$/;
/** Longer than every cursor. */
const searchedEnd = 500;

function nextOf({ exchange, messages }: ObservedRequest): string | null | undefined {
  if (exchange.status !== 200) return undefined;
  const found = nextCursor.exec(messages.responseBody?.slice(-searchedEnd) ?? "")?.[1];
  // Parsing makes a copy; a slice would keep the whole page in memory.
  return found === undefined ? undefined : JSON.parse(found);
}

/** Multiple values may be repeated or comma-separated, in any order. */
function valuesOf(name: string, values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => value.split(","))
    .map((value) => {
      if (isPeriodEnd(name)) return String(instantOf(value) ?? value);
      return name.endsWith("_amount") ? String(Number(value)) : value.toLowerCase();
    })
    .sort();
}

/** Whether a filter is the start or end of a period. */
export function isPeriodEnd(name: string): boolean {
  return /^(from|to)$/.test(name);
}

function instantOf(value: string | undefined): number | undefined {
  const ms = Date.parse(value ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
