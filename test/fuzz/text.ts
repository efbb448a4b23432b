import fc from "fast-check";

/** Header values that `fetch` accepts: one byte per character, without line breaks. */
const headerText = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
      fc.integer({ min: 0x80, max: 0xff }),
    ),
    {
      maxLength: 24,
    },
  )
  .map((codes) => String.fromCharCode(...codes));

export const oddHeader = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "null",
    "0",
    "-1",
    "\t",
    ",",
    ";",
    '"',
    "Bearer",
    "Bearer ",
    "bearer x y",
    "Basic eDp5",
  ),
  fc.constantFrom(
    "00000000-0000-0000-0000-000000000000",
    '"7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30"',
    "__proto__",
  ),
  fc.constantFrom(
    "code=503",
    "code=999",
    "code=",
    "example=quota-reached",
    'example="x',
    "respond-async, wait=1",
  ),
  fc.constantFrom(
    "text/plain",
    "application/json; charset=utf-16",
    "application/JSON",
    "multipart/form-data",
    "*/*",
  ),
  fc.constantFrom(
    "quota-reached",
    "issuer-recovers",
    "no-such",
    "quota-ful",
    "gzip",
    "identity",
    "1e9",
    "9".repeat(30),
  ),
  fc.constantFrom("x".repeat(8000), "a,".repeat(2000), "é".repeat(50)),
  headerText,
);

/** Headers that proxies or the sandbox read. */
export const headerName = fc.constantFrom(
  ..."Authorization Content-Type Idempotency-Key X-On-Behalf-Of Prefer Sandbox-Scenario Sandbox-Test".split(
    " ",
  ),
  ..."Content-Encoding Accept Accept-Encoding Origin Referer Cookie User-Agent Range If-None-Match".split(
    " ",
  ),
  ..."X-HTTP-Method-Override X-Forwarded-Host Forwarded webhook-signature Last-Event-ID Sec-Fetch-Site X-Any".split(
    " ",
  ),
);

/** Segments instead of an id. */
export const oddSegment = fc.oneof(
  fc.constantFrom(
    "",
    ".",
    "..",
    "%00",
    "%2F",
    "%2f..%2f",
    "%zz",
    "%",
    "%C3%28",
    "%ED%A0%80",
    "%F0%9F%92%B3",
    "%25",
  ),
  fc.constantFrom(
    "0",
    "-1",
    "1e400",
    "null",
    "undefined",
    "__proto__",
    "constructor",
    "%5c",
    "%0d%0aX:1",
    ":id",
    "*",
  ),
  fc.constantFrom(
    "00000000-0000-0000-0000-000000000000",
    "7F9C24E8-3B12-4C6E-9D7A-1F5E8B2A6C30",
    "x".repeat(5000),
  ),
  fc.constantFrom(
    "sk_live_northwind_owner",
    "a;b=c",
    "a,b",
    "a+b",
    "é",
    "\u{1f4b3}",
    "%",
    "'",
    '"',
    "<b>",
    "{id}",
  ),
  fc.string({ unit: "binary-ascii", maxLength: 12 }).map((text) => encodeURIComponent(text)),
  fc.webSegment(),
);

/** Odd queries, without the question mark. */
export const oddQuery = fc.oneof(
  fc.constantFrom(
    "",
    "&",
    "&&&",
    "=",
    "==",
    "a",
    "a=",
    "=a",
    "?",
    "??",
    "%",
    "%zz=%zz",
    "%00=%00",
    "+=+",
    "a=%ED%A0%80",
  ),
  fc.constantFrom(
    "__proto__=1",
    "constructor=1",
    "limit=10&limit=20",
    "limit[]=1",
    "limit=1;cursor=2",
    "cursor=%FF",
  ),
  fc.constantFrom(
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1e1",
    "limit=+1",
    "limit=٤",
    "limit=1.0",
    "limit=",
  ),
  fc.constantFrom(
    "a=1&".repeat(2000),
    `cursor=${"A".repeat(7000)}`,
    "tokens=1,2,3,,",
    `tokens=${"1,".repeat(200)}`,
  ),
  fc.webQueryParameters(),
  fc.string({ unit: "binary-ascii", maxLength: 30 }).map((text) => text.replaceAll("#", "%23")),
);
