import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { installedFor } from "./installed.ts";
import { baselineCommand } from "./rounds.ts";
import { type Build, startSandbox } from "./sandbox.ts";
import { cpuMsOf, residentMibOf, type Server, startServer } from "./server.ts";

/** The cost of a start, until the first 200; one figure per start. */
export interface Start {
  readonly title: string;
  readonly build?: string;
  /** The major version of Node. */
  readonly node: number;
  readonly ms: number[];
  /** The processor time of all threads. */
  readonly cpuMs: number[];
  readonly residentMib: number[];
}

interface Measure extends Start {
  readonly path: string;
  start(): Promise<Server>;
}

/**
 * Starts baseline A and each build in turn, so many times each.
 * @param otherNodes - executable files of other versions of Node
 * @param scratch - an empty folder, in which npm installs the builds for these
 */
export async function measureStarts(
  builds: readonly Build[],
  times: number,
  otherNodes: readonly string[],
  scratch: string,
): Promise<Start[]> {
  const others = otherNodes.flatMap((node, n) => {
    const installed = builds.map((build, b) => installedFor(node, build, join(scratch, `${n}-${b}`)));
    return startsWith(node, installed);
  });
  const starts = [...startsWith(process.execPath, builds), ...others];
  for (let time = 1; time <= times; time++) {
    for (const { ms, cpuMs, residentMib, path, start } of starts) {
      const startedMs = performance.now();
      const server = await start();
      const response = await fetch(server.url + path);
      ms.push(performance.now() - startedMs);
      cpuMs.push(cpuMsOf(server.pid));
      residentMib.push(residentMibOf(server.pid));
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
      await response.text();
      await server.stop();
    }
  }
  return starts;
}

function startsWith(executable: string, builds: readonly Build[]): Measure[] {
  const node = Number.parseInt(
    execFileSync(executable, ["-p", "process.versions.node"], { encoding: "utf8" }),
    10,
  );
  const figures = () => ({ node, ms: [], cpuMs: [], residentMib: [] });
  return [
    {
      ...figures(),
      title: "A: `node:http` alone",
      path: "/",
      start: () => startServer(baselineCommand("node-http", executable)),
    },
    ...builds.map((build) => ({
      ...figures(),
      title: "card-sandbox",
      build: build.name,
      path: "/_sandbox/health",
      start: () => startSandbox(build, [], undefined, executable),
    })),
  ];
}
