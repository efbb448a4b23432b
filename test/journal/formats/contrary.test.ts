import { describe, expect, test } from "vitest";
import type { ContraryCell, ContraryReport } from "../../../src/journal/contrary-report.ts";
import { formatContrary } from "../../../src/journal/formats/contrary.ts";
import { contraryTerminalReport } from "../../../src/journal/formats/contrary-terminal.ts";
import { sweepReport } from "../../support/sweep-report.ts";

function cell(fields: Partial<ContraryCell>): ContraryCell {
  return {
    id: "replay.status=200",
    behaviour: "replay.status",
    alternative: "200",
    title: "200, because nothing was created",
    plausible: "PayPal returns 200",
    verdict: "failed",
    reason: "exit code 1",
    failure: "AssertionError: 200 == 201",
    first_difference: "northwind/orderPhysicalCard #2: 200 order.replayed instead of 201 order.replayed",
    repeat: "card-sandbox contrary --cell replay.status=200 -- npm test",
    differences: [],
    findings: [],
    output: "the output\n",
    duration_ms: 120,
    ...fields,
  };
}

function reportOf(fields: Partial<ContraryReport> = {}): ContraryReport {
  const { calls: _, fail_on: __, cells: ___, ...shared } = sweepReport([]);
  return {
    ...shared,
    exit_code: 0,
    fail_on: "never",
    dialect: {},
    dependencies: [
      {
        behaviour: "replay.status",
        title: "Status of a replayed request",
        default: "201",
        default_title: "201, as for the first request",
        by: "tests",
        broken_by: ["200"],
        summary: "green only if `replay.status` is 201",
      },
      {
        behaviour: "key.retention",
        title: "How long a key is kept",
        default: "forever",
        default_title: "for ever",
        by: "damage",
        broken_by: ["24h"],
        summary: "safe unless `key.retention` is 24h",
      },
    ],
    cells: [
      cell({}),
      cell({
        id: "key.retention=24h",
        behaviour: "key.retention",
        alternative: "24h",
        verdict: "damaged",
        failure: null,
        reason: "2 cards, 1 in the reference run",
      }),
      cell({
        id: "replay.body=stored",
        behaviour: "replay.body",
        alternative: "stored",
        verdict: "not_reached",
      }),
    ],
    conflicting: [{ id: "lists.paging=page", reason: "it conflicts" }],
    totals: { ...shared.totals, failed: 1, damaged: 1, not_reached: 1 },
    ...fields,
  };
}

const hostile = "<script>alert(1)</script> \u001b[2J ]]> a|b\n## forged";

const hostileReport = reportOf({
  client: hostile,
  cells: [
    cell({ reason: hostile, failure: hostile, output: hostile, repeat: hostile, first_difference: hostile }),
  ],
});

test("the terminal shows damage first, then the tests that fail, each with the first line of the failure", () => {
  const text = contraryTerminalReport(reportOf());
  expect(text).toMatch(/✗ the client leaves other cards \(1\)\n {2}safe unless `key.retention` is 24h\n/);
  expect(text).toContain(
    `! the tests fail (1)
  green only if \`replay.status\` is 201
    Status of a replayed request: 201, as for the first request
    failed: 200, because nothing was created (PayPal returns 200)
      exit code 1: AssertionError: 200 == 201
      First difference: northwind/orderPhysicalCard #2: 200 order.replayed instead of 201 order.replayed
      Repeat: card-sandbox contrary --cell replay.status=200 -- npm test
`,
  );
  expect(text).toContain("Alternatives that cannot be switched alone (1)\n  lists.paging=page: it conflicts");
  expect(text).toMatch(
    /The client depends on 2 assumptions: 1 by damage, 1 by failing tests.\ncard-sandbox: passed\n$/,
  );
});

test("dependencies that the baseline accepts are only listed", () => {
  const text = contraryTerminalReport(reportOf({ accepted: ["replay.status=200"] }));
  expect(text).not.toContain("green only if");
  expect(text).toContain("Accepted by the baseline (1)\n  replay.status=200");
});

test("a problem with the reference runs is all that there is", () => {
  const report = reportOf({
    dependencies: [],
    cells: [],
    conflicting: [],
    problem: "the client fails",
    output: "no luck",
    exit_code: 1,
  });
  expect(contraryTerminalReport(report)).toMatch(
    /^\n.*\| no luck\nthe client fails\ncard-sandbox: failed, exit code 1\n$/s,
  );
});

describe("a report file", () => {
  test("as JSON has no output of the client, which differs between runs", () => {
    const report = reportOf();
    const { cells, ...rest } = JSON.parse(formatContrary(report, "json").text) as ContraryReport;
    const { cells: expected, ...others } = report;
    expect(rest).toEqual({ ...others, output: null });
    expect(cells).toEqual(expected.map((each) => ({ ...each, output: null })));
  });

  test("as JUnit fails what --fail-on names, and skips the other dependencies", () => {
    const never = formatContrary(reportOf(), "junit").text;
    expect(never).toContain('tests="4" failures="0" skipped="3"');
    const damaged = formatContrary(reportOf({ fail_on: "damaged" }), "junit").text;
    expect(damaged).toContain('tests="4" failures="1" skipped="2"');
    expect(damaged).toContain(
      '<testcase name="key.retention=24h" classname="card-sandbox.contrary.key.retention">',
    );
  });

  test("as Markdown and as HTML shows the dependencies and all alternatives", () => {
    for (const format of ["markdown", "html"] as const) {
      const { text } = formatContrary(reportOf(), format);
      for (const part of ["green only if", "safe unless", "not reached", "All alternatives", "the output"]) {
        expect(text, format).toContain(part);
      }
    }
  });

  test("escapes what a client can put into it", () => {
    expect(formatContrary(hostileReport, "html").text).not.toContain("<script");
    expect(formatContrary(hostileReport, "junit").text).not.toContain("<script");
    expect(formatContrary(hostileReport, "markdown").text).not.toMatch(/^## forged|^\S.*(?<!\\)<script/m);
    for (const format of ["html", "junit", "markdown"] as const) {
      expect(formatContrary(hostileReport, format).text).not.toContain("\u001b");
    }
    expect(contraryTerminalReport(hostileReport)).not.toContain("\u001b");
  });
});
