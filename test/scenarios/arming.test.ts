import { describe, expect, test } from "vitest";
import type { OperationId } from "../../src/contract/operations.ts";
import { openSandbox, type Reply } from "../support/open-sandbox.ts";
import { own } from "../support/own-scenario.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const other = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c31";

const points = (replies: readonly Reply[]) => replies.map(({ point }) => point?.replace("order.", ""));

async function orders(sandbox: ReturnType<typeof openSandbox>, count: number): Promise<Reply[]> {
  const replies = [];
  for (let n = 0; n < count; n++) replies.push(await sandbox.order());
  return replies;
}

const down = { faults: { issuer: { unavailable: true } } };
const full = { facts: { quota_reached: true } };

describe("the steps of a scenario", () => {
  test.each([
    [
      "repeat the last one by default",
      [down, full],
      {},
      {},
      ["issuer_unavailable", "quota_reached", "quota_reached"],
    ],
    [
      "force nothing after the last one with then: pass",
      [down, full],
      { then: "pass" },
      {},
      ["issuer_unavailable", "quota_reached", "created"],
    ],
    [
      "may include one that only passes",
      [down, { pass: true }, full],
      {},
      {},
      ["issuer_unavailable", "created", "quota_reached"],
    ],
    [
      "run once with times: 1",
      [down, full],
      {},
      { times: 1 },
      ["issuer_unavailable", "quota_reached", "created"],
    ],
    [
      "start again at the first one in each run",
      [down, { pass: true }],
      {},
      { times: 2 },
      ["issuer_unavailable", "created", "issuer_unavailable", "created", "created"],
    ],
  ])("%s", async (_title, steps, rest, arming, expected) => {
    const sandbox = openSandbox(own(steps, rest));
    sandbox.scenario("own", { company: "northwind", ...arming });
    expect(points(await orders(sandbox, expected.length))).toEqual(expected);
  });

  test("are each used by one of 50 parallel requests", async () => {
    const sandbox = openSandbox();
    const armed = sandbox.scenario("issuer-recovers", { company: "northwind" });
    sandbox.control.companies.change("northwind", { card_quota: 100 });
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const replies = await Promise.all(Array.from({ length: 50 }, () => sandbox.order({ token })));
    expect(points(replies).filter((point) => point === "issuer_unavailable")).toHaveLength(2);
    expect(points(replies).filter((point) => point === "created")).toHaveLength(48);
    expect(armed.listing()).toMatchObject({ steps_taken: 2, fired: 2 });
  });

  test("are each used by one of several slow requests", async () => {
    const latency = { latency_ms: 20 };
    for (const faults of [
      { request: latency, issuer: { unavailable: true } },
      { issuer: { ...latency, unavailable: true } },
    ]) {
      const sandbox = openSandbox(own([{ faults }], { then: "pass" }));
      sandbox.scenario("own", { times: 3 });
      const replies = await Promise.all(Array.from({ length: 12 }, () => sandbox.order()));
      expect(points(replies).toSorted()).toEqual([
        ...Array(9).fill("created"),
        ...Array(3).fill("issuer_unavailable"),
      ]);
    }
  });
});

describe("a step is used only if it decides the response", () => {
  const decidedByOthers = {
    "no access token": { token: "" },
    "no permission": { apiKey: "sk_sandbox_northwind_employee" },
    "no Idempotency-Key": { headers: { "Idempotency-Key": undefined } },
    "an invalid body": { body: { pin: "12" } },
    "an unknown account": { body: { account_id: key } },
    "incomplete cardholder details": { apiKey: "sk_sandbox_northwind_incomplete" },
    "the Idempotency-Key of an earlier order": { key },
    "an empty PIN": { apiKey: "sk_sandbox_northwind_admin", body: { pin: "" } },
  };
  const steps = {
    quota: full,
    issuer: down,
    "a slow issuer": { faults: { issuer: { latency_ms: 5 } } },
    "a lost response": { faults: { response: { reset: true } } },
    "a pass": { pass: true },
  };
  test.each(
    Object.keys(steps).flatMap((step) => Object.keys(decidedByOthers).map((what) => [step, what] as const)),
  )("step: %s; the request has %s", async (step, what) => {
    const sandbox = openSandbox(own([steps[step as keyof typeof steps], down]));
    await sandbox.order({ key });
    const armed = sandbox.scenario("own");
    await sandbox.order(decidedByOthers[what as keyof typeof decidedByOthers]);
    expect(armed.listing()).toMatchObject({ steps_taken: 0, fired: 0 });
    expect(sandbox.control.scenarios.armed().unused).toEqual([armed.id]);
    await sandbox.order().catch(() => {});
    expect(armed.listing()).toMatchObject({ steps_taken: 1, fired: step === "a pass" ? 0 : 1 });
  });

  test("a fault of the request fires only after authentication", async () => {
    const sandbox = openSandbox();
    const armed = sandbox.scenario("dropped-request");
    expect((await sandbox.order({ token: "nobody" })).status).toBe(401);
    expect(armed.listing().steps_taken).toBe(0);
    await expect(sandbox.order()).rejects.toThrow("fetch failed");
    expect(armed.listing().steps_taken).toBe(1);
  });

  test("unreadable spending fires only if the response shows spending", async () => {
    const sandbox = openSandbox();
    const armed = sandbox.scenario("used-unreadable");
    await sandbox.order();
    expect(armed.listing().fired).toBe(0);
    await sandbox.order({ body: { spending_limit: { period: "daily", amount: "1" } } });
    expect(armed.listing().fired).toBe(1);
  });
});

