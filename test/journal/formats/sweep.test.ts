import { describe, expect, test } from "vitest";
import { reportFormats } from "../../../src/journal/formats/formatted.ts";
import { formatSweep } from "../../../src/journal/formats/sweep.ts";
import { faultWords } from "../../../src/journal/formats/sweep-grid.ts";
import { sweepTerminalReport } from "../../../src/journal/formats/sweep-terminal.ts";
import type { Paint } from "../../../src/journal/formats/terminal.ts";
import { faultNames } from "../../../src/sweep/faults.ts";
import {
  hostileReport,
  largeReport,
  sweepCell,
  sweepReport,
  twoCards,
  variedReport,
} from "../../support/sweep-report.ts";

const mark: Paint = (style, text) => `<${style}>${text}</${style}>`;

describe("the report of a sweep on a terminal", () => {
  test("shows the grid, the stories of failing cells and the rest in brief", () => {
    expect(sweepTerminalReport(variedReport())).toMatchInlineSnapshot(`
      "
                          503  502  lost  truncated  created-502  silent  429  401
      exchangeSandboxKey   ✓    –    –        –           –         –      –    –
      orderPhysicalCard    !    …    ✗        ✗           ✗         ✗      ✗    ~

      ✓ survived  ! failed  ✗ damaged, hung or crashed  ~ not reached  … not run  – does not apply

      ✗ hung (1)
        orderPhysicalCard #3, no response: no timeout within 5 s.
          Repeat: card-sandbox sweep --cell orderPhysicalCard#3:silent-response -- npm test

      ✗ crashed (1)
        orderPhysicalCard #3, response truncated: signal SIGSEGV.
          Repeat: card-sandbox sweep --cell orderPhysicalCard#3:truncated-response -- npm test

      ✗ damaged (2)
        orderPhysicalCard #3, response lost: 2 cards for one order.
          POST orderPhysicalCard  key A → card created, response lost
          POST orderPhysicalCard  key B → 201 order.created            a new key: the first card is a duplicate
          + 1 card only in this run: account: operating; type: physical
          New findings: IDEM-1 (critical): Retry with a new key
          | AssertionError: expected 1
          |     at order.test.ts:12:5
          Repeat: card-sandbox sweep --cell orderPhysicalCard#3:lost-response -- npm test

        orderPhysicalCard #1, 429, then response lost: 2 cards for one order.
          POST orderPhysicalCard  key A → card created, response lost
          POST orderPhysicalCard  key B → 201 order.created            a new key: the first card is a duplicate
          + 1 card only in this run: account: operating; type: physical
          New findings: IDEM-1 (critical): Retry with a new key
          | AssertionError: expected 1
          |     at order.test.ts:12:5
          Repeat: card-sandbox sweep --cell orderPhysicalCard#1:rate-limited+lost-response -- npm test

      ! failed (1)
        orderPhysicalCard #2, 503 from the issuer: 1 card fewer.

      ~ not reached (1)
        orderPhysicalCard #1, access token expired

      Accepted by the baseline (1)
        orderPhysicalCard#2:created-but-502

      In the baseline, but no longer so (1)
        orderPhysicalCard#1:lost-response

      Unstable calls, which are swept only with --unstable (1)
        listCards#1: the second reference run does not repeat it

      Not compared, because the two reference runs differ (1)
        default: name, address

      Shortened waits (1)
        Latency of issuer-slow: 300 ms instead of 3000 ms

      Cells not run: the budget of 10 minutes was used up (1)
        orderPhysicalCard#3:issuer-bad-gateway

      10 cells: 1 hung, 1 crashed, 3 damaged, 1 failed, 3 survived, 1 not reached, 1 accepted by the baseline
      card-sandbox: failed, exit code 1
      "
    `);
  });

  test("wraps the grid into blocks on a narrow terminal", () => {
    const lines = sweepTerminalReport(variedReport(), undefined, 40).split("\n");
    const heads = lines.filter((each) => /^ {18}/.test(each));
    expect(heads.map((each) => each.trim())).toMatchInlineSnapshot(`
      [
        "503  502  lost",
        "truncated",
        "created-502  silent",
        "429  401",
      ]
    `);
    expect(Math.max(...heads.map(({ length }) => length))).toBeLessThanOrEqual(40);
  });

  test("keeps at least one column in each block, however narrow the terminal is", () => {
    expect(sweepTerminalReport(variedReport(), undefined, 1)).toMatch(/^ +lost\n/m);
  });

  test("prefixes operations with their label if there are several", () => {
    const cells = ["a/orderPhysicalCard#1:lost-response", "b/orderPhysicalCard#1:lost-response"];
    const report = sweepReport(cells.map((id) => sweepCell(id, "survived")));
    expect(sweepTerminalReport(report)).toMatch(/^a\/orderPhysicalCard +✓\nb\/orderPhysicalCard +✓$/m);
  });

  test("sums up the labels if there are many", () => {
    const text = sweepTerminalReport(largeReport());
    expect(text).toContain("Each row sums up all labels.");
    expect(text.match(/^orderPhysicalCard +✗/gm)).toHaveLength(1);
  });

  test("puts a cell with two faults into the column of the first one, and the worst cell decides", () => {
    const report = sweepReport([
      sweepCell("listCards#1:lost-response", "survived"),
      sweepCell("listCards#1:lost-response+rate-limited", "damaged"),
    ]);
    const text = sweepTerminalReport(report);
    expect(text).toMatch(/^listCards +✗$/m);
    expect(text).toContain("listCards #1, response lost, then 429: 2 cards for one order.");
  });

  test("has a heading and a description for each fault", () => {
    expect(faultNames.filter((name) => faultWords(name) === name)).toEqual([]);
    const report = sweepReport(
      faultNames.map((name) => sweepCell(`orderPhysicalCard#1:${name}`, "survived")),
    );
    const [blank = "", heads = ""] = sweepTerminalReport(report, undefined, 500).split("\n");
    expect([blank, heads.trim()]).toMatchInlineSnapshot(`
      [
        "",
        "503  502  lost  empty  truncated  created-502  slow  silent  in-flight  lost-in-flight  dropped  429  409  401  bad-token  refused  webhook",
      ]
    `);
  });

  test("tells failed cells in full if they fail the sweep", () => {
    const report = {
      ...sweepReport([sweepCell("listCards#1:silent-response", "failed", twoCards)]),
      fail_on: "failed" as const,
    };
    expect(sweepTerminalReport(report)).toContain(
      "    Repeat: card-sandbox sweep --cell listCards#1:silent-response",
    );
  });

  test("has colors for verdicts", () => {
    const text = sweepTerminalReport(variedReport(), mark);
    expect(text).toContain("<red>✗ damaged (2)</red>");
    expect(text).toContain("<yellow>! failed (1)</yellow>");
    expect(text).toContain("<red>card-sandbox: failed, exit code 1</red>");
    expect(sweepTerminalReport(sweepReport([], { exit_code: 0 }), mark)).toContain(
      "<green>card-sandbox: passed</green>",
    );
  });

  test("shows why the sweep could not run", () => {
    const problem = "the command made no call to the sandbox. Use sweepTest() for createSandbox()";
    expect(sweepTerminalReport(sweepReport([], { problem, output: "1 failed\n" }))).toBe(
      `\n| 1 failed\n${problem}\ncard-sandbox: failed, exit code 1\n`,
    );
  });

  test("tells at most 20 stories", () => {
    const text = sweepTerminalReport(largeReport());
    expect(text.match(/Repeat:/g)).toHaveLength(20);
    expect(text).toContain("  647 more: add --report FILE.html to see all\n");
    expect(text.length).toBeLessThan(100_000);
  });
});

