import { test } from "vitest";
import { playHistories } from "./histories.ts";

test("the sandbox does as the model says, whatever the history", { timeout: 120_000 }, async () => {
  await playHistories(60);
});