describe("the most specific scenario wins", () => {
  test("in this order: header, Prefer, name, API key, company, all", async () => {
    const sandbox = openSandbox();
    const apiKey = sandbox.company("northwind").members[0]?.api_keys[0]?.id ?? "";
    sandbox.scenario("issuer-bad-gateway", { api_key_id: apiKey });
    sandbox.scenario("account-closed", { company: "northwind" });
    sandbox.scenario("conflict");
    const pointOf = async (headers: Record<string, string>, body: object = {}) =>
      (await sandbox.order({ headers, body: { ...body } })).point;
    const name = { name: "scenario:forbidden" };
    const prefer = { Prefer: 'code=404; example="quota-reached"' };
    const header = { "Sandbox-Scenario": "issuer-unavailable" };
    expect(await pointOf({ ...header, ...prefer }, name)).toBe("order.issuer_unavailable");
    expect(await pointOf(prefer, name)).toBe("order.quota_reached");
    expect(await pointOf({ Prefer: "code=404" }, name)).toBe("order.account_not_found");
    expect(await pointOf({}, name)).toBe("order.forbidden");
    expect(await pointOf({})).toBe("order.issuer_bad_gateway");
    const ofAdmin = await sandbox.order({ apiKey: "sk_sandbox_northwind_admin" });
    expect(ofAdmin.point).toBe("order.account_closed");
    const elsewhere = await sandbox.order({ apiKey: "sk_sandbox_halfway_owner" });
    expect(elsewhere.point).toBe("order.account_not_found");
    const { id } = sandbox.account("halfway");
    const forAll = await sandbox.order({ apiKey: "sk_sandbox_halfway_owner", body: { account_id: id } });
    expect(forAll.point).toBe("order.change_in_progress");
  });

  test("if two match equally closely, the one armed last wins until it is used up", async () => {
    const sandbox = openSandbox();
    sandbox.scenario("issuer-unavailable", { company: "northwind" });
    sandbox.scenario("quota-reached", { company: "northwind", times: 1 });
    expect(points(await orders(sandbox, 3))).toEqual([
      "quota_reached",
      "issuer_unavailable",
      "issuer_unavailable",
    ]);
  });

  test("one armed for an API key fires in each company that its member acts for", async () => {
    const sandbox = openSandbox();
    const member = sandbox.company("northwind").members.find(({ slug }) => slug === "northwind-admin");
    sandbox.scenario("unauthorized", { api_key_id: member?.api_keys[0]?.id ?? "" });
    const reply = await sandbox.order({
      apiKey: "sk_sandbox_northwind_admin",
      headers: { "X-On-Behalf-Of": sandbox.company("fullhouse").id },
    });
    expect(reply.point).toBe("auth.token_invalid");
  });

  test("the scenarios of two companies do not affect each other", async () => {
    const sandbox = openSandbox();
    const [mine, theirs] = [
      await sandbox.control.companies.create({ card_quota: 100 }),
      await sandbox.control.companies.create({ card_quota: 100 }),
    ];
    sandbox.scenario("issuer-unavailable", { company: mine.id });
    sandbox.scenario("forbidden", { company: theirs.slug });
    const order = ({ members, accounts }: typeof mine) =>
      sandbox.order({
        apiKey: members[0]?.api_keys[0]?.secret ?? "",
        body: { account_id: accounts[0]?.id },
      });
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) => order(i % 2 === 0 ? mine : theirs)),
    );
    expect(replies.map(({ point }) => point)).toEqual(
      replies.map((_, i) => (i % 2 === 0 ? "order.issuer_unavailable" : "order.forbidden")),
    );
  });
});

