import { describe, expect, test } from "vitest";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { own } from "../support/own-scenario.ts";

describe("the page of scenarios", () => {
  test("lists each scenario once, in the group of what it forces, the user's own first", async () => {
    const { visit } = openDashboard(own([{ facts: { quota_reached: true } }]));
    const { html, text } = await visit("/scenarios");
    const items = [...html.matchAll(/<li id="([^"]+)" class="item">/g)].map(([, id]) => id);
    expect(items.toSorted()).toEqual([...shippedScenarios, "own"].toSorted());
    expect(items[0]).toBe("own");
    expect(text).toMatch(
      /Your scenarios.*Refusals.*Access.*forbidden.*Issuer and backend.*Connection.*Webhooks.*webhook-stale/,
    );
  });

  test("shows the statuses of the contract in effect, of the sandbox or of the company", async () => {
    const { visit, control, company } = openDashboard();
    const { id } = company("northwind");
    control.dialect.replace({ dialect: { "order.key_in_progress": { use: "425" } }, company: id });
    const statuses = async (query: string) => {
      const [, item = ""] =
        /<li id="in-flight"([\s\S]*?)<\/li>/.exec((await visit(`/scenarios${query}`)).html) ?? [];
      return [...item.matchAll(/<span class="badge[^>]*>([0-9]+)</g)].map(([, status]) => status);
    };
    expect(await statuses("")).toEqual(["201", "409"]);
    expect(await statuses(`?company=${id}`)).toEqual(["201", "425"]);
  });

  test("keeps the chosen company in its buttons and links", async () => {
    const { visit, company } = openDashboard();
    const { id } = company("northwind");
    const { html } = await visit(`/scenarios?company=${id}`);
    expect(html).toContain(`<input type="hidden" name="company" value="${id}"`);
    expect(html).toContain(`href="/_sandbox/ui/scenarios/quota-reached?company=${id}"`);
  });
});

describe("the page of a scenario", () => {
  test("shows its contract points, its example, the header, and a file to start from", async () => {
    const { visit } = openDashboard();
    const { status, html, text } = await visit("/scenarios/issuer-recovers");
    expect(status).toBe(200);
    expect(text).toContain("503 order.issuer_unavailable specified The card issuer is unavailable");
    expect(text).toContain("-H 'Sandbox-Scenario: issuer-recovers'");
    expect(text).toMatch(/orderPhysicalCard.*→ 503.*order.issuer_unavailable.*→ 201 order.created/);
    expect(html).toContain("name: my-issuer-recovers\n");
    expect(text).toContain("--scenarios scenarios");
  });

  test("offers the operations on which the scenario can fire", async () => {
    const { visit } = openDashboard();
    const { html } = await visit("/scenarios/key-revoked");
    const [, select = ""] = /<select id="operation"[^>]*>([\s\S]*?)<\/select>/.exec(html) ?? [];
    expect([...select.matchAll(/value="([^"]*)"/g)].map(([, value]) => value)).toEqual([
      "",
      "exchangeSandboxKey",
      "exchangeLiveKey",
    ]);
  });

  test("is shown for every scenario", async () => {
    const { visit } = openDashboard();
    for (const name of shippedScenarios) {
      expect([name, (await visit(`/scenarios/${name}`)).status]).toEqual([name, 200]);
    }
  });

  test("keeps the company of a refused form", async () => {
    const { submit, company } = openDashboard();
    const { id } = company("northwind");
    const back = "/_sandbox/ui/scenarios/conflict";
    const { html } = await submit("/scenarios/conflict/arm", { company: id, times: "often", back });
    expect(html).toMatch(new RegExp(`<option value="${id}" selected`));
  });

  test("is a 404 for an unknown name", async () => {
    const { visit } = openDashboard();
    const { status, text } = await visit("/scenarios/nothing");
    expect([status, text.includes('no scenario has the name "nothing"')]).toEqual([404, true]);
  });
});
