import { expect, test } from "vitest";
import { controlTargets } from "./control-targets.ts";
import { fuzz, timeoutFor } from "./fuzz.ts";
import { serviceTargets } from "./service-targets.ts";

const requests = 1000;
const seed = Number(process.env.FUZZ_SEED ?? 1);

test.each([
  ["the service", serviceTargets],
  ["the control API and the dashboard", controlTargets],
])(
  "%s responds correctly to any request, and keeps working",
  async (_, targets) => {
    const { succeeded, refused } = await fuzz({ targets, requests, seed });
    expect(succeeded).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  },
  timeoutFor(requests),
);
