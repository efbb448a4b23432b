import { describe, expect, test } from "vitest";
import { offsetInWords } from "../../src/dashboard/parts/clock.tsx";
import { openDashboard } from "../support/open-dashboard.ts";

test.each([
  [400, "less than a second ahead"],
  [899_998, "15 minutes ahead"],
  [4_500_000, "1 hour 15 minutes ahead"],
  [86_400_000, "1 day ahead"],
  [31 * 86_400_000, "31 days ahead"],
  [31 * 86_400_000 - 3_600_000, "31 days ahead"],
])("%i ms in words: %s", (ms, words) => {
  expect(offsetInWords(ms)).toBe(words);
});

describe("the World page", () => {
  test("shows the public secrets of fixture keys, and only the prefixes of other keys", async () => {
    const { visit, control } = openDashboard();
    const made = await control.companies.create({ slug: "own" });
    const { html } = await visit("/world");
    for (const each of ["sk_sandbox_northwind_owner", "sk_live_northwind_owner"])
      expect(html).toContain(each);
    for (const { prefix, secret = "" } of made.members.flatMap((each) => each.api_keys)) {
      expect(html).toContain(`${prefix}…`);
      expect(html).not.toContain(secret);
    }
  });

  test("shows no fixture keys while they are hidden", async () => {
    const { visit } = openDashboard({ fixtureKeys: false });
    expect((await visit("/world")).html).not.toContain("sk_sandbox_northwind_owner");
  });

  test("creates a company in a country that is chosen by its name", async () => {
    const { visit, send, world } = openDashboard();
    expect((await visit("/world")).html).toContain('<option value="PT">Portugal</option>');
    await send("/companies", { country_code: "PT" });
    expect(world().companies.at(-1)).toMatchObject({ country_code: "PT" });
  });

  test("keeps the input of a company that is refused, and shows why in the form", async () => {
    const { submit } = openDashboard();
    const form = { name: "Kept", card_quota: "many", show_message: "inline", back: "/_sandbox/ui/world" };
    const { html, text } = await submit("/companies", form);
    expect(text).toContain('Error: card_quota: must be an integer, but is "many"');
    expect(html.indexOf("Error:")).toBeGreaterThan(html.indexOf('action="/_sandbox/ui/companies"'));
    expect(html).toContain('value="Kept"');
    expect(html).toContain('value="many"');
  });

  test("takes the place of the lists of companies and of API keys", async () => {
    const { visit, company } = openDashboard();
    const own = `/_sandbox/ui/companies/${company("northwind").id}`;
    for (const path of ["/companies", "/api-keys"]) {
      expect((await visit(path)).location).toBe("/_sandbox/ui/world");
      expect((await visit(`${path}?company=northwind`)).location).toBe(own);
      expect((await visit(`${path}?company=nobody`)).status).toBe(404);
    }
  });
});

describe("clocks", () => {
  test("are set to the last minute of the month in the UK, and from there to that of the next month", async () => {
    const { visit, submit, clock } = openDashboard();
    const toTheEnd = async () => {
      const { html } = await visit("/world");
      const now = /name="now" value="([^"]+)"/.exec(html)?.[1] ?? "";
      await submit("/clock", { now });
      return clock.read().now;
    };
    expect(await toTheEnd()).toBe("2026-03-31T22:59:00.000Z");
    expect(await toTheEnd()).toBe("2026-04-30T22:59:00.000Z");
  });

  test("of companies show how far they are ahead", async () => {
    const { visit, submit, company } = openDashboard();
    const { id } = company("northwind");
    expect((await visit("/world")).text).not.toContain("ahead");
    await submit(`/companies/${id}/clock/advance`, { by: "P7D" });
    expect((await visit("/world")).text).toContain("7 days ahead");
    expect((await visit(`/companies/${id}`)).text).toContain("7 days ahead");
  });

  test("of companies show an error only in the form that was sent, and keep its input", async () => {
    const { submit, company } = openDashboard();
    const { id } = company("fullhouse");
    const back = "/_sandbox/ui/world";
    const form = { by: "soon", show_message: "inline", back };
    const { html, text } = await submit(`/companies/${id}/clock/advance`, form);
    expect(text.match(/Error: by: must be an ISO 8601 duration/g)).toHaveLength(1);
    expect(html.match(/value="soon"/g)).toHaveLength(1);
    expect(html).toContain(`id="${id}-by" name="by" value="soon"`);
  });
});

describe("the page of a company", () => {
  test("counts its cards by status", async () => {
    const { visit, company, order } = openDashboard();
    const { id } = company("northwind");
    expect((await visit(`/companies/${id}`)).text).toContain("Cards none");
    await order();
    expect((await visit(`/companies/${id}`)).text).toMatch(/Cards 1 \w+/);
  });

  test("lists people page by page", async () => {
    const { visit, control } = openDashboard();
    const members = [{ role: "owner" as const }, ...Array.from({ length: 60 }, () => ({}))];
    const { id } = await control.companies.create({ slug: "large", members });
    const first = await visit(`/companies/${id}`);
    expect(first.html.match(/<select id="[^"]+-role"/g)).toHaveLength(50);
    expect(first.html).toContain(`href="/_sandbox/ui/companies/${id}?from=50#people">Next people`);
    const next = await visit(`/companies/${id}?from=50`);
    expect(next.html.match(/<select id="[^"]+-role"/g)).toHaveLength(11);
    expect(next.html).not.toContain("Next people");
  });

  test("keeps the amount of a top-up that is refused", async () => {
    const { submit, company } = openDashboard();
    const { id, accounts } = company("northwind");
    const back = `/_sandbox/ui/companies/${id}`;
    const { html, text } = await submit(`/companies/${id}/accounts/${accounts[0]?.id}/top-up`, {
      amount: "lots",
      back,
    });
    expect(text).toContain("Error: amount:");
    expect(html.match(/value="lots"/g)).toHaveLength(1);
  });
});
