import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { type Started, startCommandLine } from "../support/command-line.ts";
import { httpClient } from "../support/http-client.ts";
import { physicalOrder } from "../support/physical-order.ts";

/** A client of a server on a socket, which closes the connection when a timeout passes. */
async function openTimeoutClient() {
  const server = await startCommandLine(["--port", "0"]);
  const { order } = httpClient(server.url);
  const token = await server.exchange();
  const accountId = (await server.world()).companies.find(({ slug }) => slug === "northwind")?.accounts[0]
    ?.id;
  return {
    server,
    body: physicalOrder(accountId),
    headersOf: (key: string) => ({ Authorization: `Bearer ${token}`, "Idempotency-Key": key }),
    slow: () => server.post("/_sandbox/scenarios/issuer-slow/arm", { times: 1 }),
    order: (key: string, timeoutMs: number) =>
      order(accountId, { key, token, signal: AbortSignal.timeout(timeoutMs) }),
  };
}

/** The findings once so many requests were answered. */
async function findingsAfter({ url }: Started, requests: number): Promise<string[]> {
  for (;;) {
    const listed = (await (await fetch(`${url}/_sandbox/requests`)).json()) as { requests: unknown[] };
    if (listed.requests.length >= requests) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const report = await (await fetch(`${url}/_sandbox/findings?final=true`)).json();
  const { findings } = report as { findings: { id: string; severity: string }[] };
  return findings.map(({ id, severity }) => `${id} ${severity}`);
}

test("a client that times out and retries with a new key creates two cards: IDEM-1 is critical", async () => {
  const { server, slow, order } = await openTimeoutClient();
  await slow();
  await expect(order(randomUUID(), 500)).rejects.toThrow(/timeout/);
  expect((await order(randomUUID(), 20_000)).status).toBe(201);
  expect(await findingsAfter(server, 3)).toEqual(["IDEM-1 critical"]);
});

test("a client that times out and retries with the same key has no finding", async () => {
  const { server, slow, order } = await openTimeoutClient();
  const key = randomUUID();
  await slow();
  await expect(order(key, 500)).rejects.toThrow(/timeout/);
  expect((await order(key, 20_000)).status).toBe(409);
  expect(await findingsAfter(server, 3)).toEqual(["IDEM-4 info"]);
});

test("a client that closes its side after each request and reads the response has no finding", async () => {
  const { server, body, headersOf } = await openTimeoutClient();
  for (const key of [randomUUID(), randomUUID()]) {
    const text = JSON.stringify(body);
    const headers = { Host: "a", "Content-Type": "application/json", "Content-Length": text.length };
    const lines = Object.entries({ ...headers, ...headersOf(key) }).map((each) => each.join(": "));
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.end(`POST /developer/cards/physical HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${text}`);
    const received = await socket.setEncoding("utf8").toArray();
    expect(received.join("")).toMatch(/^HTTP\/1\.1 201 /);
  }
  expect(await findingsAfter(server, 3)).toEqual([]);
});