describe("a scenario that the request chooses", () => {
  const chosen = { headers: { "Sandbox-Scenario": "issuer-recovers" } };

  test("counts its steps separately for each scenario and company", async () => {
    const sandbox = openSandbox(own([full, down]));
    const { id } = sandbox.account("halfway");
    sandbox.control.companies.change("halfway", { details_complete: true });
    const replies = [
      await sandbox.order({ ...chosen, key }),
      await sandbox.order({ key, headers: { "Sandbox-Scenario": "own" } }),
      await sandbox.order({ key, headers: { "Sandbox-Scenario": "own" } }),
      await sandbox.order({
        key,
        headers: { "Sandbox-Scenario": "own" },
        apiKey: "sk_sandbox_halfway_owner",
        body: { account_id: id },
      }),
    ];
    expect(points(replies)).toEqual([
      "issuer_unavailable",
      "quota_reached",
      "issuer_unavailable",
      "quota_reached",
    ]);
  });

  test("uses the first of two preferences, in any letter case", async () => {
    const reply = await openSandbox().order({ headers: { Prefer: "CODE=422, code=404" } });
    expect(reply.point).toBe("order.quota_reached");
  });

  test("counts its steps separately for each company and Idempotency-Key", async () => {
    const sandbox = openSandbox();
    const ofAdmin = { ...chosen, apiKey: "sk_sandbox_northwind_admin", key };
    const replies = [
      await sandbox.order({ ...chosen, key }),
      await sandbox.order({ ...chosen, key: other }),
      await sandbox.order(ofAdmin),
      await sandbox.order({ ...chosen, key: key.toUpperCase() }),
      await sandbox.order({ ...chosen, key: other }),
    ];
    expect(points(replies)).toEqual([
      "issuer_unavailable",
      "issuer_unavailable",
      "issuer_unavailable",
      "created",
      "issuer_unavailable",
    ]);
  });

  test.each([
    [
      "Sandbox-Scenario",
      "quota-reach",
      'Sandbox-Scenario: unknown scenario "quota-reach". Did you mean "quota-reached"?',
    ],
    [
      "Prefer",
      "example=lost-respons",
      'Prefer: unknown scenario "lost-respons". Did you mean "lost-response"?',
    ],
    ["Prefer", "code=418", 'Prefer: no scenario forces code "418" on orderPhysicalCard'],
    ["Prefer", "code=soon", 'Prefer: no scenario forces code "soon" on orderPhysicalCard'],
    ["Prefer", "code=0x1F7", 'Prefer: no scenario forces code "0x1F7" on orderPhysicalCard'],
    ["Sandbox-Scenario", "", 'unknown scenario ""'],
    ["Sandbox-Scenario", "x.".repeat(4000), '.…". GET /_sandbox/scenarios lists all scenarios.'],
    [
      "Sandbox-Scenario",
      "key-revoked",
      "key-revoked can never fire on orderPhysicalCard. It fires on exchangeSandboxKey, exchangeLiveKey.",
    ],
  ])("$0: $1 is refused before authentication", async (name, value, message) => {
    const reply = await openSandbox().order({ token: "nobody", headers: { [name]: value } });
    expect([reply.status, reply.point]).toEqual([400, "gateway.scenario_unknown"]);
    expect(reply.json).toEqual({ error: expect.stringContaining(message) });
  });

  test("is refused if its name in the body, or in a header to the token endpoint, is unknown", async () => {
    const sandbox = openSandbox();
    const reply = await sandbox.order({ body: { name: "scenario:lost" } });
    expect([reply.status, reply.json]).toEqual([
      400,
      { error: expect.stringContaining('name: unknown scenario "lost"') },
    ]);
    const headers = { "Sandbox-Scenario": "nothing" };
    expect((await sandbox.post("/auth/v1/sandbox/token", {}, headers)).point).toBe(
      "gateway.scenario_unknown",
    );
  });

  test("fires on an operation that its file does not list, and is refused if it can never fire there", async () => {
    const sandbox = openSandbox();
    const exchange = (name: string) =>
      sandbox.post(
        "/auth/v1/sandbox/token",
        { api_key: "sk_sandbox_northwind_owner" },
        { "Sandbox-Scenario": name },
      );
    expect((await exchange("rate-limited")).point).toBe("gateway.rate_limited");
    await expect(exchange("lost-response")).rejects.toThrow("fetch failed");
    const refused = await exchange("quota-reached");
    expect([refused.status, refused.json]).toEqual([
      400,
      { error: "quota-reached can never fire on exchangeSandboxKey. It fires on orderPhysicalCard." },
    ]);
  });

  test("may be named with JSON escapes", async () => {
    const sandbox = openSandbox();
    const raw = JSON.stringify(sandbox.orderBody({ name: "scenario:forbidden" })).replace(":f", "\\u003af");
    expect((await sandbox.order({ raw })).point).toBe("order.forbidden");
  });

  test.each(["return=minimal", "code=201", "respond-async, wait=10", "code"])(
    "Prefer: %s forces nothing",
    async (preference) => {
      const reply = await openSandbox().order({ headers: { Prefer: preference } });
      expect([reply.point, reply.headers.get("Sandbox-Scenario")]).toEqual(["order.created", null]);
    },
  );

  test("is not chosen by a card name that only contains the prefix, or has it in another case", async () => {
    for (const name of ["my scenario:lost-response", "Scenario:lost-response"]) {
      expect((await openSandbox().order({ body: { name } })).json.name).toBe(name);
    }
  });
});

