import { describe, expect, test } from "vitest";
import { behaviourIds, behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { examples } from "../../src/contract/openapi/examples.ts";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import { dialectSeed, randomDialects } from "../support/drawn-choices.ts";
import { withChoices } from "../support/open-sandbox.ts";
import { waysTo } from "../support/ways-to-points.ts";

const specified = (Object.keys(contractPoints) as ContractPointId[]).filter(
  (id) => contractPoints[id].provenance === "specified",
);

/** The shape of a body: the names of its fields and the types of their values. */
const shapeOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
    : typeof value;

/** How a specified point responds, without the aspects that the specification leaves open. */
async function specifiedPart(id: ContractPointId): Promise<unknown> {
  const { point, provenance, status, json } = await waysTo[id]();
  const { open = [] } = contractPoints[id];
  return {
    point,
    provenance,
    status: open.includes("status") ? status < 300 : status,
    body: open.includes("envelope") ? undefined : knownFields(id, shapeOf(json)),
  };
}

/** An alternative may add fields to an object, but none to an error body. */
function knownFields(id: ContractPointId, shape: unknown): unknown {
  const { status } = contractPoints[id];
  if (status >= 300) return shape;
  const { response } = examples[id];
  return Object.fromEntries(
    Object.entries(shape as object).filter(([name]) => Object.hasOwn(response as object, name)),
  );
}

const usual = new Map<ContractPointId, unknown>();

/** The specified part without a dialect. */
async function usualPart(id: ContractPointId): Promise<unknown> {
  const known = usual.get(id) ?? (await withChoices({}, () => specifiedPart(id)));
  usual.set(id, known);
  return known;
}

/** The specified contract points that do not hold under the alternatives, each with what was seen instead. */
async function brokenBy(choices: Partial<Choices>): Promise<[ContractPointId, unknown][]> {
  const broken: [ContractPointId, unknown][] = [];
  for (const id of specified) {
    const shown = await withChoices(choices, () => specifiedPart(id)).catch((error: Error) => error.message);
    if (JSON.stringify(shown) !== JSON.stringify(await usualPart(id))) broken.push([id, shown]);
  }
  return broken;
}

/** Fails with the alternatives that alone break a point, or with the whole dialect if none does. */
async function expectSpecified(choices: Partial<Choices>): Promise<void> {
  const broken = await brokenBy(choices);
  if (broken.length === 0) return;
  const alone: unknown[] = [];
  for (const [id, use] of Object.entries(choices)) {
    const byOne = await brokenBy({ [id]: use });
    if (byOne.length > 0) alone.push({ [id]: use, broken: byOne });
  }
  expect(alone.length > 0 ? alone : { choices, broken }).toBeUndefined();
}

const dialects = randomDialects(Number(process.env.DIALECTS ?? 200));

describe(`the specified contract points hold under the random dialects of the seed ${dialectSeed}:`, () => {
  test.each(dialects.map((choices, n) => [n + 1, choices] as const))("number %i", (_, choices) =>
    expectSpecified(choices),
  );

  test("the dialects select every alternative", () => {
    const selected = new Set(dialects.flatMap((choices) => Object.entries(choices).map(String)));
    const all = behaviourIds.flatMap((id) => behaviours[id].alternatives.map((each) => `${id},${each.id}`));
    expect(all.filter((each) => !selected.has(each))).toEqual([]);
  });
});
