import { describe, expect, test, vi } from "vitest";
import type { JournalEntry } from "../../src/journal/journal-entry.ts";
import { openDashboard } from "../support/open-dashboard.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A dashboard whose last request is an order, and shorthands for its forms. */
async function openOrdered(headers: Record<string, string> = {}) {
  const dashboard = openDashboard();
  const { requests, submit, order } = dashboard;
  await order({ key, headers }).catch(() => {});
  const latest = () => requests.list({ limit: 1 }).requests[0] as JournalEntry;
  const ordered = latest();
  const path = `/requests/${ordered.id}`;
  const back = `/_sandbox/ui${path}/edit`;
  const replay = (fields: Record<string, string> = { pin: "4821" }) =>
    submit(`${path}/replay`, { back: `/_sandbox/ui${path}`, ...fields });
  /** Sends the form of the page, with some fields changed. */
  const edit = async (fields: Record<string, string> = {}) => {
    const { html } = await dashboard.visit(`${path}/edit`);
    return submit(`${path}/edit`, { back, ...fieldsOf(html), pin: "4821", ...fields });
  };
  return { ...dashboard, ordered, latest, path, replay, edit };
}

/** The values of the fields on the page of a form. */
function fieldsOf(html: string): Record<string, string> {
  const plain = (text = "") => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  const form = /<form[^>]*\/edit"[\s\S]*?<\/form>/.exec(html)?.[0] ?? "";
  const fields: Record<string, string> = {};
  for (const [, name = "", rest = ""] of form.matchAll(/<select id="(\w+)"([\s\S]*?)<\/select>/g))
    fields[name] = plain(/<option value="([^"]*)" selected/.exec(rest)?.[1]);
  for (const [, name = "", text] of form.matchAll(/<textarea id="(\w+)"[^>]*>\n?([\s\S]*?)<\/textarea>/g))
    fields[name] = plain(text);
  for (const [, name = "", value] of form.matchAll(/<input id="(\w+)" name="\w+" value="([^"]*)"/g))
    fields[name] = plain(value);
  return fields;
}

describe("replay", () => {
  test("returns the same card, with a new token, and findings ignore it", async () => {
    const { replay, ordered, latest, findings } = await openOrdered();
    const page = await replay();
    expect(page.text).toContain(`Done. Request ${ordered.id} is sent again: 201, as before.`);
    const { caller, request, response, id, point } = latest();
    expect(page.html).toContain(`"/_sandbox/ui/requests/${id}?`);
    expect([id, point, response?.body]).toEqual([
      String(Number(ordered.id) + 1),
      "order.replayed",
      ordered.response?.body,
    ]);
    expect(caller).toEqual(ordered.caller);
    expect(request.headers).toMatchObject({ "idempotency-key": key, "sandbox-test": "negative" });
    expect(findings().findings).toEqual([]);
  });

  test("forces the scenario that fired again, although it was armed once", async () => {
    const { control, order, latest, requests, submit } = await openOrdered();
    control.scenarios.arm("quota-reached", { times: 1 });
    await order();
    const { id, scenario } = latest();
    expect(scenario).toBe("quota-reached");
    const page = await submit(`/requests/${id}/replay`, { pin: "4821" });
    expect(page.text).toContain("422, as before");
    expect(requests.list().requests[0]).toMatchObject({ status: 422, scenario: "quota-reached" });
  });

  test("returns the card whose response was lost", async () => {
    const { replay, ordered } = await openOrdered({ "Sandbox-Scenario": "lost-response" });
    expect(ordered.status).toBeNull();
    expect((await replay()).text).toContain("201 instead of no response");
  });

  test("asks for the PIN, because the recorded one is masked", async () => {
    const { replay, ordered, latest } = await openOrdered();
    expect((await replay({})).text).toContain("pin: is required, because the recorded PIN is masked");
    expect(latest().id).toBe(ordered.id);
  });

  test("fills in the public secret of a fixture key, and asks for any other", async () => {
    const { submit, post, latest, exchange } = openDashboardWithLatest();
    await exchange("sk_sandbox_northwind_owner");
    const page = await submit(`/requests/${latest().id}/replay`);
    expect(page.text).toContain("200, as before");
    const { json } = await post("/_sandbox/api-keys", { member: "northwind-owner", environment: "sandbox" });
    await exchange(json.secret);
    const { id } = latest();
    const back = `/_sandbox/ui/requests/${id}`;
    const refused = await submit(`/requests/${id}/replay`, { back });
    expect(refused.text).toContain("api_key: is required");
    const sent = await submit(`/requests/${id}/replay`, { back, api_key: json.secret });
    expect(sent.text).toContain("200, as before");
    expect(sent.html).not.toContain(json.secret);
  });

  test("refuses a request whose body was not recorded", async () => {
    const { submit, latest, request } = openDashboardWithLatest();
    await request("/auth/v1/sandbox/token", { method: "POST", body: "pin=4821" });
    const refused = await submit(`/requests/${latest().id}/replay`);
    expect(refused.text).toContain("body: was not recorded. Enter it in Edit and resend.");
  });

  test("issues no token for a revoked key", async () => {
    const { replay, ordered, control } = await openOrdered();
    control.apiKeys.revoke(ordered.caller?.api_key_id ?? "");
    expect((await replay()).text).toContain("key_revoked: the API key");
  });

  test("gives up a request that has no response after 15 seconds", async () => {
    const { edit, clockOfTest } = await openOrdered();
    const page = edit({ key: "new", scenario: "silent-response" });
    await vi.waitFor(() => expect(clockOfTest.waits).toContain(15_000));
    clockOfTest.endWaits();
    expect((await page).text).toContain("Error: no response came within 15 seconds.");
  });
});

