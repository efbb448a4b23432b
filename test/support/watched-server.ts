import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { startCommandLine } from "./command-line.ts";
import { physicalOrder } from "./physical-order.ts";

/** Where memory and descriptors of a process are told. */
const isTold = existsSync("/proc/self/fd");

/** How long memory and descriptors may take to come back. */
const settleMs = 20_000;

/** How long the orders of a well-behaved client took: all but one of a hundred no longer than this. */
export interface Service {
  readonly p99Ms: number;
}

/** A server in a process of its own, with a well-behaved client beside those that are not. */
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

  /** @returns how long it took, in milliseconds */
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
  /** Resident memory, in MiB; 0 where nothing tells it. */
  const memoryMiB = () => {
    if (!isTold) return 0;
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Math.round(Number(/^VmRSS:\s+([0-9]+)/m.exec(status)?.[1]) / 1024);
  };
  const descriptors = () => (isTold ? readdirSync(`/proc/${child.pid}/fd`).length : 0);
  await orders(200);
  const before = { memoryMiB: memoryMiB(), descriptors: descriptors() };

  return {
    url,
    output,
    before,
    memoryMiB,
    orders,
    /** Opens a connection, closed at the test's end; it need not be read. */
    connect: () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1", () => resolve(socket));
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
        socket.once("error", reject);
        // What becomes of it later is the test's to look at.
        socket.on("error", () => {});
      }),
    /** Closes them all. */
    hangUp() {
      for (const socket of sockets) socket.destroy();
    },
    /**
     * Waits until memory and descriptors are back where they were, and takes orders meanwhile.
     * @throws where they do not come back
     */
    async settled(allowedMiB = 120): Promise<void> {
      const until = performance.now() + settleMs;
      // The client's own connections are a few.
      const isBack = () =>
        descriptors() <= before.descriptors + 5 && memoryMiB() <= before.memoryMiB + allowedMiB;
      while (!isBack()) {
        if (performance.now() > until) {
          throw new Error(
            `not back after ${settleMs} ms: ${memoryMiB()} MiB and ${descriptors()} descriptors, before ${before.memoryMiB} and ${before.descriptors}`,
          );
        }
        await orders(50);
      }
      if (output.stderr !== "") throw new Error(output.stderr);
    },
  };
}
