import fc from "fast-check";
import { type BehaviourId, behaviourIds, behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { conflictIn } from "../../src/contract/dialect.ts";
import { probes } from "../../src/verify/probes.ts";
import { dialectWith } from "./open-sandbox.ts";
import { seededNumbers } from "./seeded-random.ts";

/** Behaviors that can be observed from outside, each with another alternative than the default, without conflicts. */
export function drawnChoices(seed: number, count: number): Partial<Choices> {
  const random = seededNumbers(seed);
  const left = probes.map(({ behaviour }) => behaviour);
  const drawn: Partial<Record<BehaviourId, string>> = {};
  while (left.length > 0 && Object.keys(drawn).length < count) {
    const [id] = left.splice(Math.floor(random() * left.length), 1);
    if (id === undefined) break;
    const others = behaviours[id].alternatives.slice(1);
    const use = others[Math.floor(random() * others.length)]?.id;
    const added = { ...drawn, [id]: use } as Partial<Choices>;
    if (use !== undefined && conflictIn(dialectWith(added)) === undefined) drawn[id] = use;
  }
  return drawn as Partial<Choices>;
}

const anyChoices: fc.Arbitrary<Partial<Choices>> = fc
  .record(
    Object.fromEntries(
      behaviourIds.map((id) => [id, fc.constantFrom(...behaviours[id].alternatives.map((each) => each.id))]),
    ),
    { requiredKeys: [] },
  )
  .map((choices) => choices as Partial<Choices>)
  .filter((choices) => conflictIn(dialectWith(choices)) === undefined);

/** The seed of `randomDialects`. */
export const dialectSeed = Number(process.env.DIALECT_SEED ?? 20261123);

/** Random dialects without conflicts, which select each alternative equally often. */
export function randomDialects(count: number): Partial<Choices>[] {
  return fc.sample(anyChoices, { seed: dialectSeed, numRuns: count });
}
