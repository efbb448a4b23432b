import { describe, expect, test } from "vitest";
import { formatSweep } from "../../src/journal/formats/sweep.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { hostileReport, largeReport, sweepReport, variedReport } from "../support/sweep-report.ts";

/** The dashboard, and its form for report files. */
function openPage(headers: Record<string, string> = { Origin: "http://localhost:4242" }) {
  const dashboard = openDashboard();
  const open = (file: string, name = "sweep.json") => {
    const body = new FormData();
    body.set("file", new File([file], name, { type: "application/json" }));
    return dashboard.visit("/sweep", { method: "POST", body, headers });
  };
  return { ...dashboard, open };
}

const problemIn = (text: string) => /Error: (.*?) Report file/.exec(text)?.[1];

describe("the page of a sweep", () => {
  test("has a form that works without a script", async () => {
    const { visit } = openPage();
    const { status, html, text } = await visit("/sweep");
    expect(status).toBe(200);
    expect(html).toContain('<form method="post" action="/_sandbox/ui/sweep" enctype="multipart/form-data"');
    expect(text).toContain("card-sandbox sweep --report sweep.json -- npm test");
    expect(html).toContain('<a href="/_sandbox/ui/sweep" aria-current="page">');
  });

  test("shows the grid and the details of the report that was sent, without inline styles", async () => {
    const { open } = openPage();
    const { status, html, text } = await open(formatSweep(variedReport(), "json").text);
    expect(status).toBe(200);
    expect(text).toContain("Sweep: npm");
    expect(html).toMatch(/<a href="#cell-[0-9]+">✗/);
    expect(text).toContain("orderPhysicalCard #3, response lost: 2 cards for one order.");
    expect(text).toContain("card-sandbox sweep --cell orderPhysicalCard#3:lost-response -- npm test");
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
  });

  test("opens the report of a later version that has more fields", async () => {
    const { open } = openPage();
    const report = { ...sweepReport([]), exit_code: 0, later: true };
    expect((await open(JSON.stringify(report))).text).toContain("Passed exit code 0.");
  });

  test("escapes dangerous text", async () => {
    const { open } = openPage();
    const { status, html } = await open(JSON.stringify(hostileReport()));
    expect(status).toBe(200);
    expect(html.replace(/<script src="[^"]+" defer="">/, "")).not.toMatch(/<script|<img/i);
    expect(html).toContain("&lt;script&gt;alert(1)");
  });

  test("shows a large report in bounded size", async () => {
    const { open } = openPage();
    const { status, html } = await open(JSON.stringify(largeReport(800)));
    expect(status).toBe(200);
    expect(html.length).toBeLessThan(2_000_000);
  });
});

describe("the page of a sweep refuses", () => {
  const valid = sweepReport([]);
  const cell = largeReport(1).cells[0];
  test.each<[string, string, number, string]>([
    ["text", "hello", 400, "file: must be the JSON report of a sweep, but is not JSON."],
    ["no file", "", 400, "file: choose the report of a sweep."],
    ["another JSON file", "{}", 400, 'but "format: is required and must be 1".'],
    ["a number", "1", 400, 'but "must be an object, but is 1".'],
    [
      "another format",
      '{"format":2}',
      400,
      "file: has format 2, but this version of card-sandbox reads format 1.",
    ],
    [
      "an unknown verdict",
      JSON.stringify({ ...valid, cells: [{ ...cell, verdict: "odd" }] }),
      400,
      "cells.0.verdict: must be one of",
    ],
    ["a card that is no object of strings", withCard({ a: 1 }), 400, "cells.0.differences.0.card: must be"],
  ])("%s", async (_what, file, status, problem) => {
    const { open } = openPage();
    const reply = await open(file);
    expect(reply.status).toBe(status);
    expect(problemIn(reply.text)).toContain(problem);
    expect(problemIn(reply.text)?.length).toBeLessThan(400);
  });

  function withCard(card: unknown): string {
    const difference = { label: "a", only: "cell", times: 1, card };
    return JSON.stringify({ ...valid, cells: [{ ...cell, differences: [difference] }] });
  }

  test("a file over 8 MiB", async () => {
    const { open } = openPage();
    for (const size of [8 * 1024 * 1024 + 1, 9 * 1024 * 1024]) {
      const { status, text } = await open(" ".repeat(size));
      expect(status).toBe(413);
      expect(problemIn(text)).toContain("file: must be at most 8 MiB.");
    }
  });

  test("another content type and a broken form", async () => {
    const { visit, send, origin } = openPage();
    expect((await send("/sweep", { file: "{}" })).text).toContain("must be multipart/form-data, but is");
    const headers = { Origin: origin, "Content-Type": "multipart/form-data; boundary=x" };
    const { status, text } = await visit("/sweep", { method: "POST", body: "broken", headers });
    expect([status, problemIn(text)]).toEqual([400, "form: must be valid multipart/form-data"]);
  });

  test("forms of other sites", async () => {
    for (const headers of [
      { Origin: "http://evil.test" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { Origin: "null" },
    ]) {
      expect((await openPage(headers).open(JSON.stringify(valid))).status).toBe(403);
    }
  });

  test("millions of invalid items in a few seconds", async () => {
    const { open, visit, origin } = openPage();
    const many = (item: string, bytes: number) =>
      `[${Array(Math.floor(bytes / (item.length + 1))).fill(item)}]`;
    const most = 2 * 1000 * 1000;
    const start = JSON.stringify(valid).slice(0, -1);
    const startedMs = performance.now();
    for (const cells of [
      many("0", most),
      many("{}", most),
      "[".repeat(most),
      many(`{"story":${many("{}", 1e6)}}`, most),
    ]) {
      expect((await open(`${start},"cells":${cells}}`)).status).toBe(400);
    }
    const parts = 'a\r\nContent-Disposition: form-data; name="b"\r\n\r\n\r\n--'.repeat(most / 60);
    const headers = { Origin: origin, "Content-Type": "multipart/form-data; boundary=a" };
    expect((await visit("/sweep", { method: "POST", body: `--${parts}a--\r\n`, headers })).status).toBe(400);
    expect(performance.now() - startedMs).toBeLessThan(15_000);
  });

  test("no long texts, which it cuts", async () => {
    const { open } = openPage();
    const long = "#1:&".repeat(200_000);
    const { status, html } = await open(
      JSON.stringify({
        ...valid,
        client: long,
        problem: long,
        cells: [{ ...cell, id: long, call: long, reason: long }],
      }),
    );
    expect([status, html.length < 500_000]).toEqual([200, true]);
  });
});
