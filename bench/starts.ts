import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Cores } from "./cores.ts";
import { type Build, sandboxCommand } from "./sandbox.ts";
import { cpuMsOf, residentMibOf, startServer } from "./server.ts";
import { type Spread, spread } from "./statistics.ts";

/** What it takes from `exec` to the first 200. */
export interface Start {
  readonly title: string;
  readonly ms: Spread;
  /** The processor time of all its threads. */
  readonly cpuMs: Spread | undefined;
  /** What is in memory then. */
  readonly residentMib: Spread | undefined;
}

interface Once {
  readonly ms: number;
  readonly cpuMs?: number | undefined;
  readonly residentMib?: number | undefined;
}

/** Starts Node alone, floor A and each build in turn, so many times. */
export async function measureStarts(
  builds: readonly Build[],
  cores: Cores,
  times: number,
  tell: (line: string) => void,
): Promise<Start[]> {
  const floorA = [process.execPath, join(import.meta.dirname, "floors/node-http.mjs")];
  const kinds = [
    { title: "`node -e ''`, to its end", once: () => emptyScript(cores) },
    { title: "A: `node:http` alone", once: () => untilAnswered(floorA, cores, "/") },
    ...builds.map((build) => ({
      title: builds.length > 1 ? `card-sandbox (${build.name})` : "card-sandbox",
      once: () => untilAnswered(sandboxCommand(build), cores, "/_sandbox/health"),
    })),
  ];
  const came = kinds.map(({ title }) => ({ title, starts: [] as Once[] }));
  for (let time = 1; time <= times; time++) {
    for (const [index, kind] of kinds.entries()) came[index]?.starts.push(await kind.once());
  }
  tell(`started each ${times} times`);
  return came.map(({ title, starts }) => ({
    title,
    ms: spread(starts.map(({ ms }) => ms)),
    cpuMs: spreadOf(starts.map(({ cpuMs }) => cpuMs)),
    residentMib: spreadOf(starts.map(({ residentMib }) => residentMib)),
  }));
}

function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? spread(known) : undefined;
}

async function emptyScript({ serverPrefix }: Cores): Promise<Once> {
  const began = performance.now();
  const [file = "", ...args] = [...serverPrefix, process.execPath, "-e", ""];
  const [code] = await once(spawn(file, args, { stdio: "ignore" }), "close");
  if (code !== 0) throw new Error(`node -e '' ended with ${code}`);
  return { ms: performance.now() - began };
}

async function untilAnswered(
  command: readonly string[],
  { serverPrefix }: Cores,
  path: string,
): Promise<Once> {
  const began = performance.now();
  const server = await startServer([...serverPrefix, ...command]);
  const response = await fetch(server.url + path);
  const ms = performance.now() - began;
  const came = { ms, cpuMs: cpuMsOf(server.pid), residentMib: residentMibOf(server.pid) };
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  await response.text();
  await server.stop();
  return came;
}
