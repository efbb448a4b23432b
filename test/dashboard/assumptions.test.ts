import { describe, expect, test } from "vitest";
import { behaviourGroups, behaviourIds } from "../../src/contract/behaviours.ts";
import { openDashboard } from "../support/open-dashboard.ts";

/** The items of the page, by behavior. */
function itemsOf(html: string): Map<string, string> {
  const items = [...html.matchAll(/<li id="([^"]+)"[^>]*>([\s\S]*?)(?=<li id="|<\/main>)/g)];
  return new Map(items.map(([, id = "", item = ""]) => [id, item]));
}

describe("the page of assumptions", () => {
  test("lists each behavior once, with its alternatives", async () => {
    const { visit } = openDashboard();
    const items = itemsOf((await visit("/assumptions")).html);
    expect([...items.keys()].toSorted()).toEqual(behaviourIds.toSorted());
    expect(behaviourGroups.flatMap(({ ids }) => ids)).toEqual(behaviourIds);
    expect(items.get("replay.status")).toMatch(/201, as for the first request[\s\S]*in effect[\s\S]*Select/);
  });

  test("selects an alternative, and keeps the others and their provenance", async () => {
    const { visit, submit, control } = openDashboard();
    const observed = { use: "201", provenance: "observed", note: "ticket 4711" } as const;
    control.dialect.replace({ dialect: { "replay.status": observed } });
    const selected = await submit("/assumptions/on_behalf_of.mode", {
      back: "/_sandbox/ui/assumptions",
      use: "required",
    });
    expect(selected.text).toContain(
      "Done. Treatment of the header X-On-Behalf-Of: required by every operation.",
    );
    const { html, text } = await visit("/assumptions");
    expect([...itemsOf(html).keys()].slice(0, 2)).toEqual(["on_behalf_of.mode", "replay.status"]);
    expect(text).toContain("ticket 4711");
    const restored = await submit("/assumptions/restore", { back: "/_sandbox/ui/assumptions" });
    expect(restored.text).toContain("Done. The dialect of the start is restored.");
    expect(control.dialect.list().behaviors.every(({ is_default }) => is_default)).toBe(true);
  });

  test("selects an alternative for one company, if companies can differ", async () => {
    const { visit, submit, control, company } = openDashboard();
    const { id } = company("northwind");
    const page = `/_sandbox/ui/assumptions?company=${id}`;
    const items = itemsOf((await visit(page)).html);
    expect(items.get("on_behalf_of.mode")).not.toContain("<button");
    const selected = await submit("/assumptions/replay.status", { back: page, company: id, use: "200" });
    expect(selected.text).toContain("Remove the company's own");
    const used = (name?: string) =>
      control.dialect.list(name).behaviors.find((each) => each.id === "replay.status")?.use;
    expect([used(), used("northwind")]).toEqual(["201", "200"]);
    await submit("/assumptions/restore", { back: page, company: id });
    expect(used("northwind")).toBe("201");
  });

  test("shows why a selection is refused", async () => {
    const { submit } = openDashboard();
    const back = "/_sandbox/ui/assumptions";
    expect((await submit("/assumptions/replay.status", { back, use: "300" })).text).toContain(
      'Error: dialect.replay.status.use: must be one of "200", "201", but is "300"',
    );
    expect((await submit("/assumptions/nothing", { back, use: "300" })).text).toContain(
      'Error: dialect: unknown key "nothing".',
    );
  });

  test("is linked from the page of a request", async () => {
    const { order, visit } = openDashboard();
    const key = crypto.randomUUID();
    await order({ key });
    await order({ key });
    const { html } = await visit("/requests/4");
    expect(html).toContain(
      '<a href="/_sandbox/ui/assumptions#replay.status">Status of a replayed request</a>',
    );
  });
});
