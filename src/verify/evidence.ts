import { operationIds, operations, shownPath } from "../contract/operations.ts";
import type { ProbeReply } from "./probe.ts";
import type { SentRequest } from "./sender.ts";

/** The names and types of JSON: `{"id": "string"}`, or the type itself; of an array, its distinct elements. */
export type Shape = string | readonly Shape[] | { readonly [name: string]: Shape };

/** A request of a probe, as it is kept: no value of a header, of a parameter or of a body. */
export interface Evidence {
  readonly method: string;
  /** Such as `/developer/cards/{id}?limit`. */
  readonly path: string;
  /** The names of the headers that it sent, in lower case. */
  readonly headers: readonly string[];
  readonly status: number;
  /** The names of the headers of the response, in lower case. */
  readonly response_headers: readonly string[];
  /** Of the body of the response; null: it has none; `"not JSON"`. */
  readonly shape: Shape | null;
}

export function evidenceOf({ method, path, headers }: SentRequest, reply: ProbeReply): Evidence {
  return {
    method,
    path: pathPattern(path),
    headers: Object.keys(headers)
      .map((name) => name.toLowerCase())
      .toSorted(),
    status: reply.status,
    response_headers: [...reply.headers.keys()].filter((name) => isName(name)).toSorted(),
    shape: reply.text === "" ? null : reply.json === undefined ? "not JSON" : shapeOf(reply.json),
  };
}

const patterns: readonly string[] = operationIds.map((id) => shownPath(operations[id]));

/** The path of an operation with the names of its parameters, and the names of the query. */
export function pathPattern(path: string): string {
  const [pathname = "", query = ""] = path.split("?", 2);
  const segments = pathname.split("/");
  const matches = (pattern: string) => {
    const parts = pattern.split("/");
    const isMatch = (part: string, i: number) => part.startsWith("{") || part === segments[i];
    return parts.length === segments.length && parts.every(isMatch);
  };
  const known = patterns.includes(pathname) ? pathname : patterns.find(matches);
  const shown = known ?? segments.map(plain).join("/");
  const names = [...new URLSearchParams(query).keys()].map(plain);
  return names.length === 0 ? shown : `${shown}?${names.join("&")}`;
}

/** A name in lower case; other texts may be ids or secrets. */
function plain(text: string): string {
  return /^(?!sk_)[a-z_-]{0,40}$/.test(text) ? text : "…";
}

const mostMembers = 50;
const deepest = 8;

/** A JSON object whose names are ids or texts has them replaced too. */
export function shapeOf(json: unknown, depth = 0): Shape {
  if (json === null) return "null";
  if (typeof json !== "object") return typeof json;
  if (depth === deepest) return "…";
  if (Array.isArray(json)) {
    const shapes = new Map(
      json.slice(0, mostMembers).map((each) => {
        const shape = shapeOf(each, depth + 1);
        return [JSON.stringify(shape), shape];
      }),
    );
    return [...shapes.values()].slice(0, 5);
  }
  const members = Object.entries(json).slice(0, mostMembers);
  return Object.fromEntries(
    members.map(([name, value]) => [isName(name) ? name : "…", shapeOf(value, depth + 1)]),
  );
}

/** Whether a text looks like the name of a field or a header, and not like an id or a secret. */
function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/.test(text) && !/[0-9]{4}|^sk_/.test(text);
}