describe("a scenario for several operations", () => {
  const both = { on: ["orderPhysicalCard", "exchangeSandboxKey"] as OperationId[] } satisfies Parameters<
    typeof own
  >[1];

  test.each<[string, object]>([
    ["exchangeSandboxKey", { response: { bad_gateway: true } }],
    ["orderPhysicalCard", { token: { lifetime_s: 5 } }],
  ])("does not use a step that cannot fire on %s", async (operation, faults) => {
    const sandbox = openSandbox(own([{ faults }], both));
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const armed = sandbox.scenario("own");
    const reply =
      operation === "orderPhysicalCard"
        ? await sandbox.order({ token })
        : await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
    expect([reply.status < 300, reply.headers.get("Sandbox-Scenario")]).toEqual([true, null]);
    expect(armed.listing().steps_taken).toBe(0);
  });
});

describe("the response header Sandbox-Scenario", () => {
  test("names the scenario on forced responses only", async () => {
    const sandbox = openSandbox();
    const forced = await sandbox.order({ key, headers: { "Sandbox-Scenario": "created-but-502" } });
    expect(forced.headers.get("Sandbox-Scenario")).toBe("created-but-502");
    const replayed = await sandbox.order({ key, headers: { "Sandbox-Scenario": "created-but-502" } });
    expect(replayed.headers.get("Sandbox-Scenario")).toBeNull();
  });

  test("is omitted without sandboxHeaders", async () => {
    const sandbox = openSandbox({ scenario: "quota-reached", sandboxHeaders: false });
    const reply = await sandbox.order();
    expect([reply.status, reply.headers.get("Sandbox-Scenario")]).toEqual([422, null]);
  });
});

