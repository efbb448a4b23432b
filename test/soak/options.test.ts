import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const soak = new URL("./soak.ts", import.meta.url).pathname;
const run = (...options: string[]) =>
  spawnSync(process.execPath, ["--import", "tsx", soak, ...options], { encoding: "utf8" });

test("--help says what it does, what it takes and how it ends", () => {
  const { status, stdout, stderr } = run("--help");
  expect(stdout).toMatch(/^Usage: npm run soak -- \[options\]\n/);
  for (const told of ["--minutes", "--store", "Exit codes: 0 flat"]) expect(stdout).toContain(told);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test.each([
  [["--minuts", "3"], "error: unknown option '--minuts'. npm run soak -- --help tells what there is.\n"],
  [["--minutes", "0"], expect.stringMatching(/^error: .*'--minutes <number>'.* such as 10\. .*\.\n$/)],
  [
    ["--store", "disk"],
    expect.stringMatching(/^error: .*'disk' is invalid\. .* file, memory, both\. .*\.\n$/),
  ],
])("%j ends with one line and 2", (options, line) => {
  const { status, stdout, stderr } = run(...options);
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: line });
});
