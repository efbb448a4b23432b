import { test } from "vitest";
import { operationIds } from "../../src/contract/operations.ts";
import { fuzzBothWays, slowRun, timeoutFor } from "./fuzz.ts";
import { serviceTargets } from "./service-targets.ts";
import type { World } from "./world.ts";

const { seed, requests } = slowRun();
/** Most requests go to the service, which clients use. */
const each = Math.ceil((requests * 0.8) / operationIds.length);

test.each(operationIds)("%s", { timeout: timeoutFor(each) }, async (id) => {
  const targets = async (world: World) => (await serviceTargets(world)).filter((target) => target.id === id);
  await fuzzBothWays({ targets, requests: each, seed });
});
