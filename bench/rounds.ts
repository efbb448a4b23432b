import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Load, type LoadRequest, load } from "./load.ts";
import { sameOrder } from "./sandbox.ts";
import { type Server, startServer } from "./server.ts";

/** One kind of request to one server. */
export interface Target {
  readonly row: string;
  readonly title: string;
  /** Absent for a server that is no sandbox. */
  readonly build?: string;
  readonly server: Server;
  readonly connections: number;
  readonly status: number;
  /** Called before each round. */
  prepare(): Promise<{ readonly request: LoadRequest; readonly problems: readonly string[] }>;
}

/** A target with its figures, one per round. */
export interface Measured extends Omit<Target, "prepare" | "server"> {
  readonly loads: readonly Load[];
}

export interface RoundsOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly log: (line: string) => void;
}

/** The engine takes about as long to compile the code that runs often. */
const leastWarmUpSeconds = 1;

/**
 * Measures every target once a round, so that other work of the machine affects all of them, and every other round
 * in reverse, so that none always follows the same. A round before that warms up and does not count. Stops the
 * servers afterwards.
 */
export async function measureRounds(
  targets: readonly Target[],
  { rounds, seconds, log }: RoundsOptions,
): Promise<Measured[]> {
  const measured = targets.map((target) => ({ ...target, loads: [] as Load[] }));
  for (const target of measured) await measure(target, Math.max(leastWarmUpSeconds, seconds));
  for (let round = 1; round <= rounds; round++) {
    for (const target of round % 2 ? measured : measured.toReversed()) {
      const figures = await measure(target, seconds);
      target.loads.push(figures);
      const name = target.build === undefined ? target.row : `${target.row} (${target.build})`;
      log(
        `round ${round} of ${rounds}: ${name} ${Math.round(figures.perSecond)}/s ${figures.problems.join("; ")}`,
      );
    }
  }
  for (const server of new Set(targets.map(({ server }) => server))) await server.stop();
  return measured;
}

async function measure({ server, connections, status, prepare }: Target, seconds: number): Promise<Load> {
  const { request, problems } = await prepare();
  const until = { duration: seconds };
  const figures = await load({ server, request, connections, until, expectedStatus: status });
  return { ...figures, problems: [...problems, ...figures.problems] };
}

/** The command that starts a bare server; `node-http` is baseline A, `hono` baseline B. */
export function baselineCommand(name: "node-http" | "hono", node = process.execPath): string[] {
  return [node, join(import.meta.dirname, "baselines.mjs"), name];
}

/** Starts both bare servers, which are sent the same order each time. */
export async function openBaselines(): Promise<Target[]> {
  const request = sameOrder({ accessToken: "x".repeat(43), accountId: randomUUID() });
  const rest = { connections: 10, status: 201, prepare: async () => ({ request, problems: [] }) };
  const [a, b] = [
    await startServer(baselineCommand("node-http")),
    await startServer(baselineCommand("hono")),
  ];
  return [
    { ...rest, row: "baseline-a", title: "A: `node:http` alone, a constant card", server: a },
    { ...rest, row: "baseline-b", title: "B: the same by Hono and its Node adapter", server: b },
  ];
}
