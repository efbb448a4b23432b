import { join } from "node:path";
import { expect, test } from "vitest";
import { run, temporaryFolder } from "../support/command-line.ts";

const examples = new URL("../../examples", import.meta.url).pathname;

test.each([
  ["client-suite.mjs", "careless"],
  ["client-suite.mjs", "careful"],
  ["sweep/suite.mjs", "careless"],
  ["sweep/suite.mjs", "careful"],
  ["sweep/parallel-suite.mjs"],
])("the tape of examples/%s %s replays without a difference in another process", async (suite, ...args) => {
  const tape = join(temporaryFolder(), "a.tape");
  const command = [process.execPath, join(examples, suite), ...args];
  const recorded = run(["exec", "--allow-unused-scenarios", "--tape", tape, "--", ...command]);
  expect(await recorded.ended, recorded.output.stderr).toMatchObject({ code: 0 });
  const replayed = run(["replay", tape]);
  expect(await replayed.ended, replayed.output.stdout).toMatchObject({ code: 0 });
});
