import { pathTo } from "../paths.ts";

/** The parts of a search. The names are those of the filters of `GET /_sandbox/requests`, and `key` and `text`. */
export interface SearchParts {
  readonly status?: string | number | undefined;
  readonly company?: string | undefined;
  readonly point?: string | undefined;
  readonly operation?: string | undefined;
  readonly scenario?: string | undefined;
  readonly key?: string | undefined;
  readonly idempotency_key?: string | undefined;
  readonly text?: string | undefined;
}

/** The search of requests that have all these parts, such as `status:4xx company:northwind "some text"`. */
export function searchFor({ idempotency_key, key = idempotency_key, text, ...fields }: SearchParts): string {
  const parts = Object.entries({ ...fields, key });
  const terms = parts.flatMap(([name, value]) =>
    value === undefined ? [] : `${name}:${quotedIfNeeded(value)}`,
  );
  return [...terms, ...(text === undefined ? [] : [inQuotes(text)])].join(" ");
}

/** The path of the Requests page with a search. */
export function pathToRequests(parts: SearchParts): string {
  return pathTo("/requests", { q: searchFor(parts) });
}

function quotedIfNeeded(value: string | number): string {
  return /^[^\s"]+$/.test(String(value)) ? String(value) : inQuotes(String(value));
}

function inQuotes(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
