import { test } from "vitest";
import { controlIds, controlTargets } from "./control-targets.ts";
import { fuzzBothWays, slowRun, timeoutFor } from "./fuzz.ts";
import type { World } from "./world.ts";

const { seed, requests } = slowRun();
const each = Math.ceil((requests * 0.2) / controlIds.length);

test.each(controlIds)("%s", { timeout: timeoutFor(each) }, async (id) => {
  const targets = (world: World) => controlTargets(world).filter((target) => target.id === id);
  await fuzzBothWays({ targets, requests: each, seed });
});
