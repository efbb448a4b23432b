import { describe, expect, test } from "vitest";
import { addCompanies, madeCompany as made } from "../support/many-companies.ts";
import { openDashboard } from "../support/open-dashboard.ts";

const count = 10_000;

function openCrowded() {
  const dashboard = openDashboard();
  addCompanies(dashboard, count);
  return dashboard;
}

const hrefs = (html: string, text: string) =>
  new RegExp(`href="([^"]+)">${text}<`).exec(html)?.[1]?.replaceAll("&amp;", "&");

describe(`with ${count} companies`, () => {
  test("each page and list reads a bounded number of rows", async () => {
    const dashboard = openCrowded();
    const { visit, database } = dashboard;
    const reply = await dashboard.order();
    const { all } = database;
    let rows = 0;
    database.all = ((...args: Parameters<typeof all>) => {
      const read = all.apply(database, args);
      rows += read.length;
      return read;
    }) as typeof all;
    const pages = [
      ...[
        "",
        "/requests",
        "/requests/2",
        "/scenarios",
        "/scenarios/in-flight",
        "/contract",
        "/world",
        "/webhooks",
        "/cards",
        "/report",
      ],
      ...["/requests", "/scenarios", "/cards", "/report"].map((page) => `${page}?company=made-7`),
      `/companies/${made(9000)}`,
      `/world?after=${made(9000)}`,
      "/world?search=made-77",
      `/cards/${reply.json.id}`,
      "/_sandbox/world",
    ];
    const read = [];
    for (const page of pages) {
      rows = 0;
      const { status } = await visit(page);
      read.push([page, status, rows <= 2_600 ? "bounded" : rows]);
    }
    expect(read).toEqual(pages.map((page) => [page, 200, "bounded"]));
  });

  test("lists every company page by page, and finds it by search", async () => {
    const { visit } = openCrowded();
    const first = await visit("/world");
    expect(first.text).toContain(`${count + 5} companies`);
    expect(first.text).toContain("made-15 ");
    expect(first.text).not.toContain("made-16 ");
    const second = await visit(hrefs(first.html, "Next page") ?? "");
    expect(second.text).toContain("made-16 ");
    const last = await visit(`/world?after=${made(count - 1)}`);
    expect(last.text).toContain(`made-${count} `);
    expect(last.html).not.toContain(">Next page<");
    const found = await visit("/world?search=MADE-9999");
    expect(found.text).toContain("1 company found");
    expect(found.html).toContain(`/companies/${made(9999)}`);
  });

  test("the World page shows the keys of a company, and its page creates one", async () => {
    const { visit, submit } = openCrowded();
    expect((await visit("/world?search=made-7000")).text).toContain("sk_sandbox_7000…");
    const company = `/companies/${made(7000)}`;
    expect((await visit(company)).text).toContain("sk_sandbox_7000…");
    const member = "00000002-0000-4000-8000-000000007000";
    expect((await submit(`${company}/keys`, { member })).text).toContain("The API key is created.");
  });

  test.each(["/scenarios", "/cards", "/report"])(
    "%s accepts a company's slug and suggests some",
    async (page) => {
      const { visit } = openCrowded();
      const { html } = await visit(`${page}?company=${made(8000)}`);
      expect(html).toMatch(
        /<input [^>]*name="company"[^>]*value="made-8000"|value="made-8000"[^>]*name="company"/,
      );
      expect(html.match(/<option value="(made-|northwind)/g)?.length).toBeLessThanOrEqual(50);
      expect((await visit(`${page}?company=made-8000`)).status).toBe(200);
    },
  );

  test("arms a scenario for a company named by its slug", async () => {
    const { visit, submit, control } = openCrowded();
    const { html } = await visit("/scenarios?company=made-8000");
    expect(html).toContain('name="company" value="made-8000"');
    await submit("/scenarios/quota-reached/arm", { company: "made-8000" });
    expect(control.scenarios.armed().armed).toMatchObject([{ company: "made-8000" }]);
    expect((await visit("/scenarios?company=made-8001")).text).toContain("No scenario is armed");
  });
});

test("pages of an unknown company are not found, except requests, the contract and the report", async () => {
  const { visit } = openDashboard();
  for (const page of ["/scenarios", "/cards"]) {
    expect([page, (await visit(`${page}?company=nobody`)).status]).toEqual([page, 404]);
  }
  // The journal may contain requests of deleted companies.
  for (const page of ["/requests", "/contract", "/report"]) {
    expect([page, (await visit(`${page}?company=nobody`)).status]).toEqual([page, 200]);
  }
});

describe("GET /_sandbox/world lists page by page", () => {
  const worldOf = async (query: string) => {
    const sandbox = openDashboard();
    addCompanies(sandbox, count);
    return (await sandbox.request(`/_sandbox/world${query}`)).json;
  };
  const slugs = ({ companies }: { companies: readonly { slug: string }[] }) =>
    companies.map(({ slug }) => slug);

  test("up to 500 companies, and whether more follow", async () => {
    const all = await worldOf("");
    expect([all.companies.length, all.has_more]).toEqual([500, true]);
    expect(openDashboard().world().has_more).toBe(false);
  });

  test("companies after another, by environment, by search, or a single one", async () => {
    expect(slugs(await worldOf(`?limit=2&after=made-${count - 3}`))).toEqual([
      `made-${count - 2}`,
      `made-${count - 1}`,
    ]);
    expect(await worldOf(`?after=made-${count - 1}`)).toMatchObject({
      companies: [{ id: made(count) }],
      has_more: false,
    });
    expect(slugs(await worldOf("?environment=live"))).toEqual(["northwind"]);
    expect(slugs(await worldOf("?search=live/north"))).toEqual(["northwind"]);
    expect(slugs(await worldOf("?search=Made 9999"))).toEqual(["made-9999"]);
    expect(slugs(await worldOf("?search=100%25"))).toEqual([]);
    expect(slugs(await worldOf("?search=made_9999"))).toEqual([]);
    expect(slugs(await worldOf("?company=made-77"))).toEqual(["made-77"]);
  });

  test.each([
    ["?limit=0", 400, "limit: must be an integer from 1 to 500"],
    ["?limit=501", 400, "limit: must be an integer from 1 to 500"],
    ["?environment=test", 400, "environment"],
    ["?page=2", 400, 'unknown parameter "page". Allowed: company, environment, search, limit, after'],
    ["?after=nobody", 404, "no company"],
    ["?company=nobody", 404, "no company"],
  ])("%s: %i", async (query, status, message) => {
    const reply = await openDashboard().request(`/_sandbox/world${query}`);
    expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(message)]);
  });

  test("in the process too", () => {
    const sandbox = openDashboard();
    expect(slugs(sandbox.world({ limit: 1 }))).toEqual(["northwind"]);
    expect(slugs(sandbox.world({ after: "northwind", limit: 1 }))).toEqual(["fullhouse"]);
    expect(() => sandbox.world({ limit: 0.5 })).toThrow("limit: must be an integer");
  });
});
