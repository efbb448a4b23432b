import { test } from "vitest";
import { slowRun } from "./fuzz.ts";
import { sendMangled } from "./mangled.ts";

test("requests of which bytes are others are answered, or not at all, and never with 5xx", async () => {
  const { seed, requests } = slowRun();
  await sendMangled({ requests: Math.ceil(requests / 20), seed });
});
