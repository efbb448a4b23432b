// `npm run soak -- --help` describes it.
import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { cpuMsOf, residentMibOf, type Server, startServer } from "../../bench/server.ts";
import { markdownTable, median, quantile } from "../../bench/statistics.ts";
import { Client } from "./client.ts";
import { Load } from "./load.ts";
import { growth, type Stretch } from "./measures.ts";

const stretches = 12;
/** The top rate is measured for so long, with so many requests in progress. */
const topSeconds = 6;
const topInProgress = 16;
/** The most requests in progress when the sandbox falls behind the rate. */
const mostInProgress = 256;
const tickMs = 10;
const streams = 5;
const idleTimeoutMs = 15_000;
const stopLimitMs = 2000;

const print = (text: string) => void process.stdout.write(`${text}\n`);

function readOptions() {
  return new Command("npm run soak --")
    .description(
      "Runs a sandbox at half its top rate with the requests of a test suite, a tester and a dashboard, and checks that " +
        "memory, latency, processor time and open descriptors do not grow. Each stretch begins with a garbage " +
        "collection, so resident memory is smaller than without. Linux only.",
    )
    .addOption(new Option("--minutes <number>", "duration for each store").argParser(minutes).default(10))
    .addOption(
      new Option("--store <store>", "storage of the sandbox")
        .choices(["file", "memory", "both"])
        .default("both"),
    )
    .addHelpText("after", "\nExit codes: 0 flat, 1 something grew or failed, 2 usage error.")
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse()
    .opts<{ minutes: number; store: "file" | "memory" | "both" }>();
}

function minutes(text: string): number {
  const number = Number(text);
  if (!(number > 0 && number <= 24 * 60)) throw new InvalidArgumentError("It must be a number such as 10.");
  return number;
}

/** Starts a sandbox that reports its live heap. */
function startSandbox(db: string): Promise<Server> {
  const heapReporter = new URL("./heap-reporter.mjs", import.meta.url).href;
  const cli = resolve(import.meta.dirname, "../../dist/node/cli.js");
  const node = [process.execPath, "--expose-gc", "--import", heapReporter];
  return startServer([...node, cli, "--port", "0", "--log", "silent", "--db", db], { ipc: true });
}

/** Collects the garbage of a sandbox first. */
async function liveMibOf(server: Server): Promise<number> {
  server.process.send("report");
  const [{ liveBytes }] = await once(server.process, "message");
  return liveBytes / 2 ** 20;
}

/** The target of each open descriptor, such as `socket:[4711]` or the path of a file. */
function descriptorsOf({ pid }: Server): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      // It was closed in the meantime.
      return [];
    }
  });
}

/** Open sockets and files, without the pipes and temporary files that Node and SQLite open when they need them. */
function socketsAndFiles(server: Server): string[] {
  return descriptorsOf(server).filter(
    (target) => /^(socket:|\/)/.test(target) && !target.startsWith("/var/tmp/etilqs_"),
  );
}

/** Starts a receiver of webhooks. */
async function openReceiver() {
  let received = 0;
  const server = createServer((request, response) => {
    received++;
    request.resume().on("end", () => response.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, received: () => received, close };
}

/** Requests per second, as fast as the sandbox responds. */
async function topRate(load: Load): Promise<number> {
  let done = 0;
  const untilMs = performance.now() + topSeconds * 1000;
  const sendUntilThen = async () => {
    for (; performance.now() < untilMs; done++) await load.next();
  };
  await Promise.all(Array.from({ length: topInProgress }, sendUntilThen));
  return done / topSeconds;
}

/** Sends requests at a rate for a while. */
async function measureStretch(server: Server, load: Load, rate: number, seconds: number): Promise<Stretch> {
  const latencies: number[] = [];
  const rss: number[] = [];
  const inProgress = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const startedMs = performance.now();
  const startedCpuMs = cpuMsOf(server.pid);
  let sent = 0;
  let sampledMs = 0;
  for (;;) {
    const passedMs = performance.now() - startedMs;
    if (passedMs > seconds * 1000) break;
    // A sandbox that fell behind does not have to catch up.
    sent = Math.min(sent, latencies.length + mostInProgress);
    for (; sent < (passedMs / 1000) * rate && inProgress.size < mostInProgress; sent++) {
      const sentMs = performance.now();
      const request: Promise<void> = load
        .next()
        .then(() => void latencies.push(performance.now() - sentMs))
        .catch((error) => void failures.push(error))
        .finally(() => inProgress.delete(request));
      inProgress.add(request);
    }
    if (failures.length > 0) throw failures[0];
    if (passedMs - sampledMs > 500) {
      sampledMs = passedMs;
      rss.push(residentMibOf(server.pid));
    }
    await pass(tickMs);
  }
  await Promise.all(inProgress);
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1) ?? Number.NaN,
    cpuMs: (cpuMsOf(server.pid) - startedCpuMs) / latencies.length,
    rssMiB: median(rss),
    descriptors: descriptorsOf(server).length,
    // V8 lets garbage grow to several times the live heap. Every stretch begins without garbage, so that resident
    // memory can be compared.
    liveMiB: await liveMibOf(server),
  };
}