function openDashboardWithLatest() {
  const dashboard = openDashboard();
  const latest = () => dashboard.requests.list({ limit: 1 }).requests[0] as JournalEntry;
  return { ...dashboard, latest };
}

describe("edit and resend", () => {
  test("the unchanged form returns the same card", async () => {
    const { edit, ordered, latest } = await openOrdered();
    expect((await edit()).text).toContain("201, as before");
    expect(latest().response?.body).toBe(ordered.response?.body);
  });

  test("a scenario loses the response again with a new key", async () => {
    const { edit, latest } = await openOrdered({ "Sandbox-Scenario": "lost-response" });
    const page = await edit({ key: "new" });
    expect(page.text).toContain("no response, as before");
    expect(latest()).toMatchObject({ status: null, scenario: "lost-response" });
  });

  test.each(["truncated-response", "empty-response", "dropped-request"])(
    "shows the outcome of %s",
    async (scenario) => {
      const { edit, latest } = await openOrdered();
      expect((await edit({ key: "new", scenario })).text).toContain("Done.");
      expect(latest().scenario).toBe(scenario);
    },
  );

  test("one changed field with a new key makes another card", async () => {
    const { edit, ordered, latest } = await openOrdered();
    const body = ordered.request.body?.replace(/^\{/, '{"name":"Another one",') ?? "";
    await edit({ body, key: "new" });
    const card = JSON.parse(latest().response?.body ?? "");
    expect(card).toMatchObject({ name: "Another one" });
    expect(ordered.response?.body).not.toContain(card.id);
    expect(latest().idempotency_key).not.toBe(key);
  });

  test.each([
    [{ caller: "none" }, "401 instead of 201"],
    [{ caller: "invalid" }, "401 instead of 201"],
    [{ key: "none" }, "400 instead of 201"],
    [{ key: "other", other_key: "3f0c2a4e-1111-4222-8333-000000000001" }, "201, as before"],
    [{ scenario: "issuer-unavailable", key: "new" }, "503 instead of 201"],
    [{ method: "GET", target: "/developer/cards?limit=1", body: "" }, "200 instead of 201"],
    [{ headers: "Content-Type: application/json\nPrefer: code=503", key: "new" }, "503 instead of 201"],
  ])("%j: %s", async (fields, comparison) => {
    const { edit } = await openOrdered();
    expect((await edit(fields)).text).toContain(comparison);
  });

  test("sends it as another member of the company", async () => {
    const { edit, latest, control } = await openOrdered();
    const { api_keys } = control.apiKeys.list("northwind");
    const employee = api_keys.find(({ member }) => member === "northwind-employee");
    await edit({ caller: employee?.id ?? "", key: "new" });
    expect(latest()).toMatchObject({ status: 403, caller: { member: "northwind-employee" } });
  });

  test.each([
    [{ target: "/_sandbox/reset" }, "path: must be a path of the service"],
    [{ target: "/%5Fsandbox/reset" }, "path: must be a path of the service"],
    [{ target: "/developer/../_sandbox/reset" }, "path: must be a path of the service"],
    [{ target: "//evil.test/" }, "path: must begin with one slash"],
    [{ target: "/\\evil.test/" }, "path: must begin with one slash"],
    [{ target: "https://evil.test/" }, "path: must begin with one slash"],
    [{ target: "/developer/cards/…" }, "path: must have a value in place of each masked one"],
    [{ method: "TRACE" }, "method: must be one of GET, HEAD"],
    [{ method: "GET" }, "body: GET requests are sent without a body"],
    [{ headers: "no header" }, 'headers: each line must be "name: value"'],
    [{ headers: "b(d: 1" }, "headers: b(d: is not a valid header"],
    [{ headers: "X-Wide: 💳" }, "headers: X-Wide: is not a valid header"],
    [{ headers: "Authorization: Bearer a" }, "headers: remove Authorization: choose the caller"],
    [{ headers: "Host: evil.test" }, "headers: remove Host"],
    [{ headers: "X-Note: …" }, "headers: X-Note has a masked value"],
    [{ key: "other" }, "other_key: is required"],
    [{ body: '{"new_pin":"…"}' }, "new_pin: has a masked value (…)"],
    [{ body: "{…" }, "body: has a masked value (…)"],
    [{ body: '{"a":"b… (truncated, 99 characters in total)' }, "body: is too long"],
    [{ body: "x".repeat(70_000) }, "form: must be at most 64 KiB"],
    [{ caller: "9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11" }, "id: no API key has the id"],
  ] as [Record<string, string>, string][])("refuses %j", async (fields, message) => {
    const { edit, latest, ordered, path, send } = await openOrdered();
    if ((fields.body?.length ?? 0) > 65_536) {
      const { status, text } = await send(`${path}/edit`, fields);
      expect([status, text]).toEqual([413, expect.stringContaining(message)]);
    } else expect((await edit(fields)).text).toContain(`Error: ${message}`);
    expect(latest().id).toBe(ordered.id);
  });

  test("keeps the input of a form that was refused", async () => {
    const { edit } = await openOrdered();
    const page = await edit({ target: "/_sandbox/reset", headers: "X-Mine: 1" });
    expect(fieldsOf(page.html)).toMatchObject({ target: "/_sandbox/reset", headers: "X-Mine: 1" });
  });
});
