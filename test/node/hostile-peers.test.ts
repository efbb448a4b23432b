import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { WorldListing } from "../../src/store/world-listing.ts";
import { physicalOrder } from "../support/physical-order.ts";
import { watchServer } from "../support/watched-server.ts";

test("responds in order to a hundred requests in one write", async () => {
  const { connect } = await watchServer();
  const socket = await connect();
  const requests = Array.from({ length: 100 }, (_, i) => {
    const last = i === 99 ? "Connection: close\r\n" : "";
    return `GET /nothing/${i} HTTP/1.1\r\nHost: a\r\n${last}\r\n`;
  });
  socket.end(requests.join(""));
  const paths = [...(await text(socket)).matchAll(/GET (\/nothing\/\d+) does not exist/g)].map(
    ([, path]) => path,
  );
  expect(paths).toEqual(requests.map((_, i) => `/nothing/${i}`));
});

test("keeps one response in memory for a client that sends requests and never reads", async () => {
  const { connect, orders, memoryMiB, before } = await watchServer();
  const socket = await connect();
  socket.pause().write("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000));
  expect((await orders(100)).p99Ms).toBeLessThan(1000);
  expect(memoryMiB() - before.memoryMiB).toBeLessThan(150);
});

const shortRequest = "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n";

/** Writes so many bytes of short requests; returns how many were accepted before nothing moved for a second. */
async function acceptedOf(socket: Socket, bytes: number): Promise<number> {
  const block = Buffer.from(shortRequest.repeat(2000));
  let accepted = 0;
  while (accepted < bytes) {
    const written = new Promise<true>((resolve) => socket.write(block, () => resolve(true)));
    if (!(await Promise.race([written, sleep(1000)]))) break;
    accepted += block.length;
  }
  return accepted;
}

test("reads a limited number of pipelined requests behind an event stream, and drops them when it is closed", async () => {
  const { connect, memoryMiB, settled, orders } = await watchServer();
  const socket = await connect();
  socket.resume().write("GET /_sandbox/requests/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "data");
  const before = memoryMiB();
  expect(await acceptedOf(socket, 16 << 20)).toBeLessThan(12 << 20);
  expect(memoryMiB() - before).toBeLessThan(64);
  expect((await orders(50)).p99Ms).toBeLessThan(1000);
  socket.destroy();
  await settled();
});

test("responds in order to the requests behind a held one after it is released", async () => {
  const { url, connect } = await watchServer();
  const post = async (path: string, body: unknown) =>
    (await fetch(url + path, { method: "POST", body: JSON.stringify(body) })).json() as Promise<
      Record<string, string>
    >;
  const { access_token } = await post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
  const { id } = await post("/_sandbox/scenarios/in-flight/arm", { times: 1 });
  const socket = await connect();
  const answers = text(socket);
  const body = JSON.stringify(await orderBody(url));
  socket.write(
    `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${access_token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const count = 5000;
  // Five digits: a response masks four digits that stand alone in a path, since they may be a PIN.
  const names = Array.from({ length: count }, (_, i) => `nothing/${10_000 + i}`);
  for (const name of names) socket.write(`GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n`);
  socket.end("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await vi.waitFor(async () => {
    const armed = (await (await fetch(`${url}/_sandbox/armed/${id}`)).json()) as { held: number };
    expect(armed.held).toBe(1);
  });
  expect(socket.bytesRead).toBe(0);
  await post(`/_sandbox/armed/${id}/release`, {});
  const all = await answers;
  expect(all).toMatch(/^HTTP\/1\.1 201 /);
  const paths = [...all.matchAll(/GET \/(nothing\/\d+|last) does not exist/g)].map(([, path]) => path);
  expect(paths).toEqual([...names, "last"]);
});

async function orderBody(url: string) {
  const { companies } = (await (await fetch(`${url}/_sandbox/world`)).json()) as WorldListing;
  return physicalOrder(companies[0]?.accounts[0]?.id);
}
