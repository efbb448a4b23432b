import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { arming } from "../../src/control/scenarios.ts";
import { createMcpServer } from "../../src/node/mcp/server.ts";
import { type ToolName, toolNames, tools } from "../../src/node/mcp/tools.ts";
import { type StartOptions, startSandbox } from "../../src/node/start-sandbox.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { freePort } from "../support/command-line.ts";
import { httpClient } from "../support/http-client.ts";

/** A client of the SDK, connected to a server for the sandbox with this URL. */
async function connect(url: string, adminToken?: string) {
  const server = createMcpServer({ url, adminToken });
  const client = new Client({ name: "agent", version: "1.0.0" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  await client.connect(ours);
  onTestFinished(() => client.close());

  const call = async (name: ToolName, input: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    const [{ text } = { text: "" }] = content as { text: string }[];
    return { isError, text };
  };
  /** The result of a call that succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on results of any shape
  const use = async (name: ToolName, input?: Record<string, unknown>): Promise<any> => {
    const { isError, text } = await call(name, input);
    expect([isError, text]).toEqual([false, expect.stringMatching(/^\{/)]);
    return JSON.parse(text);
  };
  /** The message of a call that fails. */
  const refusal = async (name: ToolName, input?: Record<string, unknown>): Promise<string> => {
    const { isError, text } = await call(name, input);
    expect([isError, text]).toEqual([true, expect.not.stringContaining("\n")]);
    return text;
  };
  return { client, use, refusal };
}

/** A sandbox on a free port, with an agent and an app. */
async function open(options: StartOptions = {}) {
  const sandbox = await startSandbox({ clock: "2026-03-10T09:30:00Z", ...options, port: 0 });
  onTestFinished(() => sandbox.close());
  const agent = await connect(sandbox.url, options.adminToken);
  const { order, exchange, post } = httpClient(sandbox.url);
  const account = sandbox.world().companies[0]?.accounts[0]?.id;
  return {
    sandbox,
    ...agent,
    exchange,
    post,
    order: (...args: Parameters<typeof order> extends [unknown, ...infer Rest] ? Rest : never) =>
      order(account, ...args),
  };
}

describe("the MCP server", () => {
  test("has at most eight tools, each described, with its input and its effect", async () => {
    const { client } = await connect("http://127.0.0.1:1");
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(toolNames);
    expect(listed.length).toBeLessThanOrEqual(8);
    // An agent reads this list in each of its sessions.
    expect(JSON.stringify(listed).length).toBeLessThan(8000);
    for (const { name, title, description, inputSchema, annotations } of listed) {
      expect([name, title, description]).toEqual([name, expect.any(String), expect.any(String)]);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      for (const [input, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect([name, input, schema]).toEqual([
          name,
          input,
          expect.objectContaining({ description: expect.any(String) }),
        ]);
      }
      const reads = /^(get|list|explain)_/.test(name);
      expect([name, annotations]).toEqual([
        name,
        expect.objectContaining({ readOnlyHint: reads, destructiveHint: name === "reset" }),
      ]);
    }
  });

  test("introduces itself with the version of the package and the base URL", async () => {
    const { client } = await connect("http://127.0.0.1:4711");
    expect(client.getServerVersion()).toMatchObject({ name: "card-sandbox", version: "0.1.0" });
    expect(client.getInstructions()).toContain("http://127.0.0.1:4711");
  });

  test("arms with every option that the control API has", () => {
    const { name: _, ...options } = tools.arm_scenario.input.shape;
    expect(Object.keys(options).toSorted()).toEqual(Object.keys(arming.unwrap().shape).toSorted());
  });

  test("refuses invalid input: names the field, its value and what is allowed", async () => {
    const { refusal, client } = await connect("http://127.0.0.1:1");
    expect(await refusal("reset", { scope: "all" })).toContain(
      'scope: must be one of world, armed_scenarios, requests, but is "all"',
    );
    expect(await refusal("reset")).toContain("scope: is required and must be one of world,");
    expect(await refusal("list_requests", { limit: 5000 })).toContain(
      "limit: must be an integer from 1 to 100, but is 5000",
    );
    expect(await refusal("get_world", { scenarios: "yes" })).toContain(
      'scenarios: must be true or false, but is "yes"',
    );
    expect(await refusal("arm_scenario", { scenario: "conflict" })).toMatch(
      /name: is required and must be a non-empty string, unknown input "scenario"\. Allowed: name, times, /,
    );
    await expect(client.callTool({ name: "order_card" })).rejects.toThrow(/order_card not found/);
  });
});

describe("without a sandbox that it can use", () => {
  test("each tool says which URL does not respond, and how to start a sandbox", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { refusal } = await connect(url);
    const inputs: Partial<Record<ToolName, Record<string, unknown>>> = {
      arm_scenario: { name: "conflict" },
      advance_clock: { by: "PT1M" },
      reset: { scope: "world" },
    };
    for (const name of toolNames) {
      const message = await refusal(name, inputs[name]);
      expect(message).toMatch(new RegExp(`^${url}: no response \\(ECONNREFUSED\\)\\. .*npx card-sandbox`));
    }
  });

  test("asks for the admin token, and never shows it", async () => {
    const adminToken = "correct-horse-battery-staple";
    const { sandbox, use } = await open({ adminToken });
    for (const [token, problem] of [
      [undefined, "is required by"],
      ["wrong", "does not match the admin token of"],
    ] as const) {
      const { refusal } = await connect(sandbox.url, token);
      expect(await refusal("get_world")).toMatch(
        new RegExp(`^--admin-token: ${problem} ${sandbox.url}\\. .*CARD_SANDBOX_ADMIN_TOKEN`),
      );
    }
    expect(JSON.stringify(await use("get_world", { scenarios: true }))).not.toContain(adminToken);
  });

  test("reports a server without a control API", async () => {
    const { refusal } = await open({ control: false });
    expect(await refusal("list_requests")).toMatch(/returned 404\. .* runs without --no-control\.$/);
  });
});

describe("get_world", () => {
  test("has what a first order needs", async () => {
    const { use, exchange, sandbox } = await open();
    const world = await use("get_world");
    expect(world.clock.now).toMatch(/^2026-03-10T09:30/);
    const { CARD_SANDBOX_URL, CARD_SANDBOX_API_KEY, CARD_SANDBOX_ACCOUNT_ID } = world.client_variables;
    expect(CARD_SANDBOX_URL).toBe(sandbox.url);
    const { order } = httpClient(CARD_SANDBOX_URL);
    const token = await exchange(CARD_SANDBOX_API_KEY);
    expect((await order(CARD_SANDBOX_ACCOUNT_ID, { token })).status).toBe(201);
  });

  test("lists the scenarios on request", async () => {
    const { use } = await open();
    expect((await use("get_world")).scenarios).toBeUndefined();
    const { scenarios } = await use("get_world", { scenarios: true });
    expect(scenarios.map(({ name }: { name: string }) => name)).toEqual(shippedScenarios);
  });

  test("shows one company, or pages of them, and bounds each list", async () => {
    const { use, sandbox, refusal } = await open();
    const members = Array.from({ length: 25 }, () => ({ role: "employee" as const }));
    const { id } = await sandbox.isolatedCompany({ members: [{ role: "owner" }, ...members] });
    for (let i = 0; i < 6; i++) await sandbox.isolatedCompany();
    const { companies, has_more } = await use("get_world", { company: id });
    expect([companies.length, has_more]).toEqual([1, false]);
    expect([companies[0].members.length, companies[0].members_not_shown]).toEqual([20, 6]);
    const first = await use("get_world");
    expect([first.companies.length, first.has_more]).toEqual([10, true]);
    const rest = await use("get_world", { after: first.companies.at(-1).id });
    expect([...first.companies, ...rest.companies]).toHaveLength(sandbox.world().companies.length);
    expect(await refusal("get_world", { company: "nobody" })).toMatch(/^company: .*"nobody"/);
  });

  test("shows the secret of a fixture key, which is public, and of no other key", async () => {
    const { use, sandbox } = await open();
    const { apiKey, id } = await sandbox.isolatedCompany();
    const shown = JSON.stringify(await use("get_world", { company: id }));
    expect(shown).not.toContain(apiKey);
    expect(shown).toContain(`${apiKey.slice(0, 16)}…`);
    expect(JSON.stringify(await use("get_world"))).toContain("sk_sandbox_northwind_owner");
  });
});

describe("scenarios, clock and reset", () => {
  test("arms a scenario for the next order, lists it with the world, and disarms it", async () => {
    const { use, order, refusal } = await open();
    const { fired, times } = await use("arm_scenario", {
      name: "quota-reached",
      company: "northwind",
      times: 2,
    });
    expect([fired, times]).toEqual([0, 2]);
    expect((await order()).status).toBe(422);
    expect((await use("get_world")).armed).toMatchObject([{ name: "quota-reached", fired: 1 }]);
    expect(await use("reset", { scope: "armed_scenarios", company: "northwind" })).toEqual({ done: true });
    expect((await use("get_world")).armed).toEqual([]);
    expect((await order()).status).toBe(201);
    expect(await refusal("arm_scenario", { name: "quota-reachd" })).toContain(
      'unknown scenario "quota-reachd". Did you mean "quota-reached"?',
    );
    expect(await refusal("arm_scenario", { name: "conflict", operation: "order" })).toMatch(/^operation: /);
  });

  test("arms a scenario with other waiting times", async () => {
    const { use, order } = await open();
    await use("arm_scenario", { name: "rate-limited", retry_after_s: 7 });
    const response = await order();
    expect([response.status, response.headers.get("Retry-After")]).toEqual([429, "7"]);
  });

  test("advances the clock until a token expires", async () => {
    const { use, order, exchange, refusal } = await open();
    const token = await exchange();
    expect((await use("advance_clock", { by: "PT16M" })).now).toMatch(/^2026-03-10T09:46/);
    expect((await order({ token })).status).toBe(401);
    expect((await use("explain_request")).decided_by.point).toBe("auth.token_expired");
    expect(await refusal("advance_clock", { by: "16m" })).toBe(
      'by: must be an ISO 8601 duration, such as "PT15M", but is "16m"',
    );
  });

  test("resets the world, one company, or the recorded requests", async () => {
    const { use, order, sandbox, refusal } = await open();
    await order();
    const cards = () => sandbox.world().companies[0]?.live_cards;
    expect(cards()).toBe(1);
    await use("reset", { scope: "world", company: "northwind" });
    expect(cards()).toBe(0);
    await use("advance_clock", { by: "P1D" });
    expect((await use("reset", { scope: "world" })).now).toMatch(/^2026-03-10/);
    expect(sandbox.requests.list().requests).toHaveLength(2);
    expect(await refusal("reset", { scope: "requests", company: "northwind" })).toMatch(
      /^company: is not allowed with the scope requests/,
    );
    expect(await use("reset", { scope: "requests" })).toEqual({ done: true });
    expect(sandbox.requests.list().requests).toEqual([]);
  });
});

describe("list_requests", () => {
  test("lists the latest requests, newest first, by page and by filter", async () => {
    const { use, order, refusal } = await open();
    for (const key of ["one", "two"]) await order({ headers: { "Idempotency-Key": key } });
    await order();
    const { requests, has_more } = await use("list_requests", { limit: 4 });
    expect([requests.map(({ status }: { status: number }) => status), has_more]).toEqual([
      [201, 200, 400, 200],
      true,
    ]);
    expect(requests[2]).toMatchObject({
      request: "POST /developer/cards/physical",
      company: "northwind",
      point: "order.idempotency_key_invalid",
      provenance: "specified",
    });
    const older = await use("list_requests", { after: requests.at(-1).id });
    expect([older.requests.length, older.has_more]).toEqual([2, false]);
    expect(
      (await use("list_requests", { status: 400, operation: "orderPhysicalCard" })).requests,
    ).toHaveLength(2);
    expect(await refusal("list_requests", { point: "order.quota" })).toContain("order.quota_reached");
  });

  test("shortens long paths", async () => {
    const { use, sandbox } = await open();
    await fetch(`${sandbox.url}/developer/${"card/".repeat(1000)}`);
    const { requests } = await use("list_requests");
    expect(requests[0].request.length).toBeLessThan(250);
    expect(requests[0].request).toMatch(/card\/.*…$/);
  });
});

describe("explain_request", () => {
  test("shows the check that decided, with its contract point, and what to do", async () => {
    const { use, order } = await open();
    await order({ fields: { pin: "48" } });
    const explained = await use("explain_request");
    expect(explained).toMatchObject({
      request: "POST /developer/cards/physical",
      status: 400,
      decided_by: {
        point: "order.pin_invalid",
        provenance: expect.stringMatching(/^specified: /),
        spec: "§4, §8",
      },
      checks: { decided: "body" },
      what_to_do: [expect.stringMatching(/^pin: /)],
      caller: { company: "northwind", role: "owner" },
      received: { body: expect.stringContaining("pin") },
    });
    expect(explained.checks.passed).toContain("access_token");
    expect(explained.checks.not_reached).toContain("quota");
    expect(explained.scenario).toBeUndefined();
  });

  test("agrees with the dashboard about the checks", async () => {
    const { use, order, sandbox } = await open();
    await order({ headers: { "Content-Type": "text/plain" } });
    const { id, checks } = await use("explain_request");
    const page = await (await fetch(`${sandbox.url}/_sandbox/ui/requests/${id}`)).text();
    const ofPage = (outcome: string) =>
      [...page.matchAll(new RegExp(`<li class="${outcome}"><span[^>]*>[^<]*</span>([^<]*)`, "g"))].map(
        ([, text = ""]) => text.trim().replaceAll(" ", "_"),
      );
    expect(ofPage("decided")).toEqual([checks.decided]);
    expect([ofPage("passed"), ofPage("not-reached")]).toEqual([checks.passed, checks.not_reached]);
  });

  test.each([
    ["armed", {}, "call reset with the scope armed_scenarios"],
    [
      "in Sandbox-Scenario",
      { headers: { "Sandbox-Scenario": "issuer-unavailable" } },
      "omit the header Sandbox-",
    ],
    ["in Prefer", { headers: { Prefer: "code=503" } }, "omit the header Prefer"],
    [
      "in the name",
      { fields: { name: "scenario:issuer-unavailable" } },
      "omit the scenario in the field name",
    ],
  ])("shows the scenario that forced it, %s, and how to stop it", async (how, options, remedy) => {
    const { use, order } = await open();
    if (how === "armed") await use("arm_scenario", { name: "issuer-unavailable" });
    await order(options);
    expect(await use("explain_request")).toMatchObject({
      status: 503,
      checks: { decided: "issuer" },
      scenario: { name: "issuer-unavailable", title: "503 from the card issuer, no card" },
      what_to_do: [expect.stringContaining(remedy), expect.stringContaining("Retry later")],
    });
  });

  test("explains a lost response", async () => {
    const { use, order } = await open();
    await expect(order({ headers: { "Sandbox-Scenario": "lost-response" } })).rejects.toThrow("fetch failed");
    const { status, received, what_to_do } = await use("explain_request");
    expect([status, received]).toEqual(["no response was delivered", null]);
    expect(what_to_do.join()).toContain("Retry with the same Idempotency-Key");
  });

  test.each([
    ["/nowhere", 404],
    ["/developer/cards", 401],
  ])("takes the message of the gateway: GET %s", async (path, expected) => {
    const { use, sandbox } = await open();
    await fetch(sandbox.url + path);
    const { status, what_to_do } = await use("explain_request");
    expect([status, what_to_do]).toEqual([expected, [expect.any(String)]]);
  });

  test("adds the findings that the request is part of, with their fix", async () => {
    const { use, order, exchange } = await open();
    const token = await exchange();
    await use("arm_scenario", { name: "created-but-502", times: 1 });
    await order({ token });
    await order({ token });
    const { findings, what_to_do } = await use("explain_request");
    expect(findings).toMatchObject([{ id: "IDEM-1", severity: "critical" }]);
    expect(what_to_do).toContain(`IDEM-1: ${findings[0].fix}`);
    expect((await use("get_findings", { company: "northwind" })).findings).toMatchObject(findings);
    expect((await use("get_findings", { company: "fullhouse", final: true })).findings).toEqual([]);
  });

  test("names the findings that may concern the request, but list only earlier ones", async () => {
    const { use, exchange, sandbox } = await open();
    const Authorization = `Bearer ${await exchange()}`;
    const list = () => fetch(`${sandbox.url}/developer/cards?pin=4821`, { headers: { Authorization } });
    for (let count = 0; count < 6; count++) await list();
    expect(await use("explain_request")).toMatchObject({
      findings: [],
      what_to_do: [
        expect.any(String),
        expect.stringMatching(/^AUTH-7: may concern this request: it occurred 6 times.* get_findings /),
      ],
    });
  });

  test("masks secrets, and shortens long bodies", async () => {
    const { use, order, exchange } = await open();
    const token = await exchange();
    await order({ token, fields: { name: "A long name ".repeat(1000) } });
    const text = JSON.stringify(await use("explain_request"));
    expect(text).not.toContain(token);
    expect(text).not.toContain("4821");
    expect(text.length).toBeLessThan(10_000);
    expect(text).toMatch(/characters in total\)/);
  });

  test("without such a request says so", async () => {
    const { refusal, sandbox } = await open();
    expect(await refusal("explain_request", { id: "" })).toContain(
      'id: must be a non-empty string, but is ""',
    );
    expect(await refusal("explain_request")).toContain(`Send one to ${sandbox.url}`);
    expect(await refusal("explain_request", { id: "7" })).toMatch(/^id: no recorded request has the id "7"/);
  });
});

test.each(["list_requests", "get_findings", "get_coverage"] as const)(
  "%s does not report a misspelled company as one without requests",
  async (name) => {
    const { use, refusal } = await open();
    await use(name, { company: "northwind" });
    expect(await refusal(name, { company: "nothwind" })).toMatch(/^company: .*"nothwind"/);
  },
);

test("get_coverage reports met and missing points, specified ones first, with the scenarios that force them", async () => {
  const { use, order, refusal } = await open();
  await order();
  const all = await use("get_coverage");
  expect(all.by_operation).toMatchObject({ orderPhysicalCard: { met: 1 } });
  expect(all.met).toContainEqual({ id: "order.created", status: 201, times: 1, first_request: "2" });
  expect(all.missing[0].provenance).toBe("specified");
  expect(all.missing.length + all.missing_not_shown + all.met.length).toBe(all.total.points);
  const { missing } = await use("get_coverage", { operation: "exchangeSandboxKey", company: "northwind" });
  expect(missing).toContainEqual(
    expect.objectContaining({ id: "token.unavailable", scenarios: ["token-unavailable"] }),
  );
  expect(missing.map(({ id }: { id: string }) => id)).not.toContain("order.quota_reached");
  expect(await refusal("get_coverage", { operation: "order" })).toMatch(
    /^operation: must be one of exchangeSandboxKey, .*, but is "order"$/,
  );
});

test("get_coverage lists missing points that were observed before assumed ones", async () => {
  const { use } = await open({
    dialect: { "order.key_in_progress": { use: "409", provenance: "observed" } },
  });
  const { missing } = await use("get_coverage", { operation: "orderVirtualCard" });
  const provenances = missing.map(({ provenance }: { provenance: string }) => provenance);
  expect(provenances.filter((each: string) => each === "observed")).toHaveLength(1);
  expect(provenances.indexOf("observed")).toBeLessThan(provenances.indexOf("assumed"));
});
