import type { Contract } from "./dialect.ts";
import { defaultLimit } from "./list.ts";

/** The place of a page in its list, as each paging shows it. */
export type PagePosition =
  | { readonly has_more: boolean; readonly next_cursor: string | null }
  | { readonly total_count: number; readonly limit: number; readonly offset: number }
  | {
      readonly current_page: number;
      readonly next_page: number | null;
      readonly total_pages: number;
      readonly total_count: number;
      readonly per_page: number;
    };

/** The facts from which the position of a page is shown. */
interface Place {
  readonly limit: number;
  /** The number of rows before the page. */
  readonly offset: number;
  /** The number of rows in the list. */
  readonly total: number;
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

export function positionOf({ choices }: Contract, { limit, offset, total, next }: Place): PagePosition {
  switch (choices["lists.paging"]) {
    case "cursor":
      return { has_more: next !== null, next_cursor: next };
    case "offset":
      return { total_count: total, limit, offset };
    case "page": {
      const page = Math.floor(offset / limit) + 1;
      const pages = Math.ceil(total / limit);
      return {
        current_page: page,
        next_page: page < pages ? page + 1 : null,
        total_pages: pages,
        total_count: total,
        per_page: limit,
      };
    }
  }
}

/** The query parameter that asks for the next page; undefined on the last one. */
function nextParameter(position: PagePosition): readonly [name: string, value: string] | undefined {
  if ("has_more" in position) {
    return position.next_cursor === null ? undefined : ["cursor", position.next_cursor];
  }
  if ("offset" in position) {
    const next = position.offset + position.limit;
    return next < position.total_count ? ["offset", String(next)] : undefined;
  }
  return position.next_page === null ? undefined : ["page", String(position.next_page)];
}

/**
 * The body of a response that shows a page.
 * @param path - of the operation: its last segment names the rows
 */
export function pageBody(
  { choices }: Contract,
  path: string,
  rows: readonly unknown[],
  position: PagePosition,
): unknown {
  switch (choices["lists.envelope"]) {
    case "data":
      return { data: rows, ...position };
    case "items":
      return { items: rows, pagination: position };
    case "named":
      return { [nameOfRows(path)]: rows, meta: position };
    case "array":
      return rows;
  }
}

/** The name of the objects that a path lists, such as `cards`. */
export function nameOfRows(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The header Link of a page in a bare array (RFC 8288); undefined in other envelopes, and on the last page. */
export function linkTo({ choices }: Contract, url: string, position: PagePosition): string | undefined {
  const next = choices["lists.envelope"] === "array" ? nextParameter(position) : undefined;
  if (!next) return undefined;
  const target = new URL(url);
  target.searchParams.set(...next);
  return `<${target.href}>; rel="next"`;
}

/**
 * Reads the position of the next page from a response.
 * @param link - its header Link
 * @returns the value of its query parameter; null on the last page
 */
export function nextIn({ choices }: Contract, body: unknown, link: string | undefined): string | null {
  if (choices["lists.envelope"] === "array") {
    const url = /^<([^>]+)>/.exec(link ?? "")?.[1];
    return url === undefined ? null : new URL(url).searchParams.get(choices["lists.paging"]);
  }
  const { pagination, meta, ...rest } = body as { pagination?: PagePosition; meta?: PagePosition };
  return nextParameter(pagination ?? meta ?? (rest as PagePosition))?.[1] ?? null;
}

/** A complete list that was recorded without a dialect, as this contract shows it; any other body as it is. */
export function recordedPage(contract: Contract, path: string, body: unknown): unknown {
  const {
    data,
    has_more,
    next_cursor: next,
  } = body as { data?: unknown[]; has_more?: boolean; next_cursor: string | null };
  if (!data || has_more === undefined) return body;
  const rows = contract.choices["lists.order"] === "oldest_first" ? data.toReversed() : data;
  const place = { limit: defaultLimit(contract), offset: 0, total: data.length, next };
  return pageBody(contract, path, rows, positionOf(contract, place));
}
