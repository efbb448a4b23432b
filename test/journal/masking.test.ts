import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  maskBody,
  maskHeaders,
  maskPath,
  maskQuery,
  maskRequestBody,
  shownBodyLength,
} from "../../src/journal/masking.ts";

const note = "(not shown: a body that is not valid JSON can contain a secret)";
const token = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE";

describe("a body", () => {
  test.each([
    ["a PIN", '{"pin": "4821"}', '{"pin": "…"}'],
    ["a PIN that is a number", '{"pin":4821}', '{"pin":"…"}'],
    ["a PIN that is null", '{"pin" : null }', '{"pin" : "…" }'],
    ["a PIN with quotation marks in it", '{"pin":"48\\"21","a":1}', '{"pin":"…","a":1}'],
    ["a PIN in a list", '{"pin":[4,8,2,1]}', '{"pin":"…"}'],
    ["a PIN in an object", '{"pin":{"is":"4821"},"a":1}', '{"pin":"…","a":1}'],
    ["a field twice", '{"pin":"4821","pin":"1284"}', '{"pin":"…","pin":"…"}'],
    [
      "any letter case",
      '{"Pin":"4821","API_KEY":"x","Secret":"y"}',
      '{"Pin":"…","API_KEY":"…","Secret":"…"}',
    ],
    ["an access token", '{"access_token":"short"}', '{"access_token":"…"}'],
    ["other names of secret fields", '{"apiKey":"x","accessToken":"y"}', '{"apiKey":"…","accessToken":"…"}'],
    ["a nested field", '{"order":[{"pin":"4821"}]}', '{"order":[{"pin":"…"}]}'],
    ["an escaped field name", '{"\\u0070in":"4821","a":1}', '{"pin":"…","a":1}'],
    ["JSON within JSON", '"{\\"pin\\":\\"4821\\"}"', '"{\\"pin\\":\\"…\\"}"'],
    ["an escaped name in JSON within JSON", '"{\\"\\\\u0070in\\":\\"4821\\"}"', '"{\\"pin\\":\\"…\\"}"'],
    ["a key in any field", '{"name":"sk_live_abc","a":1}', '{"name":"sk_live_…","a":1}'],
    ["an escaped key", '{"name":"\\u0073k_live_abc"}', '{"name":"sk_live_…"}'],
    ["a token in any field", `{"name":"${token}"}`, '{"name":"…"}'],
    ["a truncated body", '{"pin": "4821",', '{"pin": "…",'],
    ["a truncated string", '{"pin": "4821', '{"pin": "…"'],
    ["no quotation marks", "{pin: 4821, a: 1}", "{pin: …, a: 1}"],
    ["apostrophes", "{'pin': '4821'}", "{'pin': '…'}"],
    ["no colon", '{"pin" "4821"}', '{"pin" "…"}'],
    ["a form", "a=1&pin=4821&api_key=x", "a=1&pin=…&api_key=…"],
    ["a multipart form", 'name="pin"\r\n\r\n4821\r\n--', 'name="pin"\r\n\r\n…\r\n--'],
    ["XML", "<pin>4821</pin>", "<pin>…</pin>"],
    [
      "a PIN by a longer name",
      '{"pin_code":"4821","newPin":"4821","PINs":["4821"],"Pin Code":4821}',
      '{"pin_code":"…","newPin":"…","PINs":"…","Pin Code":"…"}',
    ],
    ["a password", '{"userPassword":"x","passcode":7}', '{"userPassword":"…","passcode":"…"}'],
    [
      "a token with a prefixed name",
      '{"refresh_token":"x","adminToken":"y"}',
      '{"refresh_token":"…","adminToken":"…"}',
    ],
    ["four digits in an unknown field", '{"pni":"4821","p1n":4821}', '{"pni":"…","p1n":"…"}'],
    ["four digits in a list in an unknown field", '{"digits":[ "4821" ]}', '{"digits":[ "…" ]}'],
    ["four digits in a form", "pni=4821&amount=1000", "pni=…&amount=1000"],
    ["four digits later in a list", '{"codes":["a", "4821"]}', '{"codes":["a","…"]}'],
    ["a number of four digits later in a list", '{"codes":[1,4821]}', '{"codes":[1,"…"]}'],
    ["four digits as a list of digits", '{"code": ["4", "8", "2", "1"]}', '{"code":"…"}'],
    ["four digits in a text", '{"note":"my code: 4821."}', '{"note":"my code: …."}'],
    [
      "four digits in a URL's path",
      '{"url":"http://localhost:4242/4821"}',
      '{"url":"http://localhost:4242/…"}',
    ],
    ["four digits as an account", '{"account_id":"4821"}', '{"account_id":"…"}'],
    ["a password in a URL", '{"url":"https://me:hunter2@a.test/"}', '{"url":"https://me:…@a.test/"}'],
    ["a broken list", '{"pin":[4,8', note],
    ["a broken body with an escape", '{"\\u0070in":"4821"', note],
    ["a comment before the value", '{"pin": /* mine */ "4821"}', note],
    ["a superfluous quotation mark", '{"pin":"48"21"}', note],
    ["JSON that is nested too deeply", `${"[".repeat(60_000)}{"pin":[`, note],
  ])("is masked: %s", (_, sent, shown) => expect(maskBody(sent)).toBe(shown));

  test.each([
    ["numbers as they were written", '{"amount": 10.000, "b": 1e2,\n "c": 12345678901234567890}'],
    ["escapes", '{"line1":"1 \\"Long\\" Lane","city":"\\u00c5rhus"}'],
    ["words that contain the names", '{"name":"Shipping, spinning","line1":"The Pin","task_id":"b"}'],
    ["ids", '{"account_id":"1d541080-dfcd-4ea6-937b-cc4bd3db87af","token":"123456789"}'],
    [
      "four digits in fields that may have them",
      '{"post_code":"2100","last_four":"4821","mcc":"5812","amount":1000,"name":"2026"}',
    ],
    [
      "four digits in longer texts",
      '{"ids":"48210","at":"2026-03-10","version":"1.4821","url":"http://localhost:4242/a"}',
    ],
    ["card tokens", '{"tokens":["123456789"],"token":"123456789"}'],
    ["text that is not JSON", "hello"],
    ["an empty body", ""],
  ])("is not changed: %s", (_, sent) => expect(maskBody(sent)).toBe(sent));

  test("is truncated if it is long, with a note of its length", () => {
    const shown = maskBody(`{"pin":"4821","name":"${"long ".repeat(10_000)}"}`);
    expect(shown).toHaveLength(shownBodyLength + "… (truncated, 50024 characters in total)".length);
    expect(shown.slice(0, 12)).toBe('{"pin":"…","');
    expect(shown).toMatch(/… \(truncated, 50024 characters in total\)$/);
  });

  test("of the maximum size is masked in linear time", () => {
    const made = [
      'pin"',
      "pin:",
      '"pin":"',
      'pin\\"',
      "pin:{",
      "\\",
      "_",
      "sk_",
      "a=",
      '{"pin":\\\\\\"x',
      "4821 ",
      "a=4821 ",
      "://a:@",
      "[",
      "pin ",
    ];
    const bodies = made.flatMap((part) => [part.repeat(65_000 / part.length), part + " ".repeat(65_000)]);
    const startedAt = performance.now();
    for (const body of bodies) maskBody(body);
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

describe("a request's body that is not a JSON object", () => {
  test.each([
    ["an array", '[{"pin":"4821"}]', "application/json"],
    ["a string", '"4821"', "application/json"],
    ["XML", "<a>4821</a>", "application/xml"],
    ["CSV", "a,b\n1,4821", "text/csv"],
    ["base64", "NDgyMQ==", "text/plain"],
    ["truncated JSON", '{"a": "b"', "application/json"],
    ["no digits at all", "hello", "text/plain"],
  ])("is replaced by a note of its length and type: %s", (_, sent, type) => {
    expect(maskRequestBody(sent, type)).toBe(
      `(not shown: ${sent.length} characters of ${type}; a body that is not a JSON object can contain a PIN)`,
    );
  });

  test("is shown if it is empty, and notes a missing content type", () => {
    expect(maskRequestBody("", "text/plain")).toBe("");
    expect(maskRequestBody(" \n", null)).toBe(" \n");
    expect(maskRequestBody("4821", null)).toMatch(/^\(not shown: 4 characters without a content type; /);
    expect(maskRequestBody("a", "text/4821")).toContain("of text/…;");
  });

  test("is replaced as a whole; in an object, each secret field is masked", () => {
    expect(maskRequestBody('{"a":1,"pin":"4821"}', "text/plain")).toBe('{"a":1,"pin":"…"}');
  });
});

describe("a path", () => {
  test.each([
    ["/cards/1/pin/4821", "/cards/1/pin/…"],
    ["/cards/1/newPin/4821/check", "/cards/1/newPin/…/check"],
    ["/cards/1/pin_code/4821", "/cards/1/pin_code/…"],
    ["/cards/7032", "/cards/…"],
    ["/cards/pin-7032.json", "/cards/pin-….json"],
    ["/cards/a,7032;x7032", "/cards/a,…;x…"],
    [`/cards/${token}/sk_live_abc`, "/cards/…/sk_live_…"],
  ])("is masked: %s", (path, shown) => expect(maskPath(path)).toBe(shown));

  test.each([
    "/pin/48210",
    "/cards/1d541080-1234-4ea6-9372-cc4bd3db87af/freeze",
    "/2026-03-10/1.4821",
    "/auth/v1/token",
  ])("is not changed: %s", (path) => expect(maskPath(path)).toBe(path));
});

describe("a header", () => {
  test.each([
    ["Authorization", `Bearer ${token}`, "Bearer …"],
    ["Authorization", "bearer short", "bearer …"],
    ["Authorization", "Bearer", "Bearer"],
    ["Authorization", "Bearer sk_sandbox_northwind_owner", "Bearer sk_sandbox_…"],
    ["Authorization", "sk_live_northwind_owner", "sk_live_…"],
    ["Authorization", "Basic b2xpdmlhOjQ4MjE=", "Basic …"],
    ["Authorization", "hunter two", "…"],
    ["Proxy-Authorization", "Basic b2xpdmlhOjQ4MjE=", "Basic …"],
    ["Cookie", "session=1", "…"],
    ["X-Api-Key", "4821", "…"],
    ["X-API-Key", "sk_live_abc", "sk_live_…"],
    ["Api-Token", "short", "…"],
    ["X-PIN", "4821", "…"],
    ["X-Pin-Code", "4821", "…"],
    ["X-PinCode", "4821", "…"],
    ["Referer", "http://a.test/?pin=4821&a=1", "http://a.test/?pin=…&a=1"],
    ["X-Code", "4821", "…"],
    ["X-Code", "a4821, 4821", "a…, …"],
    ["X-4821", "a", "a", "x-…"],
    ["Idempotency-Key", "4821", "…"],
    ["Content-Length", "4821", "4821"],
    ["Date", "Tue, 10 Mar 2026 09:30:00 GMT", "Tue, 10 Mar 2026 09:30:00 GMT"],
    ["Referer", "http://localhost:3000/a", "http://localhost:3000/a"],
    ["X-Request-Id", "4bf92f3577b34da6a3ce929d0e0e4736", "4bf92f3577b34da6a3ce929d0e0e4736"],
    ["User-Agent", "me/sk_live_abc", "me/sk_live_…"],
    ["Idempotency-Key", "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30", "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30"],
    ["X-On-Behalf-Of", "1d541080-dfcd-4ea6-937b-cc4bd3db87af", "1d541080-dfcd-4ea6-937b-cc4bd3db87af"],
    [
      "Sandbox-Contract-Point",
      "auth.token_missing; provenance=specified",
      "auth.token_missing; provenance=specified",
    ],
    ["Sandbox-Scenario", "sk_live_abc", "sk_live_…"],
    ["WWW-Authenticate", 'Bearer realm="developer"', 'Bearer realm="developer"'],
    ["Content-Type", "application/json", "application/json"],
  ])("%s: %s is shown as %s", (name, value, shown, shownName = name.toLowerCase()) => {
    expect(maskHeaders(new Headers({ [name]: value }))).toEqual({ [shownName]: shown });
  });
});

test.each([
  ["", ""],
  ["?a=1&b=%20c+d", "?a=1&b=%20c+d"],
  ["?pin=4821&a=1", "?pin=…&a=1"],
  ["?TOKEN=short;a=1", "?TOKEN=…;a=1"],
  [
    "?api_key=x&access_token=y&secret=z&authorization=w",
    "?api_key=…&access_token=…&secret=…&authorization=…",
  ],
  ["?p%69n=4821", "?pin=…"],
  ["?newPin=4821&pinCode=4821", "?newPin=…&pinCode=…"],
  ["?pni=4821", "?pni=…"],
  ["?codes=a,4821&limit=4821", "?codes=a,…&limit=4821"],
  ["?4821&a", "?…&a"],
  ["?tokens=123456789&limit=1000", "?tokens=123456789&limit=1000"],
  ["?a=sk_live_abc&b=1", "?a=sk_live_…&b=1"],
  ["?a=%73k_live_abc%zz", "?a=sk_live_…"],
  [`?a=${token}`, "?a=…"],
  ["?a=%7B%22pin%22%3A%224821%22%7D", '?a={"pin":"…"}'],
  ["?sk_live_abc", "?sk_live_…"],
])("the query %s is shown as %s", (query, shown) => expect(maskQuery(query)).toBe(shown));

describe("a secret is always masked", () => {
  const field = fc.constantFrom("pin", "PIN", "newPin", "pin_code", "api_key", "access_token", "Secret");
  /** A text that does not occur in the rest of a body by chance. */
  const secret = fc.stringMatching(/^[5-9]{4}$/);
  const value = fc.oneof(
    secret.map((text) => ({ text, json: JSON.stringify(text) })),
    secret.map((text) => ({ text, json: text })),
    secret.map((text) => ({ text, json: `"\\"${text}\\\\"` })),
    secret.map((text) => ({ text, json: `[${text}]` })),
    secret.map((text) => ({ text, json: `{"is":["${text}"]}` })),
  );
  const escaped = (name: string, at: number) =>
    [...name].map((c, i) => (i === at ? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}` : c)).join("");
  const name = fc.oneof(
    field,
    fc.tuple(field, fc.nat(2)).map(([of, at]) => escaped(of, at)),
  );
  const member = fc.tuple(
    fc.stringMatching(/^[a-d_ ]{1,8}$/).map((key) => JSON.stringify(key)),
    fc.oneof(
      fc.string({ unit: "binary" }).filter((text) => !/[5-9]/.test(text)),
      fc.constantFrom('"pin": ', "a \\ b", "{", "secret=", "'"),
      fc.integer({ min: 0, max: 4 }),
      fc.constant(null),
    ),
  );
  const body = fc.record({ before: fc.array(member), name, value, after: fc.array(member) });
  const members = (list: readonly (readonly [string, unknown])[]) =>
    list.map(([key, of]) => `${key}:${JSON.stringify(of)}`);
  const textOf = ({ before, name, value, after }: typeof body extends fc.Arbitrary<infer B> ? B : never) =>
    `{${[...members(before), `"${name}": ${value.json}`, ...members(after)].join(",")}}`;

  test("in a JSON body, in any position and notation", () => {
    fc.assert(
      fc.property(body, (sent) => {
        expect(JSON.parse(textOf(sent))).toBeTypeOf("object");
        expect(maskBody(textOf(sent))).not.toContain(sent.value.text);
      }),
      { numRuns: 2000 },
    );
  });

  test("in a body within a JSON string", () => {
    fc.assert(
      fc.property(body, (sent) => {
        expect(maskBody(JSON.stringify(textOf(sent)))).not.toContain(sent.value.text);
      }),
      { numRuns: 2000 },
    );
  });

  test("in a truncated body", () => {
    fc.assert(
      fc.property(body, fc.nat(400), (sent, length) => {
        expect(maskBody(textOf(sent).slice(0, length))).not.toContain(sent.value.text);
      }),
      { numRuns: 2000 },
    );
  });

  test("as an API key or a token in any text", () => {
    const credential = fc.oneof(
      fc.stringMatching(/^sk_(sandbox|live)_[A-Za-z0-9]{12,38}$/),
      fc.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    );
    fc.assert(
      fc.property(fc.string(), credential, fc.string(), (before, credential, after) => {
        const end = credential.slice(-10);
        fc.pre(!`${before} ${after}`.includes(end));
        expect(maskBody(`${before} ${credential} ${after}`)).not.toContain(end);
        expect(maskBody(JSON.stringify({ [before]: `${credential} ${after}` }))).not.toContain(end);
        expect(maskQuery(`?a=${encodeURIComponent(`${before} ${credential}`)}`)).not.toContain(end);
      }),
    );
  });
});
