import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { run, startCommandLine, temporaryFolder } from "../support/command-line.ts";
import { openCompanies } from "../support/open-companies.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const owner = "sk_sandbox_northwind_owner";

describe("without fixture keys", () => {
  const open = () => openCompanies({ fixtureKeys: false });
  const make = (sandbox: ReturnType<typeof open>) =>
    sandbox.post("/_sandbox/api-keys", { member: "northwind-owner", environment: "sandbox" });

  test("refuses the exchange of a fixture key like that of an unknown key", async () => {
    const reply = await open().post("/auth/v1/sandbox/token", { api_key: owner });
    expect([reply.status, reply.point]).toEqual([401, "token.key_unknown"]);
  });

  test("they stay refused after a reset, a restored snapshot and the reset of a company", async () => {
    const sandbox = open();
    sandbox.snapshot("kept");
    for (const putBack of [
      () => sandbox.reset(),
      () => sandbox.restore("kept"),
      () => sandbox.reset("northwind"),
    ]) {
      putBack();
      const reply = await sandbox.post("/auth/v1/sandbox/token", { api_key: owner });
      expect(reply.point).toBe("token.key_unknown");
    }
  });

  test("does not list them, and does not count them towards the limit of five", async () => {
    const sandbox = open();
    const pages = ["world", "api-keys", "ui", "ui/api-keys", "ui/companies"];
    const shown = await Promise.all(
      pages.map(async (page) => (await sandbox.fetch(`http://localhost/_sandbox/${page}`)).text()),
    );
    expect(shown.join()).toContain("Northwind");
    expect(shown.join()).not.toMatch(/sk_(sandbox|live)_[a-z]/);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await make(sandbox)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 409]);
  });

  test("a key that the control API made or was given works", async () => {
    const sandbox = open();
    const { json } = await make(sandbox);
    const secret = "sk_sandbox_chosen_by_a_tester";
    const company = await sandbox.make({ members: [{ api_keys: [{ secret }] }] });
    const made = company.members[0]?.api_keys.map((key) => key.secret) ?? [];
    expect(made[0]).toBe(secret);
    for (const key of [json.secret, ...made]) expect(await sandbox.exchange(key)).toHaveLength(43);
  });
});

test("refuses the secret of a hidden fixture key for a new company", async () => {
  const sandbox = openCompanies({ fixtureKeys: false });
  const members = [{ api_keys: [{ secret: owner }] }];
  const { status, json } = await sandbox.post("/_sandbox/companies", { members });
  expect(status).toBe(409);
  expect(json.error).toContain(
    "members.0.api_keys.0.secret: is already used by another API key. Use another secret",
  );
});

test("a key that POST companies was given is stored as a hash, and shown in that response only", async () => {
  const sandbox = openCompanies();
  const secret = "sk_sandbox_chosen_by_a_tester";
  await sandbox.make({ slug: "acme", members: [{ api_keys: [{ secret }] }] });
  const kept = JSON.stringify([sandbox.world(), sandbox.database.all("SELECT * FROM api_keys")]);
  expect(kept).not.toContain(secret);
  sandbox.reset("acme");
  expect(await sandbox.exchange(secret)).toHaveLength(43);
});

test("a database keeps its fixture keys for a start that accepts them", async () => {
  const db = join(temporaryFolder(), "sandbox.db");
  const exchange = async (fixtureKeys?: boolean) => {
    const sandbox = createSandbox({ db, fixtureKeys });
    const body = JSON.stringify({ api_key: owner });
    const { status } = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", { method: "POST", body });
    sandbox.close();
    return status;
  };
  expect([await exchange(), await exchange(false), await exchange()]).toEqual([200, 401, 200]);
});

describe("--no-fixture-keys", () => {
  test.each([
    [["--no-fixture-keys"], {}],
    [[], { CARD_SANDBOX_NO_FIXTURE_KEYS: "true" }],
  ])("%j %j leaves fixture keys out of the start-up lines and of card-sandbox keys", async (args, env) => {
    const { url, output, post } = await startCommandLine(args, env);
    expect(output.stdout).not.toMatch(/sk_(sandbox|live)_/);
    expect(output.stdout).toMatch(/^API keys\n {2}none; create one: card-sandbox keys create --member/m);
    expect((await post("/auth/v1/sandbox/token", { api_key: owner })).status).toBe(401);
    const keys = run(["keys", "--url", url]);
    await keys.ended;
    expect(keys.output.stdout.trimEnd().split("\n")).toHaveLength(1);
    const created = run(["keys", "create", "--url", url, "--member", "northwind-owner"]);
    await created.ended;
    const api_key = created.output.stdout.trim();
    expect((await post("/auth/v1/sandbox/token", { api_key })).status).toBe(200);
  });
});

test("fixture keys work unless they are refused, whatever the secrets", async () => {
  for (const privateSecrets of [false, true]) {
    expect(await openSandbox({ privateSecrets }).exchange(owner)).toHaveLength(43);
  }
});