describe("armed scenarios belong to the world", () => {
  test("restoring a snapshot of a sandbox started with another scenario keeps this sandbox's own", async () => {
    const sandbox = openSandbox({ scenario: "conflict" });
    sandbox.database.run("UPDATE armed_scenarios SET scenario = 'forbidden'");
    sandbox.snapshot("of-another");
    sandbox.restore("of-another");
    expect(sandbox.control.scenarios.armed().armed.map(({ name }) => name)).toEqual(["conflict"]);
  });

  test("one without a scenario file forces nothing and is listed as unknown", async () => {
    const sandbox = openSandbox(own([down]));
    const { id } = sandbox.scenario("own");
    sandbox.database.run("UPDATE armed_scenarios SET scenario = 'gone'");
    sandbox.reset("fullhouse");
    expect((await sandbox.order()).point).toBe("order.created");
    expect(sandbox.control.scenarios.byId(id)).toMatchObject({ name: "gone", known: false, spent: false });
  });

  test("a reset disarms all, and arms the scenario of the start again from its first step", async () => {
    const sandbox = openSandbox({ ...own([down, full]), scenario: "own" });
    const start = sandbox.control.scenarios.armed();
    await sandbox.order();
    sandbox.scenario("forbidden");
    sandbox.reset();
    expect(sandbox.control.scenarios.armed()).toEqual(start);
    expect(points(await orders(sandbox, 2))).toEqual(["issuer_unavailable", "quota_reached"]);
  });

  test("a reset of a company disarms its scenarios and restarts the chosen ones", async () => {
    const sandbox = openSandbox();
    const chosen = { key, headers: { "Sandbox-Scenario": "issuer-recovers" } };
    await sandbox.order(chosen);
    await sandbox.order(chosen);
    sandbox.scenario("forbidden", { company: "northwind" });
    sandbox.scenario("conflict", { company: "fullhouse" });
    sandbox.reset("northwind");
    expect(sandbox.control.scenarios.armed().armed.map(({ name }) => name)).toEqual(["conflict"]);
    expect((await sandbox.order(chosen)).point).toBe("order.issuer_unavailable");
  });

  test("requests after a restore or reset use the scenarios of the new world", async () => {
    const sandbox = openSandbox();
    sandbox.snapshot("plain");
    for (const reset of [() => sandbox.restore("plain"), () => sandbox.reset("northwind")]) {
      sandbox.scenario("forbidden", { company: "northwind" });
      expect((await sandbox.order()).point).toBe("order.forbidden");
      reset();
      expect((await sandbox.order()).point).toBe("order.created");
    }
  });

  test("a snapshot includes the number of used steps", async () => {
    const sandbox = openSandbox(own([down, full]));
    const armed = sandbox.scenario("own");
    await sandbox.order();
    sandbox.snapshot("one-step-in");
    await orders(sandbox, 2);
    sandbox.restore("one-step-in");
    expect(armed.listing()).toMatchObject({ steps_taken: 1, fired: 1 });
    expect(points(await orders(sandbox, 1))).toEqual(["quota_reached"]);
  });

  test("one is found by its id in any letter case, and is spent after all its steps", async () => {
    const sandbox = openSandbox();
    const { id } = sandbox.scenario("issuer-recovers", { times: 1 });
    await sandbox.order();
    expect(sandbox.control.scenarios.byId(id.toUpperCase())).toMatchObject({ fired: 1, spent: false });
    await sandbox.order();
    expect(sandbox.control.scenarios.byId(id)).toMatchObject({ fired: 2, spent: true });
  });

  test("deleting a company of the fixtures deletes scenarios armed for an API key of its member", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ headers: { "Sandbox-Scenario": "issuer-recovers" } });
    const { api_key_id, company } = sandbox
      .scenario("forbidden", {
        api_key_id: sandbox.company("northwind").members[0]?.api_keys[0]?.id ?? "",
      })
      .listing();
    expect([typeof api_key_id, company]).toEqual(["string", "northwind"]);
    sandbox.control.companies.delete("northwind");
    expect(sandbox.control.scenarios.armed().armed).toEqual([]);
  });

  test("deleting an isolated company deletes the scenarios armed for it", async () => {
    const sandbox = openSandbox();
    const { slug, members } = await sandbox.control.companies.create();
    sandbox.scenario("forbidden", { company: slug });
    sandbox.scenario("forbidden", { api_key_id: members[0]?.api_keys[0]?.id ?? "" });
    sandbox.control.companies.delete(slug);
    expect(sandbox.control.scenarios.armed().armed).toEqual([]);
  });
});

test("the same requests with scenarios give the same bytes in 100 runs", async () => {
  const script = async () => {
    const sandbox = openSandbox({ scenario: "issuer-recovers" });
    const bytes = [];
    for (const name of [
      "lost-response",
      "created-but-502",
      "truncated-response",
      "quota-reached",
      "rate-limited",
    ]) {
      const reply = await sandbox
        .order({ key, headers: { "Sandbox-Scenario": name } })
        .catch((error: Error) => ({ headers: [], text: String(error) }));
      bytes.push(JSON.stringify([...reply.headers]), reply.text);
    }
    bytes.push(...(await orders(sandbox, 3)).map(({ text }) => text));
    bytes.push(JSON.stringify(sandbox.control.scenarios.armed()), JSON.stringify(sandbox.world()));
    return bytes.join("\n");
  };
  const first = await script();
  for (let run = 1; run < 100; run++) expect(await script()).toBe(first);
});
