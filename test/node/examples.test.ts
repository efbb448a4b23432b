import { describe, expect, test } from "vitest";
import { ruleIds } from "../../src/report/findings/rules.ts";
import { run } from "../support/command-line.ts";
import { reportOf } from "../support/suite.ts";

const suite = new URL("../../examples/client-suite.mjs", import.meta.url).pathname;

const known = new Set<string>(ruleIds);
/** What the careless client does wrong; these rules have to be there for it to be told. */
const mistakes = ["AUTH-1", "IDEM-1", "VAL-1"];

describe.skipIf(!mistakes.every((id) => known.has(id)))("the sample clients", () => {
  test("the careless one is told of its three mistakes, and of nothing beside", async () => {
    const { report, ended } = reportOf((options) =>
      run(["exec", "--fail-on", "warn", ...options, "--", process.execPath, suite, "careless"]),
    );
    expect((await ended).code).toBe(1);
    const { findings, checks } = report();
    expect(findings.findings.map(({ id }) => id).toSorted()).toEqual(mistakes);
    expect(checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(["--fail-on warn"]);
  });

  test("the careful one is told nothing", async () => {
    const { report, ended } = reportOf((options) =>
      run(["exec", "--fail-on", "warn", ...options, "--", process.execPath, suite, "careful"]),
    );
    expect((await ended).code).toBe(0);
    expect(report().findings.findings).toEqual([]);
    expect(report().unfired).toEqual([]);
  });
});

test.each(["careless", "careful"])("the suite is green with the %s client", async (client) => {
  const { ended } = run(["exec", "--", process.execPath, suite, client]);
  expect((await ended).code).toBe(0);
});