describe("the report of a sweep as Markdown", () => {
  test("has the grid as a table, and stories as code blocks", () => {
    const { text, type } = formatSweep(variedReport(), "markdown");
    expect(type).toBe("text/markdown; charset=utf-8");
    expect(text).toContain("# Sweep of npm\n\n**Failed**, exit code 1. 10 cells: 1 hung, 1 crashed, ");
    expect(text).toMatch(
      /^\| {2}\| 503 \| 502 \| lost \| truncated \| created-502 \| silent \| 429 \| 401 \|$/m,
    );
    expect(text).toMatch(/^\| orderPhysicalCard \| ! \| … \| ✗ \| ✗ \| ✗ \| ✗ \| ✗ \| ~ \|/m);
    expect(text).toContain("\n\n    POST orderPhysicalCard  key A → card created, response lost\n");
    expect(text).toContain("## ! failed (1)\n\norderPhysicalCard \\#2, 503 from the issuer: 1 card fewer.");
  });

  test("fits into the job summary of GitHub", () => {
    const { text } = formatSweep(largeReport(5000), "markdown");
    expect(new TextEncoder().encode(text).length).toBeLessThan(500_000);
    expect(text).toMatch(/[0-9]+ more: see the report as HTML or JSON\./);
  });
});

describe("the report of a sweep as JUnit", () => {
  test("has a case for each cell: failing ones with their story, those that were not run as skipped", () => {
    const { text } = formatSweep(variedReport(), "junit");
    expect(text).toContain('<testsuite name="sweep" tests="12" failures="4" skipped="3">');
    expect(text).toContain('<testcase name="reference run" classname="card-sandbox.sweep"/>');
    expect(text).toMatch(
      /<testcase name="orderPhysicalCard#3:lost-response" classname="card-sandbox.sweep.orderPhysicalCard"><failure message="damaged: [^"]+">POST orderPhysicalCard/,
    );
    expect(text).toContain(
      "Repeat: card-sandbox sweep --cell orderPhysicalCard#3:lost-response -- npm test</failure>",
    );
    expect(text).toContain('<skipped message="not run: the budget of 10 minutes was used up"/>');
    expect(text).toContain('<skipped message="accepted by the baseline: damaged: ');
  });

  test("fails if the sweep could not run", () => {
    const { text } = formatSweep(sweepReport([], { problem: "it fails", output: "1 of 2\n" }), "junit");
    expect(text).toContain('classname="card-sandbox.sweep"><failure message="it fails">1 of 2</failure>');
  });
});

