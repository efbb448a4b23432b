import { expect, test } from "vitest";
import { operationIds } from "../../src/contract/operations.ts";
import { fuzz, slowRun } from "./fuzz.ts";
import { operations } from "./operations.ts";

const { seed, requests } = slowRun();
/** Most are for the service, which is what clients meet. */
const each = Math.ceil((requests * 0.8) / operationIds.length);

test.each(operationIds)("%s", async (id) => {
  const at = async (...[world]: Parameters<typeof operations>) =>
    (await operations(world)).filter((target) => target.id === id);
  const { taken, refused } = await fuzz({ at, requests: each, seed });
  expect(taken).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});
