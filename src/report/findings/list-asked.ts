import type { Seen } from "./seen.ts";
import { fieldsOf } from "./sent-body.ts";

const usualLimit = 50;

/** What a request asks of a list, and where the list goes on. */
export interface ListAsked {
  /** The path and the filters, as text that is the same for two that ask for the same. */
  readonly list: string;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** In milliseconds since the epoch; undefined where the list is open at that end. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The path and the filters without `from` and `to`. */
  readonly filters: string;
  /** Null at the list's end, undefined where no page arrived. */
  readonly next: string | null | undefined;
}

/** Undefined where the request is of no list. */
export function listAsked(request: Seen): ListAsked | undefined {
  const { method, operation, path, query } = request.exchange;
  if (method !== "GET" || !operation?.startsWith("list")) return undefined;
  const params = new URLSearchParams(query);
  const filters = [...new Set(params.keys())]
    .filter((name) => !beside.has(name))
    .map((name) => [name, valuesOf(name, params.getAll(name))])
    .sort();
  const isRange = ([name]: readonly unknown[]) => name === "from" || name === "to";
  const next = request.exchange.status === 200 ? fieldsOf(request.answered)?.next_cursor : undefined;
  return {
    list: JSON.stringify([path, ...filters]),
    filters: JSON.stringify([path, ...filters.filter((filter) => !isRange(filter))]),
    limit: Number(params.get("limit") ?? usualLimit),
    cursor: params.get("cursor") ?? undefined,
    from: instantOf(params.get("from")),
    to: instantOf(params.get("to")),
    next: typeof next === "string" || next === null ? next : undefined,
  };
}

/** What makes no other list. */
const beside: ReadonlySet<string> = new Set(["limit", "cursor"]);

/** Several values are repeated or parted by commas, in any order. */
function valuesOf(name: string, values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => value.split(","))
    .map((value) => {
      if (name === "from" || name === "to") return String(instantOf(value) ?? value);
      return name.endsWith("_amount") ? String(Number(value)) : value.toLowerCase();
    })
    .sort();
}

function instantOf(value: string | null): number | undefined {
  const ms = Date.parse(value ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
