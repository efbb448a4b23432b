import { baselineCommand } from "./rounds.ts";
import { type Build, startSandbox } from "./sandbox.ts";
import { cpuMsOf, residentMibOf, type Server, startServer } from "./server.ts";

/** The cost of a start, until the first 200; one figure per start. */
export interface Start {
  readonly title: string;
  readonly build?: string;
  readonly ms: number[];
  /** The processor time of all threads. */
  readonly cpuMs: number[];
  readonly residentMib: number[];
}

/** Starts baseline A and each build in turn, so many times each. */
export async function measureStarts(builds: readonly Build[], times: number): Promise<Start[]> {
  const figures = () => ({ ms: [], cpuMs: [], residentMib: [] });
  const starts: (Start & { readonly path: string; readonly start: () => Promise<Server> })[] = [
    {
      ...figures(),
      title: "A: `node:http` alone",
      path: "/",
      start: () => startServer(baselineCommand("node-http")),
    },
    ...builds.map((build) => ({
      ...figures(),
      title: "card-sandbox",
      build: build.name,
      path: "/_sandbox/health",
      start: () => startSandbox(build),
    })),
  ];
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
