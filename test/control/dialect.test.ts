import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { behaviourIds } from "../../src/contract/behaviours.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { letConflict } from "../support/let-conflict.ts";
import { openSandbox, type Reply, type TestOptions } from "../support/open-sandbox.ts";

const live = "sk_live_northwind_owner";
const dialect = { "replay.status": "200" } as const;

/** The responses to tests that change the dialect are checked against the contract of each of them. */
function openDialects(options: TestOptions = {}) {
  const sandbox = openSandbox(options);
  const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
    sandbox.request(`/_sandbox/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const put = (body: unknown) => send("PUT", "dialect", body);
  /** The status of a replay in a company. */
  const replayed = async (apiKey = "sk_sandbox_northwind_owner", account_id?: string) => {
    const key = crypto.randomUUID();
    const account = sandbox.account("northwind", "gbp", apiKey === live ? "live" : "sandbox");
    const ordered = { apiKey, key, body: { account_id: account_id ?? account.id } };
    await sandbox.order(ordered);
    return (await sandbox.order(ordered)).status;
  };
  const used = async (path = "dialect") => {
    const { behaviors } = (await send("GET", path)).json;
    return behaviors.find(({ id }: { id: string }) => id === "replay.status");
  };
  return { ...sandbox, send, put, replayed, used };
}

describe("GET /_sandbox/dialect", () => {
  test("lists all behaviors with their alternatives", async () => {
    const { send, used } = openDialects();
    const { status, json } = await send("GET", "dialect");
    expect([status, json.behaviors.map(({ id }: { id: string }) => id)]).toEqual([200, behaviourIds]);
    expect(await used()).toMatchObject({
      title: "Status of a replayed request",
      scope: "company",
      use: "201",
      is_default: true,
      provenance: "assumed",
      date: null,
      note: null,
      alternatives: [{ id: "201" }, { id: "200" }],
    });
  });
});

describe("PUT /_sandbox/dialect", () => {
  test("replaces the dialect of the sandbox", async () => {
    const { put, replayed, used, request } = openDialects();
    const selection = { use: "200", provenance: "observed", date: "2026-11-20", note: "ticket 4711" };
    const changed = await put({ dialect: { "replay.status": selection } });
    expect(changed.status).toBe(200);
    expect(await used()).toMatchObject({ ...selection, is_default: false });
    expect([await replayed(), await replayed(live)]).toEqual([200, 200]);
    const { paths } = (await request("/openapi.json")).json;
    expect(Object.keys(paths["/developer/cards/physical"].post.responses)).toContain("200");
    expect((await put({ dialect: {} })).status).toBe(200);
    expect(await replayed()).toBe(201);
  });

  test("for a company, is over that of the sandbox", async () => {
    const { put, replayed, used, control } = openDialects();
    control.dialect.replace({ dialect, company: "live/northwind" });
    expect([await replayed(), await replayed(live)]).toEqual([201, 200]);
    expect([(await used()).use, (await used("dialect?company=live/northwind")).use]).toEqual(["201", "200"]);
    await put({ dialect });
    await put({ dialect: { "replay.status": { use: "201" } }, company: "live/northwind" });
    expect([await replayed(), await replayed(live)]).toEqual([200, 201]);
    control.dialect.remove("live/northwind");
    expect(await replayed(live)).toBe(200);
  });

  test("replaces the dialect of its scope as a whole", async () => {
    const { put, control } = openDialects();
    await put({ dialect: { "on_behalf_of.mode": "off", ...dialect } });
    await put({ dialect });
    const changed = control.dialect.list().behaviors.filter(({ is_default }) => !is_default);
    expect(changed.map(({ id }) => id)).toEqual(["replay.status"]);
  });

  test.each<[object, string]>([
    [{}, "dialect: is required and must be an object"],
    [{ dialect: [] }, "dialect: must be an object, but is a list"],
    [
      { dialect: { "replay.staus": "200" } },
      'dialect: unknown key "replay.staus". Did you mean "replay.status"?',
    ],
    [{ dialect: { "replay.status": "300" } }, 'replay.status.use: must be one of "200", "201", but is "300"'],
    [{ dialect, companies: ["halfway"] }, 'unknown key "companies". Did you mean "company"?'],
    [
      { dialect: { "on_behalf_of.mode": "off" }, company: "live/northwind" },
      "dialect.on_behalf_of.mode: cannot differ between companies, because it is decided before the caller is known. Change it for the whole sandbox: PUT /_sandbox/dialect without company.",
    ],
  ])("refuses %j", async (body, message) => {
    const { put, control } = openDialects();
    const { status, json } = await put(body);
    expect([status, json.error]).toEqual([400, expect.stringContaining(message)]);
    expect(control.dialect.list().behaviors.every(({ is_default }) => is_default)).toBe(true);
  });

  test("refuses alternatives that cannot be combined, also between the sandbox and a company", async () => {
    letConflict("replay.status", "200", "on_behalf_of.mode=required");
    const required = { "on_behalf_of.mode": "required" } as const;
    const { put, send, replayed } = openDialects({ choices: required });
    const conflict = "dialect.replay.status: 200 cannot be combined with on_behalf_of.mode: required";
    const refused = { status: 400, json: { error: conflict } };
    expect(await put({ dialect: { ...dialect, ...required } })).toMatchObject(refused);
    expect(await put({ dialect, company: "live/northwind" })).toMatchObject(refused);
    expect(await send("POST", "companies", { dialect })).toMatchObject(refused);
    await put({ dialect: {} });
    expect((await put({ dialect, company: "live/northwind" })).status).toBe(200);
    const inCompany = { error: `${conflict}, in the dialect of a company` };
    expect(await put({ dialect: required })).toMatchObject({ status: 400, json: inCompany });
    expect(await send("DELETE", "dialect")).toMatchObject({ status: 409, json: inCompany });
    expect([await replayed(), await replayed(live)]).toEqual([201, 200]);
  });

  test("changes the key quota", async () => {
    const { put, control } = openDialects();
    const create = () => control.apiKeys.create({ member: "northwind-owner", environment: "sandbox" });
    for (;;) {
      try {
        create();
      } catch {
        break;
      }
    }
    expect(create).toThrow("key_limit_reached: the company has 5");
    await put({ dialect: { "api_keys.quota": "member" } });
    expect(control.apiKeys.slots).toEqual({ per: "member", allowed: 5 });
    create();
  });

  test("leaves a request in progress undisturbed", async () => {
    const { put, scenario, order, clockOfTest } = openDialects();
    scenario("issuer-slow", { times: 1 });
    const key = crypto.randomUUID();
    const first = order({ key });
    while (clockOfTest.waits.length === 0) await new Promise(setImmediate);
    await put({ dialect: { ...dialect, "on_behalf_of.mode": "off" } });
    clockOfTest.endWaits();
    expect((await first).status).toBe(201);
    expect((await order({ key })).status).toBe(200);
  });
});

describe("a dialect is part of the world", () => {
  test("a reset restores that of the start", async () => {
    const { put, send, replayed, reset } = openDialects({ choices: dialect });
    await put({ dialect: {} });
    await put({ dialect: { "replay.status": "201" }, company: "live/northwind" });
    expect([await replayed(), await replayed(live)]).toEqual([201, 201]);
    reset("live/northwind");
    await put({ dialect });
    expect([await replayed(), await replayed(live)]).toEqual([200, 200]);
    await put({ dialect: {} });
    reset();
    expect([await replayed(), await replayed(live)]).toEqual([200, 200]);
    await put({ dialect: {} });
    expect((await send("DELETE", "dialect")).status).toBe(204);
    expect(await replayed()).toBe(200);
  });

  test("a snapshot contains it", async () => {
    const { put, replayed, reset, snapshot, restore } = openDialects();
    await put({ dialect });
    await put({ dialect: { "replay.status": "201" }, company: "live/northwind" });
    snapshot("changed");
    reset();
    expect([await replayed(), await replayed(live)]).toEqual([201, 201]);
    restore("changed");
    expect([await replayed(), await replayed(live)]).toEqual([200, 201]);
  });

  test("a database file keeps it", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    const before = openDialects({ db });
    await before.put({ dialect });
    await before.put({ dialect: { "replay.status": "201" }, company: "live/northwind" });
    await before.end();
    const after = openDialects({ db });
    expect([await after.replayed(), await after.replayed(live)]).toEqual([200, 201]);
    after.reset();
    expect(await after.replayed()).toBe(201);
  });

  test("an isolated company has its own from its beginning, also after a reset", async () => {
    const { isolatedCompany, replayed, reset, control, database } = openDialects();
    const { id, apiKey, accountId, delete: end } = await isolatedCompany({ dialect });
    expect([await replayed(apiKey, accountId), await replayed()]).toEqual([200, 201]);
    control.dialect.replace({ dialect: {}, company: id });
    expect(await replayed(apiKey, accountId)).toBe(201);
    reset(id);
    expect(await replayed(apiKey, accountId)).toBe(200);
    end();
    expect(database.all("SELECT * FROM dialects")).toEqual([]);
    const next = await isolatedCompany();
    expect(await replayed(next.apiKey, next.accountId)).toBe(201);
  });

  test("a change of one company reads no row of another", async () => {
    const { isolatedCompany, control, database } = openDialects();
    const first = await isolatedCompany({ dialect });
    await isolatedCompany({ dialect });
    control.dialect.list();
    const all = vi.spyOn(database, "all");
    control.dialect.replace({ dialect: {}, company: first.id });
    expect(all.mock.calls.filter(([sql]) => sql.includes("FROM dialects"))).toEqual([]);
  });

  test("a change that is rolled back is undone, even if it was read before", async () => {
    const { control, database, used } = openDialects();
    const before = await used();
    const change = () => {
      control.dialect.replace({ dialect });
      throw new Error("rolled back");
    };
    expect(() => database.transaction(change)).toThrow("rolled back");
    expect(await used()).toEqual(before);
  });

  test("an invalid dialect creates no company", async () => {
    const { isolatedCompany, world } = openDialects();
    const count = world().companies.length;
    await expect(isolatedCompany({ dialect: { "on_behalf_of.mode": "off" } })).rejects.toThrow(
      "dialect.on_behalf_of.mode: cannot differ between companies",
    );
    expect(world().companies).toHaveLength(count);
  });
});

describe("with a company, its dialect decides", () => {
  test("the contract points and the coverage", async () => {
    const { put, send, coverage } = openDialects();
    await put({ dialect, company: "live/northwind" });
    const status = (points: readonly { id: string; status: number }[]) =>
      points.find(({ id }) => id === "order.replayed")?.status;
    expect(status((await send("GET", "contract")).json.points)).toBe(201);
    expect(status((await send("GET", "contract?company=live/northwind")).json.points)).toBe(200);
    expect(status(coverage().points)).toBe(201);
    expect(status(coverage({ company: "live/northwind" }).points)).toBe(200);
  });
});
