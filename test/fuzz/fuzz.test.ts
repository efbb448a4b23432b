import { expect, test } from "vitest";
import { fuzz } from "./fuzz.ts";
import { operations } from "./operations.ts";
import { ownApi } from "./own-api.ts";

const seed = Number(process.env.FUZZ_SEED ?? 1);

test.each([
  ["the service", operations],
  ["the sandbox's own API and its dashboard", ownApi],
])(
  "%s answers whatever it is sent as it says, and goes on",
  async (_, at) => {
    const { taken, refused } = await fuzz({ at, requests: 1000, seed });
    expect(taken).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  },
  60_000,
);
