import { type Load, type LoadRequest, load } from "./load.ts";
import type { Server } from "./server.ts";

/** One kind of request on one server, measured in every round. */
export interface Step {
  readonly row: string;
  readonly title: string;
  /** Which build it is measured on; a floor is none. */
  readonly build?: string;
  readonly server: Server;
  readonly connections: number;
  readonly expectedStatus: number;
  /** Brings the server into the state in which every round begins. */
  prepare(): Promise<{ readonly request: LoadRequest; readonly wrong: readonly string[] }>;
}

/** A step with what came of each round. */
export interface Measured extends Step {
  readonly loads: readonly Load[];
}

export interface RoundsOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly tell: (line: string) => void;
}

/** Until the engine has compiled what runs often. */
const leastWarmUpSeconds = 1;
/** What a step may do in a second before it has shown what it does. */
const firstGuessPerSecond = 15_000;

/**
 * Measures every step once a round, so that what happens to the machine meanwhile happens to all of them; every
 * other round from back to front, so that none is always behind the same. Before that, one round that does not count.
 */
export async function measureRounds(
  steps: readonly Step[],
  { rounds, seconds, tell }: RoundsOptions,
): Promise<Measured[]> {
  const measured = steps.map((step) => ({ ...step, loads: [] as Load[], perSecondAtMost: 0 }));
  for (const step of measured) {
    const warmUp = await once(step, Math.max(leastWarmUpSeconds, seconds), firstGuessPerSecond);
    step.perSecondAtMost = Math.max(firstGuessPerSecond, warmUp.perSecond * 3);
  }
  for (let round = 1; round <= rounds; round++) {
    for (const step of round % 2 ? measured : measured.toReversed()) {
      const came = await once(step, seconds, step.perSecondAtMost);
      step.loads.push(came);
      const name = step.build === undefined ? step.row : `${step.row} (${step.build})`;
      tell(`round ${round} of ${rounds}: ${name} ${Math.round(came.perSecond)}/s ${came.wrong.join("; ")}`);
    }
  }
  return measured;
}

async function once(step: Step, seconds: number, perSecondAtMost: number): Promise<Load> {
  const { request, wrong } = await step.prepare();
  const { server, connections, expectedStatus } = step;
  const until = { seconds };
  const options = { url: server.url, pid: server.pid, request, connections, until, expectedStatus };
  const came = await load({ ...options, perSecondAtMost });
  return { ...came, wrong: [...wrong, ...came.wrong] };
}