/** Sockets and files that are still open when no client is left, if they are more than before. */
async function leftOpen(server: Server, before: number): Promise<string[]> {
  const sinceMs = performance.now();
  while (socketsAndFiles(server).length > before && performance.now() - sinceMs < idleTimeoutMs)
    await pass(100);
  const left = socketsAndFiles(server);
  return left.length > before ? left : [];
}

/** @returns everything that grew or failed, in sentences */
async function soak(db: string, minutes: number): Promise<string[]> {
  const server = await startSandbox(db);
  const before = socketsAndFiles(server).length;
  const receiver = await openReceiver();
  const client = new Client(server.url);
  const measured: Stretch[] = [];
  try {
    const load = new Load(client, receiver.url);
    await load.prepare();
    for (let n = 0; n < streams; n++) await client.follow(n === 0 ? "?company=northwind" : "");
    const top = await topRate(load);
    print(
      `${db === ":memory:" ? "in memory" : "on a file"}: half of ${top.toFixed(0)} requests/s for ${minutes} minutes`,
    );
    for (let n = 0; n < stretches; n++) {
      measured.push(await measureStretch(server, load, top / 2, (minutes * 60) / stretches));
      await load.passTime();
    }
  } finally {
    client.close();
    receiver.close();
  }
  print(stretchesTable(measured));
  const [lastMinute = 0] = loadavg();
  print(
    `load of the machine: ${lastMinute.toFixed(1)} on ${availableParallelism()} processors; above them, ignore latency`,
  );
  const left = await leftOpen(server, before);
  const sinceMs = performance.now();
  await server.stop();
  const tookMs = performance.now() - sinceMs;
  const { exitCode } = server.process;
  print(
    `${receiver.received()} webhooks received; exit code ${exitCode} ${tookMs.toFixed(0)} ms after SIGTERM`,
  );
  return [
    ...growth(measured),
    ...(left.length > 0 ? [`still open without clients (${before} before): ${left.join(", ")}`] : []),
    ...(exitCode === 0 && tookMs < stopLimitMs
      ? []
      : [`exit code ${exitCode} ${tookMs.toFixed(0)} ms after SIGTERM`]),
    ...(receiver.received() > 0 ? [] : ["no webhook was received"]),
  ];
}

function stretchesTable(measured: readonly Stretch[]): string {
  const head = [
    "stretch",
    "requests",
    "p50 ms",
    "p99 ms",
    "max ms",
    "CPU ms",
    "RSS MiB",
    "live MiB",
    "descriptors",
  ];
  const rows = measured.map(({ requests, p50Ms, p99Ms, maxMs, cpuMs, rssMiB, liveMiB, descriptors }, n) => [
    String(n + 1),
    String(requests),
    ...[p50Ms, p99Ms, maxMs, cpuMs, rssMiB, liveMiB].map((figure) => figure.toFixed(1)),
    String(descriptors),
  ]);
  return markdownTable(head, rows);
}

const options = readOptions();
const folder = mkdtempSync(join(tmpdir(), "card-sandbox-soak-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const store of options.store === "both" ? ["file", "memory"] : [options.store]) {
  for (const problem of await soak(
    store === "file" ? join(folder, "sandbox.db") : ":memory:",
    options.minutes,
  )) {
    process.exitCode = 1;
    print(`NOT FLAT, ${store}: ${problem}`);
  }
}
if (process.exitCode !== 1) print("flat");
