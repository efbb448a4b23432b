import { Replacing } from "./secrets.ts";
import type { TapedControl, TapedRequest, TapedResponse } from "./tape.ts";

/** The first field of a response that differs from the tape. Secrets are masked. */
export interface Difference {
  /** The id of the request in the journal; null: an operation of the control API. */
  readonly request: number | null;
  /** The method and the path, or the name of the operation. */
  readonly what: string;
  /** `point`, `status`, `fault`, `headers.NAME`, `body.FIELD`, or `response` if one of them has none. */
  readonly field: string;
  /** On the tape. */
  readonly expected: unknown;
  readonly actual: unknown;
  /** The position of an operation of the control API among the events of the tape, from 0. */
  readonly event?: number;
}

const masked = new Replacing(() => "…");

/** The first difference between a response on the tape and the played one. */
export function differenceBetween(
  request: TapedRequest,
  expected: TapedResponse,
  actual: TapedResponse | undefined,
): Difference | undefined {
  const { pathname } = new URL(request.url);
  const subject = { request: expected.id, what: `${request.method} ${pathname}` };
  if (!actual) return { ...subject, field: "response", expected: expected.point, actual: null };
  // The message depends on a body that is not on the tape.
  const isWhole = request.unreadable !== "not JSON";
  const fields = isWhole
    ? (["point", "status", "scenario", "fault", "company", "headers", "body"] as const)
    : (["point", "status"] as const);
  for (const field of fields) {
    const [one, other] = [comparable(expected, field), comparable(actual, field)];
    const path = pathOfDifference(one, other, field);
    if (path)
      return { ...subject, field: path, expected: at(one, path, field), actual: at(other, path, field) };
  }
  return undefined;
}

/** The difference between the results of an operation of the control API. */
export function differenceOfControl(
  { call, result, error }: TapedControl,
  actual: Pick<TapedControl, "result" | "error">,
): Difference | undefined {
  const outcome = (of: { readonly result?: unknown; readonly error?: string | undefined }) =>
    masked.json({ error: of.error ?? null, result: of.result ?? null });
  const expected = outcome({ result, error });
  const played = outcome(actual);
  const path = pathOfDifference(expected, played, "");
  if (path === undefined) return undefined;
  return {
    request: null,
    what: call,
    field: path,
    expected: at(expected, path, ""),
    actual: at(played, path, ""),
  };
}

function comparable(response: TapedResponse, field: keyof TapedResponse): unknown {
  const value = response[field];
  if (field !== "body" || typeof value !== "string") return value;
  const text = masked.response(value, response.status ?? 0);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The path of the first value that differs, such as `body.cards.0.status`; undefined if the values are equal. */
function pathOfDifference(one: unknown, other: unknown, path: string): string | undefined {
  if (Object.is(one, other)) return undefined;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) return path || ".";
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const name of names) {
    const found = pathOfDifference(one[name], other[name], path === "" ? name : `${path}.${name}`);
    if (found) return found;
  }
  return undefined;
}

function at(value: unknown, path: string, root: string): unknown {
  let current = value;
  const names = path.split(".").filter((name) => name !== "");
  for (const name of root === "" ? names : names.slice(1))
    current = isObject(current) ? current[name] : undefined;
  return current ?? null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
