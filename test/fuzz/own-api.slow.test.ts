import { expect, test } from "vitest";
import { fuzz, slowRun } from "./fuzz.ts";
import { ownApi, ownApiIds } from "./own-api.ts";

const { seed, requests } = slowRun();
const each = Math.ceil((requests * 0.2) / ownApiIds.length);

test.each(ownApiIds)("%s", async (id) => {
  const at = (...[world]: Parameters<typeof ownApi>) => ownApi(world).filter((target) => target.id === id);
  const { taken, refused } = await fuzz({ at, requests: each, seed });
  expect(taken).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});
