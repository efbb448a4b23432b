import { describe, expect, test } from "vitest";
import { run } from "../support/command-line.ts";
import { reportOf } from "../support/suite.ts";

const suite = new URL("../../examples/client-suite.mjs", import.meta.url).pathname;

/** The mistakes of the careless client. */
const mistakes = ["AUTH-1", "IDEM-1", "VAL-1"];

describe("the sample clients", () => {
  test("reports the three mistakes of the careless client and nothing else", async () => {
    const { report, ended } = reportOf((options) =>
      run(["exec", "--fail-on", "warn", ...options, "--", process.execPath, suite, "careless"]),
    );
    expect((await ended).code).toBe(1);
    const { findings, gates } = report();
    expect(findings.findings.map(({ id }) => id).toSorted()).toEqual(mistakes);
    expect(gates.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(["--fail-on warn"]);
  });

  test("reports nothing about the careful client", async () => {
    const { report, ended } = reportOf((options) =>
      run(["exec", "--fail-on", "warn", ...options, "--", process.execPath, suite, "careful"]),
    );
    expect((await ended).code).toBe(0);
    expect(report().findings.findings).toEqual([]);
    expect(report().unused_scenarios).toEqual([]);
  });
});

test.each(["careless", "careful"])("the suite passes with the %s client", async (client) => {
  const { ended } = run(["exec", "--", process.execPath, suite, client]);
  expect((await ended).code).toBe(0);
});
