import { describe, expect, test } from "vitest";
import { openDashboard } from "../support/open-dashboard.ts";

const pointsIn = (html: string) => [...html.matchAll(/<tr id="([^"]+)"/g)].map(([, id = ""]) => id);

describe("the contract page", () => {
  test("shows how often requests met each point, and the scenario that forces it", async () => {
    const { visit, order } = openDashboard();
    await order();
    await order();
    const { html, text } = await visit("/contract");
    const { points } = JSON.parse((await visit("/_sandbox/coverage")).html);
    expect(pointsIn(html).toSorted()).toEqual(points.map(({ id }: { id: string }) => id).toSorted());
    expect(html).toContain('href="/_sandbox/ui/requests?q=point%3Aorder.created">2×');
    expect(html).toContain('href="/_sandbox/ui/scenarios/quota-reached"');
    expect(text).toMatch(/Order +1 of [0-9]+ met/);
  });

  test("lists only the points that are met, or only the others", async () => {
    const { visit, order } = openDashboard();
    await order();
    expect(pointsIn((await visit("/contract?show=met")).html)).toEqual(["token.issued", "order.created"]);
    const { html } = await visit("/contract?show=unmet");
    expect(pointsIn(html)).not.toContain("order.created");
    expect(pointsIn(html)).toContain("order.quota_reached");
    expect(html).toMatch(/href="[^"]*show=unmet" aria-current="true"/);
  });

  test("counts the requests of one company, under its contract", async () => {
    const { visit, order, control, company } = openDashboard();
    const { id } = company("fullhouse");
    await order();
    control.dialect.replace({ dialect: { "replay.status": { use: "200" } }, company: id });
    const { html } = await visit(`/contract?company=${id}`);
    expect(pointsIn((await visit(`/contract?company=${id}&show=met`)).html)).toEqual([]);
    expect(html).toMatch(/<tr id="order.replayed"[^>]*><td><span class="badge good">200</);
  });
});

describe("the report page", () => {
  test("shows the masked requests of a finding, and links to them", async () => {
    const { visit, order } = openDashboard();
    await order({ body: { pin: 7391 } });
    const { html, text } = await visit("/report");
    expect(text).toContain("VAL-2");
    expect(html).toMatch(/<details class="evidence"><summary>Request 2: POST \/developer\/cards\/physical/);
    expect(html).toContain('<a href="/_sandbox/ui/requests/2"');
    expect(html).not.toContain("7391");
  });

  test("shows the gates for all companies only", async () => {
    const { visit, order, control, company } = openDashboard();
    await order();
    control.scenarios.arm("quota-reached");
    const { text } = await visit("/report");
    expect(text).toMatch(/passed +requests/);
    expect(text).toMatch(/failed +unused scenarios/);
    expect((await visit(`/report?company=${company("northwind").id}`)).text).not.toContain(
      "unused scenarios",
    );
  });
});