test("the command that repeats a cell is shown as it is, with the spaces of its arguments", () => {
  const repeat = "card-sandbox sweep --cell listCards#1:conflict -- npm run 'a  b'";
  const report = sweepReport([sweepCell("listCards#1:conflict", "damaged", { repeat })]);
  expect(sweepTerminalReport(report)).toContain(`Repeat: ${repeat}\n`);
  expect(formatSweep(report, "markdown").text).toContain(`Repeat: ${repeat}\n`);
  expect(formatSweep(report, "html").text).toContain("npm run &#39;a  b&#39;</code>");
});

test("the report of a sweep as JSON is the report without the client's output", () => {
  const report = variedReport();
  const { text, type } = formatSweep(report, "json");
  expect(type).toBe("application/json");
  const cells = report.cells.map((cell) => ({ ...cell, output: null }));
  expect(JSON.parse(text)).toEqual({ ...report, output: null, cells });
});

describe("the report of a sweep as HTML", () => {
  test("is one page without scripts and external resources", () => {
    const { text, type } = formatSweep(variedReport(), "html");
    expect(type).toBe("text/html; charset=utf-8");
    expect(text).toContain("<h1>Sweep of npm</h1>");
    expect(text).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|<img|src=|url\(|https?:/);
  });

  test("links each field of the grid to the details of its worst cell", () => {
    const { text } = formatSweep(variedReport(), "html");
    const link =
      /<td class="damaged" title="1 damaged, 1 survived"><a href="#(cell-[0-9]+)">✗<span class="unseen"> damaged<\/span> <small>1\/2<\/small><\/a><\/td>/;
    const [, id] = link.exec(text) ?? [];
    expect(text).toMatch(
      new RegExp(
        `<summary>✗ orderPhysicalCard #3, response lost: 2 cards for one order.</summary>\n<div id="${id}">`,
      ),
    );
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, each]) => each);
    expect(ids).toEqual([...new Set(ids)]);
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, each]) => each);
    expect(targets.length).toBeGreaterThan(5);
    expect(targets.filter((each) => !ids.includes(each))).toEqual([]);
    expect(text).toContain("exit code 1. 10 cells");
  });

  test("leaves out the details of survived cells first to stay below 2 MB", () => {
    const { text } = formatSweep(largeReport(), "html");
    expect(new TextEncoder().encode(text).length).toBeLessThan(2_000_000);
    expect(text).toMatch(/<p>The details of [0-9]+ cells are left out: see the report as JSON\.<\/p>/);
    const shown = text.match(/<details class="sweep-cell (damaged|survived)"/g) ?? [];
    expect(shown.length).toBeGreaterThan(50);
    expect(text.match(/<details class="[^"]+" open>/g)).toHaveLength(20);
  });
});

