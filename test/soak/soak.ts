// Runs a sandbox for a while at half the rate that it can do, and says whether memory, latency and descriptors stay
// flat: `npm run soak -- --help`. Linux alone has the /proc that it reads.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { Client } from "./client.ts";
import { Load } from "./load.ts";
import { percentile, type Stretch, table, unevenness } from "./measures.ts";
import { readOptions } from "./options.ts";
import { SoakedServer } from "./soaked-server.ts";

const stretches = 12;
/** How long the top rate is measured, and with how many requests at a time. */
const topSeconds = 6;
const atATime = 16;
/** How many may be under way where the sandbox falls behind the rate. */
const mostUnderWay = 256;
const tickMs = 10;
const streams = 5;
const idleWithinMs = 15_000;
const endWithinMs = 2000;

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** A receiver of webhooks on this machine. */
async function openReceiver(): Promise<{ server: Server; url: string; received: () => number }> {
  let received = 0;
  const server = createServer((request, response) => {
    received++;
    request.resume().on("end", () => response.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  return { server, url, received: () => received };
}

/** Requests a second, as fast as they are answered. */
async function topRate(load: Load): Promise<number> {
  let done = 0;
  const until = performance.now() + topSeconds * 1000;
  const one = async () => {
    for (; performance.now() < until; done++) await load.next();
  };
  await Promise.all(Array.from({ length: atATime }, one));
  return done / topSeconds;
}

/** Sends at a rate for a while, and measures. */
async function stretch(server: SoakedServer, load: Load, rate: number, seconds: number): Promise<Stretch> {
  const latencies: number[] = [];
  const rss: number[] = [];
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const startedMs = performance.now();
  const cpuMs = server.cpuMs;
  let due = 0;
  let sampledMs = 0;
  for (;;) {
    const lastedMs = performance.now() - startedMs;
    if (lastedMs > seconds * 1000) break;
    due = Math.min(due, latencies.length + mostUnderWay);
    for (; due < (lastedMs / 1000) * rate && underWay.size < mostUnderWay; due++) {
      const since = performance.now();
      const one: Promise<void> = load
        .next()
        .then(() => void latencies.push(performance.now() - since))
        .catch((error) => void failures.push(error))
        .finally(() => underWay.delete(one));
      underWay.add(one);
    }
    if (failures.length > 0) throw failures[0];
    if (lastedMs - sampledMs > 500) {
      sampledMs = lastedMs;
      rss.push(server.rssMiB);
    }
    await pass(tickMs);
  }
  await Promise.all(underWay);
  return {
    requests: latencies.length,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    mostMs: Math.max(...latencies),
    cpuMs: (server.cpuMs - cpuMs) / latencies.length,
    rssMiB: percentile(rss, 0.5),
    descriptors: server.descriptors.length,
    // V8 lets garbage pile up to four times what lives before it looks at all of it. Here each stretch begins without,
    // so that resident memory can be compared too.
    liveMiB: await server.liveMiB(),
  };
}

/** Sockets and files; Node and SQLite open pipes and a temporary file of their own when they need them. */
function socketsAndFiles(server: SoakedServer): string[] {
  return server.descriptors.filter(
    (what) => /^(socket:|\/)/.test(what) && !what.startsWith("/var/tmp/etilqs_"),
  );
}

/** What is still open once nobody calls, where that is more than was before anybody did. */
async function leftOpen(server: SoakedServer, before: number): Promise<string[]> {
  const since = performance.now();
  while (socketsAndFiles(server).length > before && performance.now() - since < idleWithinMs) await pass(100);
  const left = socketsAndFiles(server);
  return left.length > before ? left : [];
}

/** @returns what is wrong, in sentences */
async function soak(db: string, minutes: number): Promise<string[]> {
  const server = await SoakedServer.start(db);
  const before = socketsAndFiles(server).length;
  const receiver = await openReceiver();
  const client = new Client(server.url);
  try {
    const load = await Load.prepare(client, receiver.url);
    for (let n = 0; n < streams; n++) await client.follow(n === 0 ? "?company=northwind" : "");
    const top = await topRate(load);
    say(
      `${db === ":memory:" ? "in memory" : "on a file"}: ${top.toFixed(0)} requests a second at most, half of them for ${minutes} minutes`,
    );
    const seen: Stretch[] = [];
    for (let n = 0; n < stretches; n++) {
      seen.push(await stretch(server, load, top / 2, (minutes * 60) / stretches));
      await load.passTime();
    }
    say(
      table(
        [
          "stretch",
          "requests",
          "p50 ms",
          "p99 ms",
          "most ms",
          "CPU ms",
          "RSS MiB",
          "live MiB",
          "descriptors",
        ],
        seen.map((each, n) => [
          String(n + 1),
          String(each.requests),
          each.p50Ms,
          each.p99Ms,
          each.mostMs,
          each.cpuMs,
          each.rssMiB,
          each.liveMiB,
          String(each.descriptors),
        ]),
      ),
    );
    const [load1 = 0] = loadavg();
    say(
      `the machine's load is ${load1.toFixed(1)} on ${availableParallelism()} processors: beyond them latency is not the sandbox's`,
    );
    client.close();
    receiver.server.closeAllConnections();
    receiver.server.close();
    const left = await leftOpen(server, before);
    const { code, tookMs } = await server.stop();
    say(`${receiver.received()} webhooks received; ended with ${code} after ${tookMs.toFixed(0)} ms`);
    return [
      ...unevenness(seen),
      ...(left.length > 0 ? [`open though idle, where ${before} were at first: ${left.join(", ")}`] : []),
      ...(code === 0 && tookMs < endWithinMs
        ? []
        : [`SIGTERM ended it with ${code} after ${tookMs.toFixed(0)} ms`]),
      ...(receiver.received() > 0 ? [] : ["no webhook was received"]),
    ];
  } finally {
    client.close();
    receiver.server.closeAllConnections();
    receiver.server.close();
    server.kill();
  }
}

const { minutes, stores } = readOptions(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), "card-sandbox-soak-"));
try {
  for (const store of stores) {
    for (const wrong of await soak(store === "file" ? join(folder, "sandbox.db") : ":memory:", minutes)) {
      process.exitCode = 1;
      say(`NOT FLAT, ${store}: ${wrong}`);
    }
  }
  if (process.exitCode !== 1) say("flat");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
