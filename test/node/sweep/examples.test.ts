import { expect, test } from "vitest";
import { run } from "../../support/command-line.ts";

const folder = new URL("../../../examples/sweep/", import.meta.url).pathname;

test.each([
  ["the careless client", "suite.mjs", "careless"],
  ["the careful client", "suite.mjs", "careful"],
  ["the parallel client", "parallel-suite.mjs"],
])("%s passes its suite without a finding if no request goes wrong", async (_, suite, ...args) => {
  const { ended, output } = run([
    ...["exec", "--fail-on", "info", "--", process.execPath],
    ...[`${folder}${suite}`, ...args],
  ]);
  expect(await ended, output.stdout).toMatchObject({ code: 0 });
});