describe("dangerous text in the report of a sweep", () => {
  test("is escaped on a terminal", () => {
    expect(sweepTerminalReport(hostileReport())).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });

  test("is escaped in HTML and JUnit", () => {
    for (const format of ["html", "junit"] as const) {
      const { text } = formatSweep(hostileReport(), format);
      expect(text).toContain("&lt;script&gt;alert(1)");
      expect(text).not.toContain("<script");
      expect(text).not.toContain("]]>");
      expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
    }
  });

  test("stays text in Markdown", () => {
    const { text } = formatSweep(hostileReport(), "markdown");
    const outside = text.split("\n").filter((each) => !each.startsWith("    "));
    expect(outside.join("\n")).not.toMatch(/(?<!\\)<script|^## forged|(?<!\\)`/m);
    const [head = ""] = outside.filter((each) => each.startsWith("|"));
    expect(outside.filter((each) => each.startsWith("|") && cellsOf(each) !== cellsOf(head))).toEqual([]);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });

  /** The number of cells in a row of a table. */
  const cellsOf = (row: string) => row.match(/(?<!\\)\|/g)?.length;
});

describe("the evidence of a sweep", () => {
  const message = (body: string) => ({ headers: { "content-type": "text/plain" }, body });
  const request = (id: string, body: string) => ({
    ...{ id, method: "POST", path: "/developer/cards/physical", query: "", status: 201 },
    ...{ point: "order.created" as const, time: "2026-03-10T09:30:00.000Z" },
    ...{ request: message(body), response: message("<pong>") },
  });
  const damaged = (id: string, body: string) => ({
    ...sweepCell(id, "damaged", twoCards),
    ...{ evidence: [request("38", body)], tape: "a.tape", replay: "card-sandbox replay a.tape --until 38" },
  });

  test("is in each format, with the command that replays it", () => {
    const report = sweepReport([damaged("orderPhysicalCard#1:lost-response", "<ping>")]);
    const [json, markdown, xml, html] = reportFormats.map((format) => formatSweep(report, format).text);
    expect(JSON.parse(json ?? "").cells[0].evidence).toEqual(report.cells[0]?.evidence);
    expect(json).not.toContain('left_out": 1');
    const title = "Request 38: POST /developer/cards/physical → 201 order.created, 2026-03-10T09:30:00.000Z";
    expect(markdown).toContain(
      `<details><summary>${title}</summary>\n\n    > content-type: text/plain\n    >\n    > <ping>`,
    );
    expect(xml).toContain(`${title}\n&gt; content-type: text/plain\n&gt;\n&gt; &lt;ping&gt;\n`);
    expect(html).toContain(`<details class="evidence"><summary>${title}</summary><pre tabindex="0">&gt; `);
    for (const text of [json, markdown, xml, html])
      expect(text).toContain("card-sandbox replay a.tape --until 38");
    expect(sweepTerminalReport(report)).toContain("Replay: card-sandbox replay a.tape --until 38");
  });

  test("leaves room for the cells themselves, in all formats", () => {
    const cells = Array.from({ length: 3000 }, (_, i) => damaged(`op${i}#1:fault${i}`, `${i}`.repeat(2000)));
    const survived = sweepCell("orderPhysicalCard#1:lost-response", "survived", {
      evidence: [request("1", "ok")],
    });
    const report = sweepReport([survived, ...cells]);
    const [json = "", markdown, xml, html] = reportFormats.map((format) => formatSweep(report, format).text);
    for (const text of [json, markdown, xml, html]) {
      expect(new TextEncoder().encode(text).length).toBeLessThan(2_000_000);
    }
    const read = JSON.parse(json);
    expect(read.cells.map(({ id }: { id: string }) => id)).toEqual(report.cells.map(({ id }) => id));
    expect(read.details_left_out).toBeGreaterThan(1);
    expect(read.cells[0].evidence).toEqual([]);
    expect(read.cells[1].evidence.length).toBe(1);
    expect(read.evidence_left_out).toBeGreaterThan(1000);
    const note =
      /To limit its size, this report leaves out ([0-9]+ cells' details and )?the evidence of [0-9]+ requests/;
    for (const text of [markdown, xml?.replaceAll("&#39;", "'"), html]) expect(text).toMatch(note);
  });
});

test("formats 5,000 cells in all formats in a few seconds, in bounded size", () => {
  const cells = Array.from({ length: 5000 }, (_, i) =>
    sweepCell(`label${i}/op${i}#1:fault${i}`, "damaged", twoCards),
  );
  const report = sweepReport(cells);
  const startedMs = performance.now();
  expect(sweepTerminalReport(report).length).toBeLessThan(100_000);
  expect(formatSweep(report, "html").text.length).toBeLessThan(2_000_000);
  expect(formatSweep(report, "markdown").text.length).toBeLessThan(500_000);
  expect(formatSweep(report, "junit").text.length).toBeLessThan(2_000_000);
  formatSweep(report, "json");
  expect(performance.now() - startedMs).toBeLessThan(15_000);
});
