import { defaultContract } from "../../contract/dialect.ts";
import { defaultLimit } from "../../contract/list.ts";
import { nextIn } from "../../contract/list-page.ts";
import { type OperationId, operationIds, operations } from "../../contract/operations.ts";
import type { Exchange, Messages } from "../exchange.ts";
import type { ObservedRequest } from "./request.ts";

export const listOperations: readonly OperationId[] = operationIds.filter(
  (id) => id.startsWith("list") && operations[id].method === "GET",
);

/** A request that reads a page of a list. */
export interface ListRequest {
  /** The path and the filters; two requests for the same list have the same text. */
  readonly list: string;
  readonly limit: number;
  /** Whether the limit is the default or more. */
  readonly isOfDefaultLimit: boolean;
  /** Whether it asks for the first page. */
  readonly isFirst: boolean;
  /** Undefined if it has none, or if lists have another paging. */
  readonly cursor: string | undefined;
  /** In milliseconds since the epoch; undefined if the list has no such limit. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The path and the filters without `from` and `to`. */
  readonly filters: string;
  /** The cursor or the position of the next page: null at the list's end, undefined if no page was delivered. */
  readonly next: string | null | undefined;
}

export function readListRequest(request: ObservedRequest): ListRequest | undefined {
  const { method, operation, path, query, contract } = request.exchange;
  if (method !== "GET" || !operation?.startsWith("list")) return undefined;
  const params = new URLSearchParams(query);
  const { from, to }: Record<string, string | undefined> = Object.fromEntries(params);
  const paging = contract.choices["lists.paging"];
  const least = defaultLimit(contract);
  const limit = Number(params.get(paging === "page" ? "per_page" : "limit") ?? least);
  const position = params.get(paging);
  const filters = [...new Set(params.keys())]
    .filter((name) => name !== "limit" && name !== "per_page" && name !== paging)
    .map((name) => [name, valuesOf(name, params.getAll(name))] as const)
    .sort();
  return {
    list: JSON.stringify([path, ...filters]),
    filters: JSON.stringify([path, ...filters.filter(([name]) => !isPeriodEnd(name))]),
    limit,
    isOfDefaultLimit: limit >= least,
    isFirst: position === null || Number(position) === firstOf[paging],
    cursor: paging === "cursor" ? (position ?? undefined) : undefined,
    from: instantOf(from),
    to: instantOf(to),
    next: nextOf(request),
  };
}

/** The positions of the first page. A cursor never is one. */
const firstOf = { cursor: Number.NaN, offset: 0, page: 1 };

/** The last field of a page without a dialect, found without parsing its rows. */
const nextCursor = /"next_cursor":(null|"[^"]+")\}$/;
/** Longer than every cursor. */
const searchedEnd = 500;

function nextOf({ exchange, messages }: ObservedRequest): string | null | undefined {
  if (exchange.status !== 200) return undefined;
  if (exchange.contract !== defaultContract) return nextUnderDialect(exchange, messages);
  const found = nextCursor.exec(messages.responseBody?.slice(-searchedEnd) ?? "")?.[1];
  // Parsing makes a copy; a slice would keep the whole page in memory.
  return found === undefined ? undefined : JSON.parse(found);
}

function nextUnderDialect(
  { contract, responseHeaders }: Exchange,
  { responseBody = "" }: Messages,
): string | null | undefined {
  const { Link } = responseHeaders;
  try {
    return nextIn(contract, JSON.parse(responseBody), Link);
  } catch {
    // The page was delivered in part.
    return undefined;
  }
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
