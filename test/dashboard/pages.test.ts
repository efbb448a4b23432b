import { describe, expect, test } from "vitest";
import { openDashboard } from "../support/open-dashboard.ts";
import { cardOf } from "../support/open-sandbox.ts";

describe("each page shows its essentials", () => {
  const pages: readonly (readonly [path: string, title: string, ...texts: string[]])[] = [
    ["", "Overview", "Sandbox base URL", "http://localhost:4242", "Seed 1", "5 companies", "running"],
    ["", "Overview", "sk_sandbox_northwind_owner", "/developer/cards/physical", "No scenario is armed"],
    ["/requests", "Requests", "No requests yet", "curl -si -X POST http://localhost:4242/developer"],
    ["/scenarios", "Scenarios", "422: the card quota is reached", "order.quota_reached", "Arm once"],
    ["/assumptions", "Assumptions", "Status of a replayed request", "replay.status", "in effect", "Select"],
    ["/world", "World", "Northwind Traders Ltd", "Create an isolated company", "sk_sandbox_northwind_owner"],
    ["/cards", "Cards", "Full House Events Ltd", "Farah Qureshi", "terminated"],
    ["/contract", "Contract", "order.issuer_unavailable", "issuer-unavailable", "not met", "0 of"],
    ["/report", "Report", "No findings", "0 of", "the sandbox received no requests"],
    ["/sweep", "Sweep", "No report is open", "Report file (JSON)"],
  ];
  test.each(pages)("%s: %s", async (path, title, ...texts) => {
    const { visit } = openDashboard();
    const { status, html, text } = await visit(path);
    expect(status).toBe(200);
    expect(html).toMatch(/^<!doctype html>/i);
    expect(html).toContain(`<title>${title} · card-sandbox</title>`);
    for (const each of texts) expect(text).toContain(each);
  });

  test("the menu marks the current page", async () => {
    const { visit } = openDashboard();
    expect((await visit("/cards")).html).toMatch(/<a href="\/_sandbox\/ui\/cards" aria-current="page">/);
    expect((await visit("")).html.match(/aria-current="page"/g)).toHaveLength(1);
  });

  test("no page shows the secret of a key that is listed", async () => {
    const { visit, control } = openDashboard();
    const made = await control.companies.create({ slug: "own" });
    const secret = made.members[0]?.api_keys[0]?.secret ?? "";
    for (const path of ["", "/api-keys", "/companies", `/companies/${made.id}`]) {
      expect((await visit(path)).html).not.toContain(secret);
    }
    expect((await visit("/api-keys")).html).not.toContain("sk_sandbox_northwind_owner");
  });

  test("an unknown page is a 404 that links to the overview", async () => {
    const { visit } = openDashboard();
    for (const path of ["/nothing", "/cards/nothing", "/companies/nothing", "/requests/99"]) {
      const { status, text } = await visit(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).toContain("Go to the overview");
    }
  });
});

describe("the page of a request", () => {
  test("shows the passed checks, the check that decided, and the section of the specification", async () => {
    const { visit, order } = openDashboard();
    await order({ headers: { "Sandbox-Scenario": "company-inactive" } });
    const { text } = await visit("/requests/2");
    expect(text).toContain("order.company_inactive");
    expect(text).toContain("Passed: no change in progress");
    expect(text).toContain("Returned the response: company active");
    expect(text).toContain("Not reached: account open");
    expect(text).toContain("Specification §7");
  });

  test("shows bodies with masked secrets, and commands that repeat it with the same response", async () => {
    const { visit, order, post } = openDashboard();
    const reply = await order({ body: { pin: "7391", name: "it's mine" } });
    const { text } = await visit("/requests/2");
    expect(text).toContain('"pin": "…"');
    expect(text).not.toContain("7391");
    expect(text).toContain(`-d '{"api_key":"sk_sandbox_northwind_owner"}'`);
    expect(text).toContain('-H "Authorization: Bearer $TOKEN"');
    const sent = /--data-raw '(.*?)' +Copy/.exec(text)?.[1]?.replaceAll("'\\''", "'") ?? "";
    const key = /-H 'idempotency-key: ([^']+)'/.exec(text)?.[1] ?? "";
    const exchanged = await post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
    const again = await post("/developer/cards/physical", sent, {
      Authorization: `Bearer ${exchanged.json.access_token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    });
    expect([again.point, again.json.id]).toEqual(["order.replayed", cardOf(reply).id]);
  });

  test("is found by filters; an invalid filter shows what is allowed", async () => {
    const { visit, order } = openDashboard();
    await order();
    await order({ apiKey: "sk_sandbox_northwind_employee" });
    const refused = await visit("/requests?status=403");
    expect(refused.html.match(/<th scope="row">/g)).toHaveLength(1);
    expect(refused.text).toContain("northwind order.forbidden specified");
    expect((await visit("/requests?point=order.forbiden")).text).toMatch(
      /Did you mean ("|&quot;)order.forbidden\1\?/,
    );
  });
});

test("requests are listed page by page", async () => {
  const { visit, request } = openDashboard();
  for (let n = 0; n < 60; n++) await request(`/developer/none-${n}`);
  const first = await visit("/requests");
  expect(first.text).toContain("none-59");
  expect(first.text).not.toContain("none-9 ");
  const older = /href="([^"]+)">Older/.exec(first.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect((await visit(older)).text).toContain("none-9 ");
});

test("the exports of the report exist, also for one company", async () => {
  const { visit, company } = openDashboard();
  const { html } = await visit(`/report?company=${company("northwind").id}`);
  const exported = [...html.matchAll(/href="([^"]+)" download/g)].map(([, href = ""]) =>
    href.replaceAll("&amp;", "&"),
  );
  expect(exported).toHaveLength(9);
  for (const each of exported) expect([each, (await visit(each)).status]).toEqual([each, 200]);
});
