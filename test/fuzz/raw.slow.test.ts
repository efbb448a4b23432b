import { test } from "vitest";
import { slowRun } from "./fuzz.ts";
import { sendMangled } from "./raw.ts";

test("corrupted requests get a status code below 500, or no response", async () => {
  const { seed, requests } = slowRun();
  await sendMangled({ requests: Math.ceil(requests / 20), seed });
});
