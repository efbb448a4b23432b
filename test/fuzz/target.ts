import fc from "fast-check";
import { shellQuoted } from "../../src/journal/formats/escape.ts";
import { type Encoded, encoded } from "./bodies.ts";
import { headerName, oddHeader, oddQuery, oddSegment } from "./text.ts";

/** A request; nothing in it has to make sense. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** A request for `fetch`, which refuses the bodies of GET and HEAD. */
export function requestOf(base: string, { method, target, headers, body }: FuzzRequest): Request {
  const bodiless = method === "GET" || method === "HEAD" || body === undefined;
  const sent = new Headers();
  for (const [name, value] of headers) sent.append(name, value);
  return new Request(base + target, { method, headers: sent, ...(!bodiless && { body }) });
}

/** The command that sends the request to a sandbox that was just started. */
function command({ method, target, headers, body }: FuzzRequest): string {
  const lines = [
    `curl -si --path-as-is ${method === "HEAD" ? "-I" : `-X ${shellQuoted(method)}`} ${shellQuoted(`http://127.0.0.1:4242${target}`)}`,
    ...headers.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
  ];
  if (body === undefined) return lines.join(" \\\n  ");
  const bytes = Buffer.from(body).toString("base64");
  return `echo ${bytes} | base64 -d | ${[...lines, "--data-binary @-"].join(" \\\n  ")}`;
}

type Named<Value> = readonly (readonly [name: string, value: fc.Arbitrary<Value>])[];

/** An endpoint, and its valid requests; most requests differ from them in one part. */
export interface Target {
  /** Its name in failures. */
  readonly id: string;
  readonly method: string;
  /** Such as `/developer/cards/{id}`. */
  readonly path: string;
  /** Valid ids for its path. */
  readonly ids: readonly string[];
  readonly query: Named<string>;
  /** Valid headers; undefined leaves one out. */
  readonly headers: Named<string | undefined>;
  /** Valid and invalid bodies; undefined if the endpoint takes none. */
  readonly bodies: fc.Arbitrary<string> | undefined;
}

const often = <Value>(usual: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>, weight = 9) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

const methods = fc.constantFrom(
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "QUERY",
  "__proto__",
);

export function requestsTo(target: Target): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      method: often(fc.constant(target.method), methods, 30),
      path: pathOf(target),
      query: queryOf(target),
      headers: headersOf(target),
      body: bodyOf(target),
    })
    .map(({ method, path, query, headers, body }) => {
      const sent = {
        method,
        target: path + query,
        headers: body ? relabelled(headers, body) : headers,
        body: body?.bytes,
      };
      // Failures show the command.
      return Object.defineProperty(sent, fc.toStringMethod, { value: () => command(sent) });
    });
}

function pathOf({ path, ids }: Target): fc.Arbitrary<string> {
  const segments = path
    .slice(1)
    .split("/")
    .map((segment) => {
      if (segment.startsWith("{")) return often(fc.constantFrom(...ids), oddSegment, 6);
      const escaped = segment.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`);
      return often(fc.constant(segment), fc.oneof(oddSegment, fc.constant(escaped)), 60);
    });
  const endings = fc.constantFrom("/", "//", "/.", "/..", ";a=b", "%2F", "%00", "/x");
  return fc.tuple(...segments, often(fc.constant(""), endings, 40)).map((parts) => {
    const ending = parts.pop();
    return `/${parts.join("/")}${ending}`;
  });
}

function queryOf({ query }: Target): fc.Arbitrary<string> {
  const parameters = query.map(([name, value]) =>
    fc.option(
      value.map((text): [string, string] => [name, text]),
      { freq: 1 },
    ),
  );
  const usual = fc.tuple(...parameters).map((list) => {
    const given = list.filter((each): each is [string, string] => each !== null);
    return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  });
  return often(
    usual,
    oddQuery.map((text) => `?${text}`),
  );
}

type Headers = FuzzRequest["headers"];

const headerEdit = fc.record({
  how: fc.constantFrom("drop" as const, "replace" as const, "double" as const, "add" as const),
  at: fc.nat(10),
  name: headerName,
  value: oddHeader,
});
type HeaderEdit = typeof headerEdit extends fc.Arbitrary<infer Value> ? Value : never;

function headersOf({ headers }: Target): fc.Arbitrary<Headers> {
  const right = fc
    .tuple(...headers.map(([name, value]) => value.map((text) => [name, text] as const)))
    .map((list) => list.filter((each): each is readonly [string, string] => each[1] !== undefined));
  const edits = fc.array(headerEdit, { minLength: 1, maxLength: 2 });
  return often<Headers>(
    right,
    fc.tuple(right, edits).map(([list, each]) => each.reduce(withEdit, list as Headers)),
    3,
  );
}

function withEdit(list: Headers, { how, at, name, value }: HeaderEdit): Headers {
  if (how === "add" || list.length === 0) return list.concat([[name, value]]);
  const hit = at % list.length;
  return list.flatMap((each, i) => {
    if (i !== hit) return [each];
    const other = [each[0], value] as const;
    return how === "drop" ? [] : how === "double" ? [each, other] : [other];
  });
}

const strays = encoded(fc.constantFrom("{}", "null", '{"api_key":"x"}', "x".repeat(70_000)));

function bodyOf({ bodies }: Target): fc.Arbitrary<Encoded | undefined> {
  if (!bodies) return often(fc.constant(undefined), strays, 20);
  return often(encoded(bodies), fc.constant(undefined), 40);
}

/** Makes the headers that describe the body match it. */
function relabelled(
  headers: FuzzRequest["headers"],
  { contentType, contentEncoding }: Encoded,
): FuzzRequest["headers"] {
  const named = headers.map(
    ([name, value]) => [name, name === "Content-Type" ? (contentType ?? value) : value] as const,
  );
  return contentEncoding === undefined ? named : [...named, ["Content-Encoding", contentEncoding]];
}
