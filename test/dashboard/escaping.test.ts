import { expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { openDashboard } from "../support/open-dashboard.ts";

const attack = `<script>alert("1")</script><img src=x onerror='alert(1)'>`;

test("escapes card names, paths, headers, bodies and labels", async () => {
  const { visit, order, request, control, submit, company } = openDashboard();
  await order({ body: { name: attack } });
  await request(`/developer/${attack}`, { method: "POST", body: attack, headers: { "X-Attack": attack } });
  await control.companies.create({ slug: "own", name: attack });
  const { id, members } = company("northwind");
  await submit(`/companies/${id}/keys`, { member: members[0]?.id ?? "", label: attack });
  const [card] = control.cards.list();
  const paths = [
    "",
    "/requests",
    "/requests/2",
    "/requests/3",
    "/cards",
    `/cards/${card?.id}`,
    "/world",
    `/companies/${id}`,
  ];
  for (const path of [...paths, "/scenarios", "/report", `/requests?scenario=${attack}`]) {
    const { html, status } = await visit(path);
    expect([path, status]).toEqual([path, 200]);
    expect(html.replace(/<script src="[^"]+" defer="">/, "")).not.toMatch(/<script|<img/i);
  }
  expect((await visit("/cards")).text).toContain(attack);
});

test("commands to copy escape quotation marks and control characters", async () => {
  const { visit, request } = openDashboard();
  await request("/developer/a'%3B$(id)%1b]0;x%07", { method: "POST", body: `{"a":"'; rm -rf ~; '"}` });
  const { text } = await visit("/requests/1");
  expect(text).toContain("$'http://localhost:4242/developer/a\\'%3B$(id)\\u001b]0;x\\u0007'");
  expect(text).toContain(`--data-raw '{"a":"'\\''; rm -rf ~; '\\''"}'`);
});

test("a path with control characters is a 404 and adds no line to the log", async () => {
  const seen: string[] = [];
  const { url, close } = await startSandbox({ port: 0, observe: ({ path }) => void seen.push(path) });
  onTestFinished(close);
  for (const code of ["%0a", "%0d", "%00", "%1b", "%7f", "%c2%85"]) {
    for (const path of [
      `x${code}200 forged`,
      `x${code}/`,
      `requests/1${code}`,
      `cards/${code}`,
      `companies/${code}/`,
    ]) {
      const { status } = await fetch(`${url}/_sandbox/ui/${path}`, { redirect: "manual" });
      expect([path, status]).toEqual([path, 404]);
    }
  }
  expect(seen).toEqual([]);
});

test("a path with a trailing slash redirects to the path without it, still percent-encoded", async () => {
  const { visit } = openDashboard();
  expect((await visit("/x%E2%80%A8%C3%A9/?a=%0a")).location).toBe("/_sandbox/ui/x%E2%80%A8%C3%A9?a=%0a");
});
