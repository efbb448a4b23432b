import { expect, test } from "vitest";
import { startCommandLine } from "../support/command-line.ts";
import { body, chunked, exchangeRaw, head, sendMangled } from "./raw.ts";

const requests: readonly (readonly [name: string, bytes: string | Uint8Array, answer: RegExp])[] = [
  ["no line at all", "\r\n\r\n", /^$/],
  ["zero bytes", Buffer.alloc(5000), /^HTTP\/1\.1 400 /],
  ["TLS", Buffer.from("16030100c8010000c403", "hex"), /^HTTP\/1\.1 400 /],
  ["HTTP/2 without an upgrade", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1\.1 400 /],
  ["HTTP/0.9", "GET /\r\n", /^HTTP\/1\.1 400 /],
  ["HTTP/1.0", "GET /a HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 404 /],
  ["HTTP/9.9", `GET /a HTTP/9.9\r\n${head}\r\n`, /^HTTP\/1\.1 400 /],
  ["no Host", "GET /a HTTP/1.1\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 400 /],
  ["two Hosts", `GET /a HTTP/1.1\r\nHost: b\r\n${head}\r\n`, /^HTTP\/1\.1 400 |^HTTP\/1\.1 404 /],
  ["a lower-case method", `get / HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 400 /],
  ["CONNECT", `CONNECT a:443 HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 400 /],
  ["TRACE", `TRACE /developer/cards HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 40[15] /],
  ["an asterisk", `OPTIONS * HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 40[04] /],
  ["an absolute form", `GET http://elsewhere/developer/cards HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 401 /],
  ["an absolute form of another scheme", `GET ftp://a/b HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 40[04] /],
  ["no path", `GET ?a HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 40[04] /],
  ["bare line feeds", "GET /a HTTP/1.1\nHost: a\nConnection: close\n\n", /^HTTP\/1\.1 40[04] /],
  ["a folded header", `GET /a HTTP/1.1\r\nX: a\r\n b\r\n${head}\r\n`, /^HTTP\/1\.1 40[04] /],
  ["a space before the colon", `GET /a HTTP/1.1\r\nX : a\r\n${head}\r\n`, /^HTTP\/1\.1 400 /],
  ["a header without a name", `GET /a HTTP/1.1\r\n: a\r\n${head}\r\n`, /^HTTP\/1\.1 400 /],
  ["NUL in a header", `GET /a HTTP/1.1\r\nX: a\0b\r\n${head}\r\n`, /^HTTP\/1\.1 400 /],
  [
    "a header beyond ASCII",
    Buffer.from(`GET /a HTTP/1.1\r\nX: \xff\xfe\r\n${head}\r\n`, "latin1"),
    /^HTTP\/1\.1 404 /,
  ],
  [
    "a path beyond ASCII",
    Buffer.from(`GET /\xff\xfe HTTP/1.1\r\n${head}\r\n`, "latin1"),
    /^HTTP\/1\.1 40[04] /,
  ],
  ["a malformed escape", `GET /developer/cards/%zz%00%2F HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 401 /],
  ["300 headers", `GET /a HTTP/1.1\r\n${head}${"X: 1\r\n".repeat(300)}\r\n`, /^HTTP\/1\.1 404 /],
  ["9000 headers", `GET /a HTTP/1.1\r\n${head}${"X: 1\r\n".repeat(9000)}\r\n`, /^HTTP\/1\.1 431 /],
  ["a target that is too large", `GET /${"x".repeat(20_000)} HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 431 /],
  ["a length and chunks", `${chunked}Content-Length: 3\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ["chunked twice", `${chunked}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ["chunks with an invalid size", `${chunked}\r\nzz\r\nabc\r\n0\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ["chunks with a size that is too large", `${chunked}\r\nffffffffffffffff\r\nabc\r\n`, /^HTTP\/1\.1 400 /],
  ["chunks with a negative size", `${chunked}\r\n-1\r\nabc\r\n`, /^HTTP\/1\.1 400 /],
  ["chunks shorter than their size", `${chunked}\r\n9\r\nabc\r\n0\r\n\r\n`, /^$|^HTTP\/1\.1 400 /],
  [
    "chunks with extensions that are too large",
    `${chunked}\r\n1;${"x".repeat(20_000)}\r\na\r\n0\r\n\r\n`,
    /^HTTP\/1\.1 41?[03]/,
  ],
  ["trailers", `${chunked}\r\n28\r\n${body}\r\n0\r\nX-Trailer: a\r\n\r\n`, /^HTTP\/1\.1 200 /],
  [
    "another transfer coding",
    `POST / HTTP/1.1\r\n${head}Transfer-Encoding: gzip\r\n\r\n`,
    /^HTTP\/1\.1 40[04] /,
  ],
  ["a length that is no number", `POST / HTTP/1.1\r\n${head}Content-Length: x\r\n\r\n`, /^HTTP\/1\.1 400 /],
  ["a negative length", `POST / HTTP/1.1\r\n${head}Content-Length: -1\r\n\r\n`, /^HTTP\/1\.1 400 /],
  [
    "a length that is too large",
    `POST / HTTP/1.1\r\n${head}Content-Length: ${"9".repeat(40)}\r\n\r\n`,
    /^HTTP\/1\.1 400 /,
  ],
  [
    "a body shorter than its length",
    `POST / HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\nabc`,
    /^$|^HTTP\/1\.1 40[04] /,
  ],
  [
    "Expect: 100-continue",
    `POST /auth/v1/sandbox/token HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 40\r\n\r\n${body}`,
    /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
  ],
  ["Expect: something else", `GET /a HTTP/1.1\r\n${head}Expect: rain\r\n\r\n`, /^HTTP\/1\.1 417 /],
  [
    "an upgrade to WebSocket",
    "GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    /^HTTP\/1\.1 404 /,
  ],
  [
    "an upgrade to HTTP/2",
    "GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
    /^HTTP\/1\.1 404 /,
  ],
  [
    "a GET with a body",
    `GET /developer/cards HTTP/1.1\r\n${head}Content-Length: 3\r\n\r\nabc`,
    /^HTTP\/1\.1 401 /,
  ],
  [
    "1 MiB of body",
    `POST /auth/v1/sandbox/token HTTP/1.1\r\n${head}Content-Length: ${1 << 20}\r\n\r\n${"x".repeat(1 << 20)}`,
    /^HTTP\/1\.1 400 /,
  ],
];

test("invalid HTTP gets a 4xx status code, or no response", async () => {
  const { url, output, order } = await startCommandLine(["--log", "json"]);
  const other: unknown[] = [];
  for (const [name, bytes, answer] of requests) {
    const received = await exchangeRaw(url, bytes);
    if (!answer.test(received)) other.push([name, received.slice(0, 400)]);
  }
  expect(other).toEqual([]);
  expect((await order("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30")).status).toBe(201);
  expect(output.stderr).toBe("");
  expect(output.stdout).not.toContain('"defect"');
});

test("corrupted requests get a status code below 500, or no response", async () => {
  await sendMangled({ requests: 150, seed: Number(process.env.FUZZ_SEED ?? 1) });
});
