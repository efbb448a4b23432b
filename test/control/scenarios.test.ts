import { describe, expect, test } from "vitest";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { openCompanies } from "../support/open-companies.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

describe("GET scenarios", () => {
  test("lists all scenarios with the contents of their files", async () => {
    const { json } = await openCompanies().request("/_sandbox/scenarios");
    expect(json.scenarios.map(({ name }: { name: string }) => name)).toEqual(shippedScenarios);
    expect(json.scenarios[0]).toMatchObject({
      name: "quota-reached",
      spec: ["§7", "§8"],
      points: ["order.quota_reached"],
      on: ["orderPhysicalCard"],
      steps: [{ facts: { quota_reached: true } }],
    });
  });
});

describe("POST scenarios/NAME/arm", () => {
  test("returns 201 with the armed scenario", async () => {
    const sandbox = openCompanies();
    const { id, members } = sandbox.company("northwind");
    const key = members[0]?.api_keys[0]?.id;
    const reply = await sandbox.send("POST", "scenarios/issuer-recovers/arm", {
      company: "northwind",
      times: 2,
      operation: "orderPhysicalCard",
      api_key_id: key,
    });
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "issuer-recovers",
      known: true,
      company: "northwind",
      company_id: id,
      operation: "orderPhysicalCard",
      api_key_id: key,
      times: 2,
      retry_after_s: null,
      latency_ms: null,
      hold_ms: null,
      steps_taken: 0,
      fired: 0,
      spent: false,
      held: 0,
      armed_at: "2026-03-10T09:30:00.000Z",
    });
    for (let n = 0; n < 4; n++) expect((await sandbox.order()).status).toBe(503);
    expect((await sandbox.order()).status).toBe(201);
    const { json } = await sandbox.request(`/_sandbox/armed/${reply.json.id}`);
    expect(json).toMatchObject({ steps_taken: 4, fired: 4, spent: true });
  });

  test("arms a scenario for another operation than the one in its file", async () => {
    const sandbox = openCompanies();
    await sandbox.send("POST", "scenarios/rate-limited/arm", { operation: "exchangeSandboxKey" });
    const reply = await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
    expect([reply.status, reply.headers.get("Retry-After"), reply.json]).toEqual([
      429,
      "30",
      { success: false, error: { code: "rate_limited", message: "Too many requests. Retry in 30 s." } },
    ]);
  });

  test.each<[string, string, object, number, string]>([
    ["an unknown name", "quota-reach", {}, 400, 'Did you mean "quota-reached"?'],
    [
      "an unknown company",
      "conflict",
      { company: "nobody" },
      404,
      'company: no company has the id or slug "nobody"',
    ],
    [
      "an unknown key",
      "conflict",
      { api_key_id: nobody },
      404,
      `api_key_id: no API key has the id "${nobody}"`,
    ],
    [
      "an unknown operation",
      "conflict",
      { operation: "order" },
      400,
      'operation: must be one of "exchangeSandboxKey"',
    ],
    [
      "an operation that it cannot strike",
      "conflict",
      { operation: "exchangeSandboxKey" },
      400,
      "operation: conflict can never fire on exchangeSandboxKey",
    ],
    [
      "an operation of the other environment",
      "token-unavailable",
      { company: "northwind", operation: "exchangeLiveKey" },
      400,
      "operation: must not be exchangeLiveKey, because companies of the sandbox environment cannot call it",
    ],
    ["no times", "conflict", { times: 0 }, 400, "times: "],
    ["a field that is none", "conflict", { compny: "northwind" }, 400, '"compny"'],
  ])("%s is refused", async (_what, name, body, status, message) => {
    const sandbox = openCompanies();
    const reply = await sandbox.send("POST", `scenarios/${name}/arm`, body);
    expect([reply.status, reply.json]).toEqual([status, { error: expect.stringContaining(message) }]);
    expect((await sandbox.request("/_sandbox/armed")).json).toEqual({ armed: [], unused: [] });
  });

  test("refuses a key of another company", async () => {
    const sandbox = openCompanies();
    const key = sandbox.company("fullhouse").members[0]?.api_keys[0]?.id;
    const reply = await sandbox.send("POST", "scenarios/conflict/arm", {
      company: "northwind",
      api_key_id: key,
    });
    expect([reply.status, reply.json.error]).toEqual([
      400,
      "api_key_id: the API key does not belong to northwind. Omit company, or use another key.",
    ]);
  });
});

