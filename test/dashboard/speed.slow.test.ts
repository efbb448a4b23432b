import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { addCompanies, madeCompany } from "../support/many-companies.ts";
import { openDashboard } from "../support/open-dashboard.ts";

const requests = 10_000;
const cards = 2000;
const limitMs = 100;
const limitBytes = 300_000;

/** A sandbox with many companies, whose clocks partly differ, and many cards and requests. */
async function openFull() {
  const dashboard = openDashboard({ journal: requests });
  const { control, clock, order, request, exchange, visit } = dashboard;
  addCompanies(dashboard, 10_000);
  for (const n of [1, 50, 500, 5000]) await clock.advance({ by: "PT1H", company: madeCompany(n) });
  const [northwind] = dashboard.world({ limit: 1 }).companies;
  control.companies.change(northwind?.id ?? "", { card_quota: requests });
  const token = await exchange("sk_sandbox_northwind_owner");
  let card = "";
  for (let n = 0; n < cards; n++) card = (await order({ token })).json.id;
  const headers = { Authorization: `Bearer ${token}` };
  for (let n = cards; n < requests; n++) {
    await request(n % 3 === 0 ? "/developer/cards/none" : "/developer/cards?limit=1", { headers });
  }
  const pages = [
    ...[
      "",
      "/requests",
      "/requests?q=status:4xx",
      "/requests?q=none",
      "/scenarios",
      "/webhooks",
      "/world",
      "/world?search=made-7",
    ],
    ...["/cards", "/cards?status=active", `/cards/${card}`, `/companies/${northwind?.id}`],
    ...[`/requests/${cards + 1}`, `/requests/${cards + 1}/edit`, "/assumptions", "/contract", "/report"],
  ];
  return { visit, pages };
}

type Visit = ReturnType<typeof openDashboard>["visit"];

/** The median time of five visits after a first one, and the size of the page. */
async function measure(visit: Visit, path: string) {
  const times: number[] = [];
  let page = await visit(path);
  for (let run = 0; run < 5; run++) {
    const startedMs = performance.now();
    page = await visit(path);
    times.push(performance.now() - startedMs);
  }
  const ms = times.sort((a, b) => a - b)[2] ?? Number.POSITIVE_INFINITY;
  return { ...page, ms, bytes: Buffer.byteLength(page.html) };
}

test(`with ${requests} requests, each page takes less than ${limitMs} ms and has less than 300 KB`, async ({
  annotate,
}) => {
  const { visit, pages } = await openFull();
  const tooMuch: string[] = [];
  for (const path of pages) {
    const { status, ms, bytes, html } = await measure(visit, path);
    const figures = `${path || "/"}: ${ms.toFixed(1)} ms, ${(bytes / 1000).toFixed(0)} KB, status ${status}`;
    await annotate(figures);
    if (status !== 200 || ms >= limitMs || bytes >= limitBytes) tooMuch.push(figures);
    expect([path, /<[^>]+ (?:style|on[a-z]+)=|<style|<script(?! src=)/.exec(html)?.[0]]).toEqual([
      path,
      undefined,
    ]);
  }
  expect(tooMuch).toEqual([]);
});

test("the files of the dashboard are smaller than 60 KB in all", () => {
  const files = ["dashboard.css", "dashboard.js", "mark.svg"].map(
    (name) => readFileSync(new URL(`../../src/dashboard/files/${name}`, import.meta.url)).length,
  );
  expect(files.reduce((sum, each) => sum + each, 0)).toBeLessThan(60_000);
});
