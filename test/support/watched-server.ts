import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { residentMibOf } from "../../bench/server.ts";
import { startCommandLine } from "./command-line.ts";
import { physicalOrder } from "./physical-order.ts";

/** Whether the system shows memory and descriptors of a process. */
const hasProc = existsSync("/proc/self/fd");

/** How long memory and descriptors may take to fall back. */
const settleMs = 20_000;

/** The latency of a well-behaved client's orders. */
export interface Service {
  readonly p99Ms: number;
}

/** Starts a server, with a well-behaved client in addition to those of the test. */
export async function watchServer() {
  const { url, child, exchange, world, output } = await startCommandLine(["--log", "silent"]);
  const token = await exchange();
  await fetch(`${url}/_sandbox/companies/northwind`, {
    method: "PATCH",
    body: JSON.stringify({ card_quota: 1_000_000 }),
  });
  const accountId = (await world()).companies[0]?.accounts[0]?.id;
  const body = JSON.stringify(physicalOrder(accountId));
  const sockets = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });

  /** @returns the latency in milliseconds */
  const order = async (): Promise<number> => {
    const sentAt = performance.now();
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": randomUUID(),
    };
    const answer = await fetch(`${url}/developer/cards/physical`, { method: "POST", headers, body });
    await answer.text();
    if (answer.status !== 201) throw new Error(`no card: ${answer.status}`);
    return performance.now() - sentAt;
  };
  const orders = async (count: number): Promise<Service> => {
    const tookMs: number[] = [];
    for (let n = 0; n < count; n++) tookMs.push(await order());
    tookMs.sort((a, b) => a - b);
    return { p99Ms: Math.round(tookMs[Math.ceil(count * 0.99) - 1] ?? 0) };
  };
  /** Resident memory in MiB; 0 outside Linux. */
  const memoryMiB = () => (hasProc ? Math.round(residentMibOf(child.pid ?? 0)) : 0);
  const descriptors = () => (hasProc ? readdirSync(`/proc/${child.pid}/fd`).length : 0);
  await orders(200);
  const before = { memoryMiB: memoryMiB(), descriptors: descriptors() };

  return {
    url,
    output,
    before,
    memoryMiB,
    orders,
    /** Opens a connection, and closes it when the test ends. */
    connect: () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1", () => resolve(socket));
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
        socket.once("error", reject);
        // Later errors are for the test to check.
        socket.on("error", () => {});
      }),
    /** Closes all connections. */
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
    /**
     * Orders cards until memory and descriptors have fallen back.
     * @throws Error if they do not
     */
    async settled(allowedMiB = 120): Promise<void> {
      const until = performance.now() + settleMs;
      // The client has a few connections of its own.
      const isBack = () =>
        descriptors() <= before.descriptors + 5 && memoryMiB() <= before.memoryMiB + allowedMiB;
      while (!isBack()) {
        if (performance.now() > until) {
          throw new Error(
            `after ${settleMs} ms still ${memoryMiB()} MiB and ${descriptors()} descriptors, before ${before.memoryMiB} and ${before.descriptors}`,
          );
        }
        await orders(50);
      }
      if (output.stderr !== "") throw new Error(output.stderr);
    },
  };
}
