import fc from "fast-check";
import { expect, test } from "vitest";
import { beginnings, histories, type Played, play } from "../model/histories.ts";
import { differencesElsewhere, differencesOf, tapesWhile, temporaryFile } from "../support/taped.ts";

const ways: Readonly<Record<string, () => Played>> = {
  "in memory": () => ({}),
  "on a file": () => ({ options: { db: temporaryFile("world.db") } }),
  "on a file with private secrets": () => ({
    options: { db: temporaryFile("world.db"), privateSecrets: true },
  }),
  "on a file that is opened again": () => ({
    options: { db: temporaryFile("world.db"), privateSecrets: true },
    isReopened: true,
  }),
};

const { MODEL_SEED, MODEL_PATH } = process.env;

// One that fails is shrunk and printed with its seed and path, which play it again: MODEL_SEED=… MODEL_PATH=….
test.each([
  ["in memory", 100],
  ["on a file", 30],
  ["on a file with private secrets", 30],
  ["on a file that is opened again", 40],
] as const)(
  "random histories, recorded %s, replay without a difference",
  { timeout: 300_000 },
  async (way, numRuns) => {
    const all: [string, Awaited<ReturnType<typeof tapesWhile>>[number]["tape"]][] = [];
    const property = fc.asyncProperty(beginnings, histories, async (now, steps) => {
      const made = await tapesWhile(() => play(now, steps, ways[way]?.()));
      for (const { tape } of made) {
        all.push([`${now} ${steps.length}`, tape]);
        expect(await differencesOf(tape)).toEqual([]);
      }
    });
    await fc.assert(property, {
      numRuns,
      ...(MODEL_SEED && { seed: Number(MODEL_SEED) }),
      ...(MODEL_PATH && { path: MODEL_PATH }),
    });
    const elsewhere = await differencesElsewhere(all.map(([, tape]) => tape));
    expect(elsewhere.flat()).toEqual([]);
  },
);
