import type { Seen } from "./seen.ts";

/** The rows of a page when the request has no `limit`. */
export const usualLimit = 50;

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

/** Undefined where the request is of no list. Read once for all rules. */
export function listAsked(request: Seen): ListAsked | undefined {
  if (request.list === undefined) request.list = readList(request) ?? null;
  return request.list ?? undefined;
}

function readList(request: Seen): ListAsked | undefined {
  const { method, operation, path, query } = request.exchange;
  if (method !== "GET" || !operation?.startsWith("list")) return undefined;
  const params = new URLSearchParams(query);
  const { limit, cursor, from, to }: Record<string, string | undefined> = Object.fromEntries(params);
  const filters = [...new Set(params.keys())]
    .filter((name) => !beside.has(name))
    .map((name) => [name, valuesOf(name, params.getAll(name))] as const)
    .sort();
  return {
    list: JSON.stringify([path, ...filters]),
    filters: JSON.stringify([path, ...filters.filter(([name]) => !isEnd(name))]),
    limit: Number(limit ?? usualLimit),
    cursor,
    from: instantOf(from),
    to: instantOf(to),
    next: nextOf(request),
  };
}

/** A page's last field, found without reading the rows before it; no cursor is as long as what is looked at. */
const nextCursor = /"next_cursor":(null|"[^"]+")\}$/;
const longestEnd = 500;

function nextOf({ exchange, messages }: Seen): string | null | undefined {
  if (exchange.status !== 200) return undefined;
  const found = nextCursor.exec(messages.responseBody?.slice(-longestEnd) ?? "")?.[1];
  // Parsed, it is a text of its own, and keeps no page in memory.
  return found === undefined ? undefined : JSON.parse(found);
}

/** What makes no other list. */
const beside: ReadonlySet<string> = new Set(["limit", "cursor"]);

/** Several values are repeated or parted by commas, in any order. */
function valuesOf(name: string, values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => value.split(","))
    .map((value) => {
      if (isEnd(name)) return String(instantOf(value) ?? value);
      return name.endsWith("_amount") ? String(Number(value)) : value.toLowerCase();
    })
    .sort();
}

/** Whether a filter is an end of the period. */
function isEnd(name: string): boolean {
  return /^(from|to)$/.test(name);
}

function instantOf(value: string | undefined): number | undefined {
  const ms = Date.parse(value ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
