import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { JournalListing } from "../../src/journal/journal.ts";
import { cardIn, startCommandLine } from "../support/command-line.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const unreadable = "The request line or the Host header is not valid";

describe("over a real socket", () => {
  /** Sends bytes as they stand, and reads until the server closes. */
  const sendRaw = async (url: string, bytes: string): Promise<string> => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.end(bytes);
    return text(socket);
  };

  test("drains a body over 64 KiB before the response, with Content-Length and chunked", async () => {
    const sandbox = await startCommandLine();
    const token = await sandbox.exchange();
    const head = `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\n`;
    const mebibyte = "x".repeat(1 << 20);
    const chunk = `${(1 << 20).toString(16)}\r\n${mebibyte}\r\n`;
    for (const request of [
      `${head}Content-Length: ${8 << 20}\r\n\r\n${mebibyte.repeat(8)}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}0\r\n\r\n`,
    ]) {
      const answer = await sendRaw(sandbox.url, request);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain("order.body_too_large");
      expect(answer).toContain('{"error":"body: must be at most 64 KiB"}');
    }
  });

  test.each([
    ["POST /_sandbox/companies", "body: must be at most 1 MiB"],
    ["POST /_sandbox/ui/snapshots", "form: must be at most 64 KiB"],
  ])("%s refuses 8 MiB with the reason, with Content-Length and chunked", async (line, why) => {
    const { url } = await startCommandLine();
    const head = `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const chunk = `${(1 << 20).toString(16)}\r\n${"x".repeat(1 << 20)}\r\n`;
    for (const request of [
      `${head}Content-Length: ${8 << 20}\r\n\r\n${"x".repeat(8 << 20)}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}0\r\n\r\n`,
    ]) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      const answer = text(socket);
      await new Promise((written) => socket.write(request.slice(0, 4 << 20), written));
      await fetch(`${url}/_sandbox/health`);
      // An answer before the rest has come would close the connection under who still sends.
      expect(socket.bytesRead).toBe(0);
      socket.end(request.slice(4 << 20));
      expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(await answer).toContain(why);
    }
  });

  test("a client that disconnects during its body creates no card", async () => {
    const sandbox = await startCommandLine();
    const token = await sandbox.exchange();
    const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
    socket.write(
      `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: 500\r\n\r\n{"account_id"`,
      () => socket.destroy(),
    );
    expect((await sandbox.order(key, token)).headers.has("Idempotent-Replayed")).toBe(false);
    expect(sandbox.output.stdout).not.toContain("gateway.internal_error");
  });

  test("a slow body does not close the connection of an early response", async () => {
    const { url } = await startCommandLine();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const received = text(socket);
    const head = `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n`;
    socket.write(`${head}half`);
    await new Promise((later) => setTimeout(later, 900));
    socket.end(`half${head.replace("\r\nContent-Length: 8", "\r\nConnection: close")}`);
    expect((await received).match(/HTTP\/1\.1 401 /g)).toHaveLength(2);
  });

  test("a client that closes its side gets its responses, and its stream ends", async () => {
    const { url } = await startCommandLine(["--scenario", "token-unavailable"]);
    const body = '{"api_key":"sk_sandbox_northwind_owner"}';
    const ask = (head: string, sent = "") => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.end(`${head} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`);
      return text(socket);
    };
    expect(await ask("POST /auth/v1/sandbox/token", body)).toMatch(/^HTTP\/1\.1 503 /);
    expect(await ask("GET /_sandbox/requests/stream")).toMatch(/^(HTTP\/1\.1 200 |$)/);
  });

  test.each([
    ["an address before it could not be read", "Host: a b"],
    ["a request before it had no Host", "X: a"],
    ["a request before it expected something else", "Host: a\r\nExpect: rain"],
  ])("an abandoned stream also ends if %s", async (_, headers) => {
    const { url } = await startCommandLine();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const received = text(socket);
    socket.write(`GET / HTTP/1.1\r\n${headers}\r\n\r\n`);
    await once(socket, "data");
    socket.write("GET /_sandbox/requests/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "data");
    socket.end();
    expect(await received).toMatch(/^HTTP\/1\.1 4.*HTTP\/1\.1 200 /s);
  });

  test.each([
    ["a request that cannot be parsed", "\0\0\r\n\r\n"],
    ["CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ])("complete requests before %s get their responses first", async (_, bytes) => {
    const { url } = await startCommandLine();
    const whole = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(`${whole.repeat(3)}${bytes}`);
    expect((await text(socket)).match(/HTTP\/1\.1 [0-9]{3}/g)).toEqual([
      "HTTP/1.1 404",
      "HTTP/1.1 404",
      "HTTP/1.1 404",
      "HTTP/1.1 400",
    ]);
  });

  test("a connection stays open after a refused request that was parsed", async () => {
    const { url } = await startCommandLine();
    const body = "Content-Length: 3\r\n\r\nabc";
    const last = "GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const answers = await sendRaw(
      url,
      `POST / HTTP/1.1\r\n${body}POST / HTTP/1.1\r\nHost: a\r\nExpect: rain\r\n${body}${last}`,
    );
    expect(answers.match(/HTTP\/1\.1 [0-9]{3}/g)).toEqual(["HTTP/1.1 400", "HTTP/1.1 417", "HTTP/1.1 404"]);
  });

  test("a client that sends CONNECT and resets its connection does not affect others", async () => {
    const { url, output } = await startCommandLine();
    const ask = async () => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      const closed = once(socket, "close");
      socket.write(`CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n${"x".repeat(100_000)}`, () =>
        socket.resetAndDestroy(),
      );
      await closed;
    };
    await Promise.all(Array.from({ length: 50 }, ask));
    expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200);
    expect(output.stderr).toBe("");
  });

  test("HTTP/1.0 may omit Host", async () => {
    const { url } = await startCommandLine();
    expect(await sendRaw(url, "GET /_sandbox/health HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ["an unknown method", "FOO / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_request", unreadable],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      400,
      "bad_request",
      unreadable,
    ],
    ["no HTTP at all", "hello\r\n\r\n", 400, "bad_request", unreadable],
    [
      "headers beyond measure",
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "headers_too_large",
      "The request line and the headers are larger than 16 KiB",
    ],
    [
      "chunks with extensions beyond measure",
      `POST /auth/v1/sandbox/token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}\r\na\r\n0\r\n\r\n`,
      413,
      "content_too_large",
      "The chunk extensions of the body are larger than 16 KiB",
    ],
    [
      "HTTP/1.1 without Host",
      "GET / HTTP/1.1\r\n\r\n",
      400,
      "bad_request",
      "Host: is required in HTTP/1.1. Send it once.",
    ],
    [
      "two Host headers",
      "GET / HTTP/1.1\r\nHost: a\r\nhOST: a\r\n\r\n",
      400,
      "bad_request",
      "Host: was sent 2 times. Send it once.",
    ],
    [
      "two Host headers of HTTP/1.0",
      "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
      400,
      "bad_request",
      "Host: was sent 2 times. Send it once.",
    ],
    [
      "two Host headers and an expectation of something else",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nExpect: rain\r\n\r\n",
      400,
      "bad_request",
      "Host: was sent 2 times. Send it once.",
    ],
    [
      "an expectation of something else",
      "GET / HTTP/1.1\r\nHost: a\r\nExpect: rain\r\n\r\n",
      417,
      "expectation_failed",
      "The Expect header is not 100-continue",
    ],
    [
      "CONNECT",
      "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n",
      400,
      "bad_request",
      "CONNECT: this server is not a proxy. Send requests directly to its base URL.",
    ],
  ])("%s gets an error body of the gateway with the problem", async (_, bytes, status, code, why) => {
    const { url } = await startCommandLine();
    const answer = await sendRaw(url, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\ncontent-type: application/json\r\n`, "s"));
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({
      success: false,
      error: { code, message: why },
    });
    expect(answer).toMatch(
      new RegExp(`^sandbox-contract-point: gateway.${code}; provenance=assumed\r$`, "m"),
    );
  });

  test("an invalid Host or target gets 400 with the error body of the gateway", async () => {
    const { url } = await startCommandLine();
    for (const [host, target] of [
      ["a b", "/"],
      ["a/b", "/"],
      ["[::1", "/"],
      ["a", "/\\evil"],
      ["a", "http://["],
    ]) {
      const answer = await sendRaw(
        url,
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"bad_request"');
    }
  });

  test("fifty parallel orders with one key create one card", async () => {
    const sandbox = await startCommandLine();
    const token = await sandbox.exchange();
    const replies = await Promise.all(Array.from({ length: 50 }, () => sandbox.order(key, token)));
    const ids = new Set(await Promise.all(replies.map(async (reply) => (await cardIn(reply)).id)));
    expect(ids.size).toBe(1);
    expect(replies.filter((reply) => !reply.headers.has("Idempotent-Replayed"))).toHaveLength(1);
  });

  test("a stream of requests starts immediately and ends with the sandbox", async () => {
    const sandbox = await startCommandLine();
    const stream = await fetch(`${sandbox.url}/_sandbox/requests/stream`);
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await read()).toBe(": following\n\n");
    await sendRaw(sandbox.url, "GET /nothing?token=short HTTP/1.0\r\n\r\n");
    expect(await read()).toMatch(/^event: request\nid: 1\ndata: \{"id":"1",.*"query":"\?token=…".*\}\n\n$/);
    sandbox.child.kill("SIGTERM");
    expect((await reader.read()).done).toBe(true);
    expect((await sandbox.ended).code).toBe(0);
  });

  test("--journal limits the number of recorded requests", async () => {
    const { url } = await startCommandLine(["--journal", "1"]);
    await fetch(`${url}/first`);
    await fetch(`${url}/second`);
    const { requests } = (await (await fetch(`${url}/_sandbox/requests`)).json()) as JournalListing;
    expect(requests.map(({ path }) => path)).toEqual(["/second"]);
  });
});
