import { expect, test } from "vitest";
import { openDashboard } from "../support/open-dashboard.ts";

const attack = `<script>alert("1")</script><img src=x onerror='alert(1)'>`;

test("whatever comes from outside is text: a card's name, a path, a header, a body, a key's label", async () => {
  const { visit, order, request, control, submit, company } = openDashboard();
  await order({ body: { name: attack } });
  await request(`/developer/${attack}`, { method: "POST", body: attack, headers: { "X-Attack": attack } });
  await control.companies.create({ slug: "own", name: attack });
  await submit("/api-keys", {
    member: `${company("northwind").id}/${company("northwind").members[0]?.id}`,
    environment: "sandbox",
    label: attack,
  });
  const [card] = control.cards.list();
  const paths = ["", "/requests", "/requests/2", "/requests/3", "/cards", `/cards/${card?.id}`, "/companies"];
  for (const path of [...paths, "/api-keys", "/scenarios", "/report", `/requests?scenario=${attack}`]) {
    const { html, status } = await visit(path);
    expect([path, status]).toEqual([path, 200]);
    expect(html.replace(/<script src="[^"]+" defer="">/, "")).not.toMatch(/<script|<img/i);
  }
  expect((await visit("/cards")).text).toContain(attack);
});

test("commands to paste hold no quotation mark that would end them, and no control character", async () => {
  const { visit, request } = openDashboard();
  await request("/developer/a'%3B$(id)", { method: "POST", body: "\u001b]0;x\u0007'; rm -rf ~; '" });
  const { text } = await visit("/requests/1");
  expect(text).toContain("'http://localhost:4242/developer/a'\\''");
  expect(text).toContain("--data-raw $'\\u001b]0;x\\u0007\\'; rm -rf ~; \\''");
});
