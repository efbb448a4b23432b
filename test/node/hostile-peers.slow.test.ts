import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { watchServer } from "../support/watched-server.ts";

/** What a well-behaved client may have to wait for, whatever others do. */
const patienceMs = 1000;

/** Sends a byte now and then, until the other end has enough. */
function trickle(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 500);
  socket.once("close", () => clearInterval(timer));
  onTestFinished(() => clearInterval(timer));
}

const repeated = async <Made>(count: number, make: () => Promise<Made>): Promise<Made[]> => {
  const made: Made[] = [];
  while (made.length < count) {
    const batch = Math.min(200, count - made.length);
    made.push(...(await Promise.all(Array.from({ length: batch }, make))));
  }
  return made;
};

test("refuses slow headers and bodies with 408, after 20 s and 60 s", async () => {
  const { connect, orders, settled } = await watchServer();
  const startedAt = performance.now();
  const ending = async (head: string, byte: string) => {
    const socket = await connect();
    const received = text(socket);
    socket.write(head);
    trickle(socket, byte);
    return { answer: await received, afterMs: performance.now() - startedAt };
  };
  const headers = repeated(50, () => ending("GET / HTTP/1.1\r\nHost: a\r\nX: ", "x"));
  const bodies = repeated(50, () =>
    ending("POST /auth/v1/sandbox/token HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n", "x"),
  );
  expect((await orders(500)).p99Ms).toBeLessThan(patienceMs);
  for (const { answer, afterMs } of await headers) {
    expect(answer).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout","message":"The headers did not arrive/,
    );
    expect(afterMs).toBeGreaterThan(19_000);
    expect(afterMs).toBeLessThan(40_000);
  }
  for (const { answer, afterMs } of await bodies) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(afterMs).toBeGreaterThan(59_000);
    expect(afterMs).toBeLessThan(80_000);
  }
  await settled();
});

test("ten thousand idle connections do not slow down other clients", async () => {
  const { connect, orders, hangUp, settled } = await watchServer();
  const count = Math.min(10_000, mostDescriptors() - 500);
  await repeated(count, connect);
  expect((await orders(300)).p99Ms).toBeLessThan(patienceMs);
  hangUp();
  await settled();
});

/** How many descriptors this process may have, and those that it starts. */
function mostDescriptors(): number {
  try {
    return Number(/^Max open files +([0-9]+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  } catch {
    return 1024;
  }
}

test("a client that sends requests and never reads does not fill the memory", async () => {
  const { connect, orders, memoryMiB, before, hangUp, settled } = await watchServer();
  const asked = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2000);
  for (const socket of await repeated(5, connect)) socket.pause().write(asked);
  expect((await orders(300)).p99Ms).toBeLessThan(patienceMs);
  expect(memoryMiB() - before.memoryMiB).toBeLessThan(300);
  hangUp();
  await settled();
});

test("five hundred streams of requests, some of them unread, do not slow down other clients", async () => {
  const { connect, orders, memoryMiB, before, hangUp, settled } = await watchServer();
  const streams = await repeated(500, connect);
  let told = 0;
  const count = (chunk: Buffer) => {
    told += chunk.toString().split("event: request").length - 1;
  };
  for (const [i, socket] of streams.entries()) {
    socket.write("GET /_sandbox/requests/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    if (i < 100) socket.pause();
    else socket.on("data", count);
  }
  expect((await orders(300)).p99Ms).toBeLessThan(patienceMs);
  expect(told).toBeGreaterThan(400 * 100);
  expect(memoryMiB() - before.memoryMiB).toBeLessThan(300);
  hangUp();
  await settled();
});

test("clients that disconnect during a request or a response leave no resources behind", async () => {
  const { connect, orders, settled } = await watchServer();
  const amidRequest = async () => {
    const socket = await connect();
    socket.write("POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n{", () =>
      socket.resetAndDestroy(),
    );
  };
  const amidAnswer = async () => {
    const socket = await connect();
    socket.once("data", () => socket.resetAndDestroy());
    socket.write("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n");
    await new Promise((closed) => socket.once("close", closed));
  };
  const service = orders(300);
  await repeated(1000, amidRequest);
  await repeated(300, amidAnswer);
  expect((await service).p99Ms).toBeLessThan(patienceMs);
  await settled();
});

test("an endless body is read but not stored", async () => {
  const { connect, orders, memoryMiB, before, settled } = await watchServer();
  const socket = await connect();
  socket.write("POST /auth/v1/sandbox/token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const chunk = Buffer.from(`10000\r\n${"x".repeat(0x10000)}\r\n`);
  const service = orders(100);
  for (let sent = 0; sent < 4000; sent++) {
    if (!socket.write(chunk)) await new Promise((drained) => socket.once("drain", drained));
  }
  expect((await service).p99Ms).toBeLessThan(patienceMs);
  expect(memoryMiB() - before.memoryMiB).toBeLessThan(200);
  socket.destroy();
  await settled();
});
