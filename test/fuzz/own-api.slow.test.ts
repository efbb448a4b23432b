import { test } from "vitest";
import { fuzzBothWays, slowRun, timeoutFor } from "./fuzz.ts";
import { ownApi, ownApiIds } from "./own-api.ts";

const { seed, requests } = slowRun();
const each = Math.ceil((requests * 0.2) / ownApiIds.length);

test.each(ownApiIds)("%s", { timeout: timeoutFor(each) }, async (id) => {
  const at = (...[world]: Parameters<typeof ownApi>) => ownApi(world).filter((target) => target.id === id);
  await fuzzBothWays({ at, requests: each, seed });
});