describe("armed", () => {
  test("lists armed scenarios with their counts, those that never fired, and live companies as live/SLUG", async () => {
    const sandbox = openCompanies();
    await sandbox.send("POST", "scenarios/forbidden/arm", { company: "live/northwind" });
    await sandbox.send("POST", "scenarios/conflict/arm");
    await sandbox.order();
    const { json } = await sandbox.request("/_sandbox/armed");
    expect(json.armed).toMatchObject([
      { name: "forbidden", company: "live/northwind", fired: 0 },
      { name: "conflict", company: null, fired: 1 },
    ]);
    expect(json.unused).toEqual([json.armed[0].id]);
  });

  test("lists and disarms for one company, and refuses unknown parameters", async () => {
    const sandbox = openCompanies();
    await sandbox.send("POST", "scenarios/forbidden/arm", { company: "fullhouse" });
    await sandbox.send("POST", "scenarios/conflict/arm", { company: "northwind" });
    const names = async (query: string) =>
      (await sandbox.request(`/_sandbox/armed${query}`)).json.armed.map(({ name }: { name: string }) => name);
    expect(await names("?company=northwind")).toEqual(["conflict"]);
    await sandbox.request("/_sandbox/armed?company=northwind", { method: "DELETE" });
    expect(await names("")).toEqual(["forbidden"]);
    expect((await sandbox.request("/_sandbox/armed?compny=northwind", { method: "DELETE" })).status).toBe(
      400,
    );
    expect((await sandbox.request("/_sandbox/armed?company=nobody")).status).toBe(404);
  });

  test("disarms only the scenarios that are used up, of one company or of all", async () => {
    const sandbox = openCompanies();
    const arm = (name: string, input: object) => sandbox.send("POST", `scenarios/${name}/arm`, input);
    const disarm = (query: string) => sandbox.request(`/_sandbox/armed?${query}`, { method: "DELETE" });
    const names = () => sandbox.control.scenarios.armed().armed.map(({ name }) => name);
    await arm("issuer-unavailable", {});
    await arm("quota-reached", { company: "northwind", times: 1 });
    expect((await sandbox.order()).point).toBe("order.quota_reached");
    await disarm("finished=true&company=fullhouse");
    await disarm("finished=true");
    expect(names()).toEqual(["issuer-unavailable"]);
    const refused = await disarm("finished=yes");
    expect([refused.status, refused.json.error]).toEqual([400, "finished: must be true or false"]);
  });

  test("disarms one scenario or all", async () => {
    const sandbox = openCompanies();
    const arm = async (name: string) => (await sandbox.send("POST", `scenarios/${name}/arm`)).json.id;
    const [first] = [await arm("conflict"), await arm("forbidden"), await arm("quota-reached")];
    expect((await sandbox.request(`/_sandbox/armed/${first}`, { method: "DELETE" })).status).toBe(204);
    expect((await sandbox.order()).point).toBe("order.quota_reached");
    expect((await sandbox.request("/_sandbox/armed", { method: "DELETE" })).status).toBe(204);
    expect((await sandbox.order()).point).toBe("order.created");
  });

  test.each(["GET armed/ID", "DELETE armed/ID", "POST armed/ID/release"])(
    "%s of nothing is 404",
    async (what) => {
      const [method = "", path = ""] = what.replace("ID", nobody).split(" ");
      const reply = await openCompanies().request(`/_sandbox/${path}`, { method });
      expect([reply.status, reply.json.error]).toEqual([
        404,
        `id: no armed scenario has the id "${nobody}". GET /_sandbox/armed lists all armed scenarios.`,
      ]);
    },
  );
});
