import { test } from "vitest";
import { playHistories } from "./histories.ts";

test("the sandbox matches the model in random histories", { timeout: 120_000 }, async () => {
  await playHistories(60);
});
