import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Cores } from "./cores.ts";
import type { LoadRequest } from "./load.ts";
import type { Step } from "./rounds.ts";
import { probed, type Row, type Storage } from "./rows.ts";
import { type Build, commandLine, knows, order, startSandbox, startUngroupedSandbox } from "./sandbox.ts";
import { type Server, startServer } from "./server.ts";

/** A row that cannot be measured, and why. */
export interface Skipped {
  readonly title: string;
  readonly build: string;
  readonly why: string;
}

/** The bare servers that everything is held against. */
export const floors = [
  { row: "floor-a", title: "A: `node:http` alone, a constant card", file: "floors/node-http.mjs" },
  { row: "floor-b", title: "B: the same by Hono and its Node adapter", file: "floors/hono.mjs" },
] as const;

export function startFloor(file: (typeof floors)[number]["file"], { serverPrefix }: Cores): Promise<Server> {
  return startServer([...serverPrefix, process.execPath, join(import.meta.dirname, file)]);
}

/** Starts the bare servers. */
export async function openFloors(cores: Cores): Promise<Step[]> {
  const prepare = async () => ({ request: floorOrder, wrong: [] });
  const steps: Step[] = [];
  for (const { row, title, file } of floors) {
    const server = await startFloor(file, cores);
    steps.push({ row, title, server, connections: 10, expectedStatus: 201, prepare });
  }
  return steps;
}

/** Starts every sandbox that the rows need, and says what is to be measured on which. */
export async function openRows(
  rows: readonly Row[],
  builds: readonly Build[],
  cores: Cores,
  scratch: string,
): Promise<{ steps: Step[]; skipped: Skipped[] }> {
  const steps: Step[] = [];
  const skipped: Skipped[] = [];
  const opened = new Map<string, Server>();
  for (const row of rows) {
    for (const [index, build] of builds.entries()) {
      const why = whyNot(row, build);
      if (why) {
        skipped.push({ title: row.title, build: build.name, why });
        continue;
      }
      const name = `${index}-${row.storage.replaceAll(" ", "-")}`;
      const start = row.storage.startsWith("ungrouped") ? startUngroupedSandbox : startSandbox;
      const server = opened.get(name) ?? (await start(build, cores, optionsOf(row.storage, scratch, name)));
      opened.set(name, server);
      steps.push(stepOf(row, build, server));
    }
  }
  return { steps, skipped };
}

/** What the bare servers are sent: an order, as large as the sandbox's. */
export const floorOrder: LoadRequest = {
  ...order({ accessToken: "x".repeat(43), accountId: "1d541080-dfcd-4ea6-937b-cc4bd3db87af" }),
  keys: "any",
};

function whyNot({ storage }: Row, build: Build): string | undefined {
  if (!existsSync(commandLine(build)))
    throw new Error(`${build.name} has no ${commandLine(build)}: build it first`);
  if (!storage.endsWith("durable file") || knows(build, "--durability")) return undefined;
  return "this build has no `--durability`";
}

function optionsOf(storage: Storage, scratch: string, name: string): string[] {
  if (storage === "memory") return [];
  return [
    "--db",
    join(scratch, `${name}.db`),
    ...(storage.endsWith("durable file") ? ["--durability", "full"] : []),
  ];
}

function stepOf(row: Row, build: Build, server: Server): Step {
  const { name, title, connections, expectedStatus } = row;
  return {
    row: name,
    title,
    build: build.name,
    server,
    connections,
    expectedStatus,
    async prepare() {
      const request = await row.prepare(server);
      return { request, wrong: await probed(row, server, request) };
    },
  };
}
