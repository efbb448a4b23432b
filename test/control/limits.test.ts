import { expect, test } from "vitest";
import { limits } from "../../src/control/errors.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const counted = (n: number) => `WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${n})`;

test("arms up to 1,000 scenarios, and another one after one is disarmed", () => {
  const { control } = openSandbox();
  const arm = () => control.scenarios.arm("quota-reached", { company: "northwind", times: 1 });
  for (let n = 0; n < limits.armedScenarios; n++) arm();
  expect(arm).toThrow(
    /^limit_reached: at most 1000 scenarios can be armed; used-up scenarios count until they are disarmed\. Disarm some/,
  );
  expect(control.scenarios.armed().armed).toHaveLength(limits.armedScenarios);
  control.scenarios.disarm(control.scenarios.armed().armed[0]?.id ?? "");
  expect(arm).not.toThrow();
});

test("returns 409 over the limit", async () => {
  const sandbox = openSandbox();
  for (let n = 0; n < limits.snapshots; n++) sandbox.snapshot(`s${n}`);
  const reply = await sandbox.post("/_sandbox/snapshots", { name: "one-more" });
  expect([reply.status, reply.json]).toEqual([
    409,
    {
      error:
        "limit_reached: the sandbox can hold at most 50 snapshots. Delete some with DELETE /_sandbox/snapshots/NAME.",
    },
  ]);
  expect((await sandbox.post("/_sandbox/snapshots", { name: "s0" })).status).toBe(201);
});

test("named snapshots hold up to a million rows together", () => {
  const { database, control, snapshot } = openSandbox();
  snapshot("large");
  const rows = limits.snapshotRows - 50;
  database.exec(`${counted(rows)} INSERT INTO snapshot_rows (snapshot_pk, of_table, company_pk)
    SELECT pk, 'counters', n + 1000 FROM n, snapshots WHERE name = 'large'`);
  expect(() => snapshot("second")).toThrow(
    /^limit_reached: snapshots can have at most 1000000 rows together \(the new snapshot has \d+, the others have 1\d{6}\)\. Delete/,
  );
  expect(control.state.snapshots().map(({ name }) => name)).toEqual(["large"]);
  control.state.deleteSnapshot("large");
  expect(() => snapshot("second")).not.toThrow();
});

test("keeps up to 1,000 API keys of a company, revoked ones included", () => {
  const { control } = openSandbox();
  const key = { member: "halfway-owner", environment: "sandbox" } as const;
  const known = control.apiKeys.list("halfway").api_keys.length;
  for (let n = known; n < limits.apiKeys; n++) control.apiKeys.revoke(control.apiKeys.create(key).id);
  expect(() => control.apiKeys.create(key)).toThrow(
    "limit_reached: a company can have at most 1000 API keys, including revoked ones",
  );
  control.state.resetCompany("halfway");
  expect(() => control.apiKeys.create(key)).not.toThrow();
});

test("issues up to 10,000 invoices to a company", () => {
  const { control, database } = openSandbox();
  control.invoices.create({ company: "northwind" });
  database.run("UPDATE invoices SET position = ?", limits.invoices);
  expect(() => control.invoices.create({ company: "northwind" })).toThrow(
    "limit_reached: a company can have at most 10000 invoices",
  );
  expect(() => control.invoices.create({ company: "halfway" })).not.toThrow();
});

test("holds up to 20,000 companies", async () => {
  const { control, database } = openSandbox();
  const columns = database
    .all<{ name: string }>("SELECT name FROM pragma_table_info('companies')")
    .map(({ name }) => name)
    .filter((name) => !["pk", "id", "slug"].includes(name))
    .join(", ");
  database.exec(`${counted(limits.companies - 5)} INSERT INTO companies (id, slug, ${columns})
    SELECT 'id-' || n, 'made-' || n, ${columns} FROM n, companies WHERE companies.pk = 1`);
  await expect(control.companies.create()).rejects.toThrow(
    "limit_reached: at most 20000 companies can exist. Delete some",
  );
  control.companies.delete("made-1");
  expect((await control.companies.create()).slug).toBe("company-1");
});

test("forgets the oldest steps that requests chose by a header", async () => {
  const sandbox = openSandbox();
  const choose = (key: string) => sandbox.order({ key, headers: { "Sandbox-Scenario": "issuer-recovers" } });
  const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
  await choose(key);
  sandbox.database.run("UPDATE chosen_scenarios SET pk = 1");
  sandbox.database.run(
    "INSERT INTO chosen_scenarios (pk, company_pk, scenario, idempotency_key, steps_taken) VALUES (100001, 1, 'x', '', 1)",
  );
  await choose("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c31");
  const left = sandbox.database.all<{ pk: number }>("SELECT pk FROM chosen_scenarios ORDER BY pk");
  expect(left.map(({ pk }) => pk)).toEqual([100001, 100002]);
});
