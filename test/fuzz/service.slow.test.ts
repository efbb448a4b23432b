import { test } from "vitest";
import { operationIds } from "../../src/contract/operations.ts";
import { fuzzBothWays, slowRun, timeoutFor } from "./fuzz.ts";
import { operations } from "./operations.ts";

const { seed, requests } = slowRun();
/** Most are for the service, which is what clients meet. */
const each = Math.ceil((requests * 0.8) / operationIds.length);

test.each(operationIds)("%s", { timeout: timeoutFor(each) }, async (id) => {
  const at = async (...[world]: Parameters<typeof operations>) =>
    (await operations(world)).filter((target) => target.id === id);
  await fuzzBothWays({ at, requests: each, seed });
});
