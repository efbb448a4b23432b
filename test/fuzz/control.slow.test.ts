import { test } from "vitest";
import { controlIds, controlTargets } from "./control-targets.ts";
import { fuzzBothWays, slowRun, timeoutFor } from "./fuzz.ts";
import type { World } from "./world.ts";

const { seed, requests } = slowRun();
const each = Math.ceil((requests * 0.2) / controlIds.length);

test.each(controlIds)("%s", { timeout: timeoutFor(each) }, async (id) => {
  // A tape can be read only while one is recorded.
  const ids = id === "GET /_sandbox/tape/file" ? [id, "POST /_sandbox/tape"] : [id];
  const targets = (world: World) => controlTargets(world).filter((target) => ids.includes(target.id));
  await fuzzBothWays({ targets, requests: each, seed });
});
