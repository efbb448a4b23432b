import { test } from "vitest";
import { slowRun } from "./fuzz.ts";
import { sendMangled } from "./raw.ts";

test("mangled requests get a response below 500, or none", async () => {
  const { seed, requests } = slowRun();
  await sendMangled({ requests: Math.ceil(requests / 20), seed });
});
