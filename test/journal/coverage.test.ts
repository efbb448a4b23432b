import { describe, expect, test } from "vitest";
import { defaultContract, reachablePoints } from "../../src/contract/dialect.ts";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import { unreadPoints } from "../../src/contract/responses.ts";
import { Coverage } from "../../src/journal/coverage.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import { globTest } from "../../src/rules/glob.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A sandbox after an exchange, an order, its replay, and refusals of the owner and the admin. */
async function withRequests() {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  await sandbox.order({ token, key });
  await sandbox.order({ token, key });
  await sandbox.order({ token, key: key.replace("30", "31"), body: { pin: "12" } });
  await sandbox.order({ apiKey: "sk_sandbox_fullhouse_owner" });
  const coverage = async (query = "") => sandbox.request(`/_sandbox/coverage${query}`);
  return { ...sandbox, coverage };
}

const points = (report: { points: { id: string; times: number }[] }) =>
  Object.fromEntries(report.points.filter(({ times }) => times > 0).map(({ id, times }) => [id, times]));

describe("GET /_sandbox/coverage", () => {
  test("counts the requests that met each point, and has the first one", async () => {
    const { coverage } = await withRequests();
    const { json } = await coverage();
    expect(points(json)).toEqual({
      "token.issued": 2,
      "order.created": 1,
      "order.replayed": 1,
      "order.pin_invalid": 1,
      "order.account_not_found": 1,
    });
    expect(json.points.find(({ id }: { id: string }) => id === "order.replayed")).toEqual({
      id: "order.replayed",
      status: 201,
      provenance: "specified",
      spec: "§4",
      title: contractPoints["order.replayed"].title,
      operations: ["orderPhysicalCard"],
      met_by: ["orderPhysicalCard"],
      times: 1,
      first: {
        request_id: "3",
        method: "POST",
        path: "/developer/cards/physical",
        time: "2026-03-10T09:30:00.000Z",
      },
      excluded: false,
    });
  });

  test("totals by provenance and by operation; the sandbox's own errors and unread requests are excluded", async () => {
    const { coverage } = await withRequests();
    const { json } = await coverage();
    const counted = reachablePoints(defaultContract).length - 4 - unreadPoints.length;
    expect(json.total).toEqual({ points: counted, met: 5 });
    expect(json.by_provenance.specified.met).toBe(5);
    expect(json.by_provenance.assumed.met).toBe(0);
    expect(json.by_operation.orderPhysicalCard.met).toBe(4);
    expect(json.by_operation.exchangeSandboxKey).toMatchObject({ met: 1 });
    expect(json.by_operation.exchangeLiveKey).toMatchObject({ met: 0 });
  });

  test("?company= counts the requests of one company only, even after it is deleted", async () => {
    const { coverage, control } = await withRequests();
    expect(points((await coverage("?company=fullhouse")).json)).toEqual({
      "token.issued": 1,
      "order.account_not_found": 1,
    });
    control.companies.delete("northwind");
    expect(points((await coverage("?company=northwind")).json)["order.created"]).toBe(1);
  });

  test("excludes points from the totals by id or by pattern", async () => {
    const { coverage } = await withRequests();
    const { json } = await coverage("?exclude=gateway.*,on_behalf_of.*,order.replayed");
    expect(json.total.met).toBe(4);
    const excluded = json.points.filter((point: { excluded: boolean }) => point.excluded);
    expect(excluded.map(({ id }: { id: string }) => id.split(".")[0])).toEqual(
      expect.arrayContaining(["gateway", "on_behalf_of", "order"]),
    );
    expect(json.total.points + excluded.length).toBe(json.points.length);
  });

  test("matches patterns with any number of asterisks in linear time", async () => {
    const { coverage } = await withRequests();
    for (const pattern of [`${"*".repeat(8)}zz`, `${"*e".repeat(8)}zz`, "*".repeat(8000)]) {
      const startedMs = performance.now();
      await coverage(`?exclude=${pattern}`);
      expect(performance.now() - startedMs).toBeLessThan(1000);
    }
  });

  test.each<[pattern: string, id: string, matches: boolean]>([
    ["order.created", "order.created", true],
    ["order.created", "order.created2", false],
    ["order.*", "order.created", true],
    ["order.*", "border.created", false],
    ["*.created", "order.created", true],
    ["*.created", "order.created.late", false],
    ["o*r.*d", "order.created", true],
    ["order.c*created", "order.created", false],
    ["order.created*", "order.created", true],
    ["order**created", "order.created", true],
    ["*", "order.created", true],
    ["", "order.created", false],
    ["order?created", "order.created", false],
    ["ab*ba", "aba", false],
  ])("the pattern %j against %j: %s", (pattern, id, matches) => {
    expect(globTest([pattern])(id as ContractPointId)).toBe(matches);
  });

  test("is kept by a reset, and cleared with the requests", async () => {
    const sandbox = await withRequests();
    sandbox.reset();
    expect(sandbox.coverage).toBeDefined();
    expect((await sandbox.coverage()).json.total.met).toBe(5);
    await sandbox.request("/_sandbox/requests", { method: "DELETE" });
    expect((await sandbox.coverage()).json.total.met).toBe(0);
  });

  test("counts even if the journal keeps no requests", async () => {
    const sandbox = openSandbox({ journal: 0 });
    await sandbox.order();
    const report = sandbox.coverage({ company: "northwind" });
    expect(report.points.find(({ id }) => id === "order.created")?.first?.request_id).toBe("2");
  });

  test.each([
    ["?format=pdf", 'format: must be one of "json", "markdown", "junit", "html", but is "pdf"'],
    ["?excluded=a", 'unknown parameter "excluded"'],
    [
      "?exclude=order.creatd",
      'exclude: unknown contract point "order.creatd". Did you mean "order.created"?',
    ],
  ])("refuses %s with 400", async (query, message) => {
    const reply = await (await withRequests()).coverage(query);
    expect([reply.status, reply.json.error]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe("its formats", () => {
  const text = async (format: string) => {
    const { fetch } = await withRequests();
    const response = await fetch(`http://sandbox/_sandbox/coverage?format=${format}&exclude=gateway.*`);
    return { type: response.headers.get("Content-Type"), body: await response.text() };
  };

  test("Markdown has a row for each point", async () => {
    const { type, body } = await text("markdown");
    expect(type).toBe("text/markdown; charset=utf-8");
    expect(body).toContain("| `order.replayed` | 201 | specified | §4 | 1 | 3 |");
    expect(body).toContain("| `gateway.not_found` | 404 | assumed | §4, §7 | excluded |  |");
    expect(body).toContain("| `POST /developer/cards/physical` | 4 of ");
  });

  test("JUnit has a case for each point: met passes, not met fails, excluded is skipped", async () => {
    const { type, body } = await text("junit");
    expect(type).toBe("application/xml; charset=utf-8");
    expect(body).toContain('<testcase name="order.created" classname="card-sandbox.specified"/>');
    expect(body).toContain(
      '<testcase name="order.quota_reached" classname="card-sandbox.specified"><failure message="not met: 422 The company has reached its card quota (§7, §8)"/></testcase>',
    );
    expect(body).toContain(
      '<testcase name="gateway.not_found" classname="card-sandbox.assumed"><skipped/></testcase>',
    );
    const [, tests, failures, skipped] = /tests="(\d+)" failures="(\d+)" skipped="(\d+)"/.exec(body) ?? [];
    expect([tests, failures, skipped].map(Number)).toEqual([
      body.match(/<testcase/g)?.length,
      body.match(/<failure/g)?.length,
      body.match(/<skipped/g)?.length,
    ]);
  });

  test("HTML is one page without external resources, and escapes sent values", async () => {
    const sandbox = openSandbox();
    await sandbox.request("/<script>alert(1)</script>");
    const response = await sandbox.fetch("http://sandbox/_sandbox/coverage?format=html");
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    const body = await response.text();
    expect(body).not.toMatch(/<script|https?:|src=|href=/);
    expect(body).toContain("default-src 'none'");
    expect(body).toContain('<th scope="row">gateway.<wbr>not_<wbr>found</th>');
    expect(body).toContain("/&lt;script&gt;alert(1)&lt;/<wbr>script&gt;");
  });
});

const caller = (company: number) => ({
  companyPk: company,
  companyId: `company ${company}`,
  companySlug: `company-${company}`,
  environment: "sandbox",
});

/** A coverage that has recorded one exchange of each company, in this order. */
function coverageOf(companies: Iterable<number>): Coverage {
  const coverage = new Coverage(() => defaultContract);
  let id = 0;
  for (const company of companies) {
    const exchange = {
      method: "POST",
      path: `/of/${company}`,
      operation: "orderPhysicalCard",
      point: "order.created",
      caller: caller(company),
      atMs: 0,
    };
    coverage.record(exchange as Exchange, ++id);
  }
  return coverage;
}

function created(coverage: Coverage, company?: number) {
  const { points } = coverage.report(company === undefined ? {} : { company: `company ${company}` });
  const { times, first } = points.find(({ id }) => id === "order.created") ?? {};
  return { times, first: first?.request_id };
}

const many = Array.from({ length: 5000 }, (_, n) => n);

describe("the coverage of thousands of companies", () => {
  test("counts every request", () => {
    const coverage = coverageOf([...many, ...many]);
    expect(created(coverage)).toEqual({ times: 10_000, first: "1" });
    expect(coverage.report().by_operation.orderPhysicalCard.met).toBe(1);
  });

  test("counts the latest companies separately, and those that call repeatedly", () => {
    const coverage = coverageOf(many.flatMap((n) => [n, 0]));
    expect(created(coverage, 0)).toEqual({ times: 5001, first: "1" });
    expect(created(coverage, 4999).times).toBe(1);
    expect(created(coverage, 4751).times).toBe(1);
    expect(created(coverage, 1).times).toBe(0);
  });

  test("clear drops all counts", () => {
    const coverage = coverageOf(many);
    coverage.clear();
    expect(created(coverage)).toEqual({ times: 0, first: undefined });
  });
});
