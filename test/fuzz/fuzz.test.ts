import { expect, test } from "vitest";
import { fuzz, timeoutFor } from "./fuzz.ts";
import { operations } from "./operations.ts";
import { ownApi } from "./own-api.ts";

const requests = 1000;
const seed = Number(process.env.FUZZ_SEED ?? 1);

test.each([
  ["the service", operations],
  ["the sandbox's own API and its dashboard", ownApi],
])(
  "%s answers whatever it is sent as it says, and goes on",
  async (_, at) => {
    const { taken, refused } = await fuzz({ at, requests, seed });
    expect(taken).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  },
  timeoutFor(requests),
);
