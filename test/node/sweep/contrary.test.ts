import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ContraryReport } from "../../../src/journal/contrary-report.ts";
import { type ContraryOptions, contrary } from "../../../src/node/sweep/contrary.ts";
import type { SweepRun } from "../../../src/node/sweep/sweep.ts";
import { temporaryFolder } from "../../support/command-line.ts";
import { plantedClients, tolerantClient } from "../../support/contrary-client.ts";

function clientOf(name: string): SweepRun {
  const client = plantedClients[name];
  if (!client) throw new Error(`no client depends on ${name}`);
  return client;
}

/** The verdict of each alternative. */
function verdictsOf({ cells, problem }: ContraryReport) {
  if (problem !== null) throw new Error(problem);
  return Object.fromEntries(cells.map(({ id, verdict }) => [id, verdict]));
}

const replays: ContraryOptions = { only: ["replay.status", "replay.header"] };

test("a client that expects a status fails under the alternative with another one", async () => {
  const report = await contrary(clientOf("replay.status"), replays);
  expect(verdictsOf(report)).toEqual({
    "replay.status=200": "failed",
    "replay.header=none": "survived",
    "replay.header=x-idempotency-replayed": "survived",
  });
  expect(report).toMatchObject({
    exit_code: 0,
    fail_on: "never",
    dialect: {},
    dependencies: [
      {
        behaviour: "replay.status",
        default: "201",
        by: "tests",
        broken_by: ["200"],
        summary: "green only if `replay.status` is 201",
      },
    ],
  });
  expect(report.cells[0]).toMatchObject({
    reason: "the replay must be 201",
    failure: "Error: the replay must be 201",
    first_difference: expect.stringMatching(
      /orderPhysicalCard #2: 200 order.replayed instead of 201 order.replayed/,
    ),
    repeat: '{ cell: "replay.status=200" }',
    differences: [],
  });
  expect(report.cells[0]?.evidence?.[0]).toMatchObject({ status: 200, point: "order.replayed" });
  expect(String(report)).toContain("green only if `replay.status` is 201");
});

test("a client whose tests pass, but that leaves other cards, is damaged", async () => {
  const report = await contrary(clientOf("key.retention"), { only: ["key.retention"] });
  expect(verdictsOf(report)).toEqual({
    "key.retention=30d": "survived",
    "key.retention=24h": "damaged",
    "key.retention=1h": "damaged",
  });
  expect(report.dependencies).toMatchObject([
    { by: "damage", summary: "safe unless `key.retention` is 24h or 1h" },
  ]);
  expect(report.cells[1]).toMatchObject({ reason: "2 cards, 1 in the reference run", failure: null });
});

test("an alternative that no response shows is not reached", async () => {
  const report = await contrary(tolerantClient, { only: ["replay.*", "token.status", "api_keys.quota"] });
  expect(
    new Set(
      Object.values(
        verdictsOf({ ...report, cells: report.cells.filter(({ id }) => id.startsWith("replay.")) }),
      ),
    ),
  ).toEqual(new Set(["not_reached"]));
  // A behavior that is about no contract point may show anywhere.
  expect(verdictsOf(report)).toMatchObject({
    "token.status=201": "survived",
    "api_keys.quota=member": "survived",
  });
  expect(report.dependencies).toEqual([]);
});

test("switches one behavior of the dialect that is given", async () => {
  const client = clientOf("replay.status");
  const dialect = { "replay.status": "200" } as const;
  expect(await contrary(client, { ...replays, dialect })).toMatchObject({
    exit_code: 1,
    problem: expect.stringContaining("fails with all behaviors as they are: the replay must be 201"),
    cells: [],
    not_run: [],
  });
  const tolerant = await contrary(tolerantClient, { only: ["replay.status"], dialect });
  expect(tolerant.dialect).toEqual(dialect);
  expect(tolerant.cells.map(({ id }) => id)).toEqual(["replay.status=201"]);
});

test("runs a client that hangs until the end of the patience", async () => {
  const client: SweepRun = async ({ sandbox, company }) => {
    const exchange = () =>
      sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ api_key: company.apiKey }),
      });
    if ((await exchange()).status !== 200) await new Promise(() => {});
  };
  const report = await contrary(client, { only: ["token.status"], patienceMs: 100 });
  expect(verdictsOf(report)).toEqual({ "token.status=201": "hung" });
});

describe("fails", () => {
  const client = clientOf("replay.status");

  test("on the verdicts that are given, but for those of the baseline", async () => {
    const file = join(temporaryFolder(), "report.json");
    const { exit_code } = await contrary(client, { ...replays, failOn: "failed", report: [file] });
    expect(exit_code).toBe(1);
    const again = await contrary(client, { ...replays, failOn: "failed", baseline: file });
    expect(again).toMatchObject({ exit_code: 0, accepted: ["replay.status=200"] });
    const repaired = await contrary(tolerantClient, { ...replays, failOn: "failed", baseline: file });
    expect(repaired).toMatchObject({ exit_code: 0, accepted: [], no_longer: ["replay.status=200"] });
    expect(await contrary(client, { ...replays, failOn: "damaged" })).toMatchObject({ exit_code: 0 });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ format: 1, fail_on: "failed" });
  });

  test.each<[ContraryOptions, string]>([
    [
      { only: ["replay.stats"] },
      'only: "replay.stats" matches no alternative. Did you mean "replay.status"?',
    ],
    [
      { cell: "replay.status=201" },
      'cell: "replay.status=201" is no alternative that the dialect does not select already.',
    ],
    [{ failOn: "survived" as "never" }, 'failOn must be "damaged" or "failed" or "never", but is "survived"'],
    [{ depth: 2 } as ContraryOptions, 'contrary(): unknown option "depth".'],
  ])("with a clear error for %j", async (options, message) => {
    await expect(contrary(client, options)).rejects.toThrow(message);
  });

  test("with a clear error for the report of a sweep", async () => {
    const file = join(temporaryFolder(), "sweep.json");
    writeFileSync(file, '{"format":1,"cells":[]}');
    await expect(contrary(client, { baseline: file })).rejects.toThrow("is not a report of contrary");
  });
});
