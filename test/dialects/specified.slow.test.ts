import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { behaviourIds, behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { conflictIn, type Dialect } from "../../src/contract/dialect.ts";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import { dialectWith, withChoices } from "../support/open-sandbox.ts";
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
  const { response } = examplesByPoint[id];
  return Object.fromEntries(
    Object.entries(shape as object).filter(([name]) => Object.hasOwn(response as object, name)),
  );
}

const { examples: examplesByPoint } = await import("../../src/contract/openapi/examples.ts");

const usual = new Map<ContractPointId, unknown>();

/** The specified part without a dialect. */
async function usualPart(id: ContractPointId): Promise<unknown> {
  const known = usual.get(id) ?? (await withChoices({}, () => specifiedPart(id)));
  usual.set(id, known);
  return known;
}

async function expectSpecified(choices: Partial<Choices>): Promise<void> {
  const broken: ContractPointId[] = [];
  for (const id of specified) {
    const shown = await withChoices(choices, () => specifiedPart(id)).catch((error: Error) => error.message);
    if (JSON.stringify(shown) !== JSON.stringify(await usualPart(id))) broken.push(id);
  }
  expect([choices, broken]).toEqual([choices, []]);
}

describe.each(behaviourIds)("the specified contract points hold when %s is", (id) => {
  test.each(behaviours[id].alternatives.map((each) => each.id))("%s", (use) =>
    expectSpecified({ [id]: use }),
  );
});

/** A dialect of alternatives that do not conflict. */
const anyChoices: fc.Arbitrary<Partial<Choices>> = fc
  .record(
    Object.fromEntries(
      behaviourIds.map((id) => [id, fc.constantFrom(...behaviours[id].alternatives.map((each) => each.id))]),
    ),
    { requiredKeys: [] },
  )
  .map((choices) => choices as Partial<Choices>)
  .filter((choices) => conflictIn(dialectWith(choices) as Dialect) === undefined);

const seed = Number(process.env.DIALECT_SEED ?? 20261123);
const numRuns = Number(process.env.DIALECTS ?? 200);

describe(`the specified contract points hold under the random dialects of the seed ${seed}:`, () => {
  test.each(fc.sample(anyChoices, { seed, numRuns }).map((choices, n) => [n + 1, choices] as const))(
    "number %i",
    (_, choices) => expectSpecified(choices),
  );
});
