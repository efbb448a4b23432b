import { join } from "node:path";
import type { Cores } from "./cores.ts";
import type { Step } from "./rounds.ts";
import { type Build, exchanged, order, startFilledSandbox } from "./sandbox.ts";

/** How many cards a company has when its orders are measured. */
export const sizes = [1_000, 100_000, 200_000, 1_000_000] as const;
export const quickSizes = [1_000, 20_000] as const;

/**
 * An order at each size, in memory and on a file, each on a server of its own. What the rounds add is little of the
 * larger sizes, and the smallest is what it says only where it begins.
 */
export async function openSizes(
  build: Build,
  cores: Cores,
  scratch: string,
  asked: readonly number[],
  tell: (line: string) => void,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const storage of ["in memory", "on a file"] as const) {
    for (const cards of asked) {
      const options = storage === "in memory" ? [] : ["--db", join(scratch, `${build.name}-${cards}.db`)];
      tell(`puts ${cards.toLocaleString("en")} cards ${storage}`);
      const { server, caller } = await startFilledSandbox(build, cores, cards, options);
      steps.push({
        row: `${storage} ${cards}`,
        title: `order a card, ${storage}, from ${cards.toLocaleString("en")} cards on`,
        build: build.name,
        server,
        connections: 10,
        expectedStatus: 201,
        // A token lasts 15 minutes, which filling and rounds may take.
        prepare: async () => ({ request: order(await exchanged(server, caller)), wrong: [] }),
      });
    }
  }
  return steps;
}
