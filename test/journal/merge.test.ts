import { describe, expect, onTestFinished, test } from "vitest";
import { merged, type Source } from "../../src/journal/merge.ts";
import { type Gates, type RunReport, suiteReport } from "../../src/journal/suite.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/node/create-sandbox.ts";
import { physicalOrder } from "../support/physical-order.ts";

const gates: Gates = {
  minCoverage: undefined,
  require: [],
  failOn: "warn",
  baseline: undefined,
  allowUnused: false,
  allowNoRequests: false,
};

const keyOf = (name: string) => `7f9c24e8-3b12-4c6e-9d7a-${Buffer.from(name.padEnd(6)).toString("hex")}`;

/** A client for one test with an isolated company. */
async function clientOf(sandbox: Sandbox, slug: string) {
  const { apiKey, accountId, id } = await sandbox.isolatedCompany({ slug });
  const send = (path: string, headers: Record<string, string>, body?: unknown) =>
    sandbox.fetch(`http://sandbox${path}`, {
      headers: { "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
  const response = await send("/auth/v1/sandbox/token", {}, { api_key: apiKey });
  const { access_token } = (await response.json()) as { access_token: string };
  const authorization = { Authorization: `Bearer ${access_token}` };
  const order = (more = {}, key = keyOf(slug)) =>
    send(
      "/developer/cards/physical",
      { ...authorization, "Idempotency-Key": key },
      { ...physicalOrder(accountId), spending_limit: { period: "daily", amount: "9.50" }, ...more },
    );
  return { id, order, get: (path: string, headers = authorization) => send(path, headers) };
}

type Test = (sandbox: Sandbox, name: string) => Promise<void>;

/** IDEM-2: another order with the same key. */
const reusesKey: Test = async (sandbox, name) => {
  const { order } = await clientOf(sandbox, name);
  await order();
  await order({ name: "Another" });
};

const isRefused: Test = async (sandbox, name) => {
  const { get } = await clientOf(sandbox, name);
  await get("/developer/cards", { Authorization: "Bearer none" });
  await get("/developer/accounts", { Authorization: "Bearer none" });
};

const refusedElsewhere: Test = async (sandbox, name) => {
  const { get } = await clientOf(sandbox, name);
  await get("/developer/cards/none", { Authorization: "Bearer none" });
  await sandbox.fetch("http://sandbox/nothing?api_key=sk_live_abc");
  await sandbox.fetch("http://sandbox/developer/cards", {
    headers: { Authorization: "Bearer sk_sandbox_x" },
  });
};

const armsInVain: Test = async (sandbox, name) => {
  const { id, order } = await clientOf(sandbox, name);
  sandbox.scenario("conflict", { company: id, operation: "freezeCard", times: 1 });
  await order();
};

const sharesNorthwind: Test = async (sandbox) => {
  for (const path of ["cards", "accounts"]) {
    const headers = { Authorization: "Bearer sk_sandbox_northwind_owner" };
    await sandbox.fetch(`http://sandbox/developer/${path}`, { headers });
  }
};

const tests: readonly (readonly [string, Test])[] = [
  ["a1", reusesKey],
  ["a2", isRefused],
  ["b1", refusedElsewhere],
  ["b2", sharesNorthwind],
  ["b3", reusesKey],
  ["c1", armsInVain],
  ["d1", refusedElsewhere],
  ["d2", reusesKey],
  ["d3", reusesKey],
  ["d4", reusesKey],
  ["d5", reusesKey],
];

async function runOf(chosen: typeof tests, options: SandboxOptions = {}): Promise<RunReport> {
  const sandbox = createSandbox({ scenario: "used-unreadable", ...options });
  onTestFinished(() => sandbox.close());
  sandbox.clock.change({ now: "2036-03-10T09:30:00Z", frozen: true });
  for (const [name, run] of chosen) await run(sandbox, name);
  return sandbox.report({ final: true });
}

const shard = (letter: string) => runOf(tests.filter(([name]) => name.startsWith(letter)));

const sourceOf = (report: RunReport, at: number): Source => ({
  name: `shard-${at + 1}.json`,
  report,
  commands: [{ name: "npm", exit_code: 0 }],
});

/** Without what differs between two runs: the ids of requests, drawn ids in bodies, and the names of reports. */
const comparable = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (name, each) =>
      ["source", "sources", "body"].includes(name) ? undefined : each,
    ).replace(/"(request_id|id)":"[0-9]+"/g, '"$1":"…"'),
  );

describe("merged reports", () => {
  test("of four shards equal that of one run", async () => {
    const all = await runOf(tests);
    const shards = await Promise.all(["a", "b", "c", "d"].map(shard));
    const one = suiteReport(gates, merged([sourceOf(all, 0)], ["cards.*"]));
    const four = suiteReport(gates, merged(shards.map(sourceOf), ["cards.*"]));
    expect(comparable(four)).toEqual(comparable(one));
    expect(four.findings.findings.map(({ id, times }) => [id, times])).toContainEqual(["IDEM-2", 6]);
    expect(four.findings.findings.every(({ occurrences }) => occurrences.length <= 5)).toBe(true);
    expect(four.coverage.by_operation.getCard.met).toBeGreaterThan(0);
    expect(four.unused_scenarios.map(({ name }) => name)).toEqual(["conflict"]);
  });

  test("name the report of each request", async () => {
    const shards = await Promise.all(["a", "d"].map(shard));
    const { findings, coverage } = merged(shards.map(sourceOf), []);
    const found = findings.findings.find(({ id }) => id === "IDEM-2");
    expect(found?.occurrences.map(({ requests }) => requests[0]?.source)).toEqual([
      "shard-1.json",
      ...Array(4).fill("shard-2.json"),
    ]);
    expect(coverage.points.find(({ id }) => id === "order.created")?.first?.source).toBe("shard-1.json");
  });

  test("have the scenario of --scenario as unused only if no shard used it", async () => {
    const idle = () => runOf([["e1", isRefused]]);
    const unused = async (reports: readonly Promise<RunReport>[]) =>
      merged((await Promise.all(reports)).map(sourceOf), []).unused_scenarios.map(({ name }) => name);
    expect(await unused([idle(), shard("a")])).toEqual([]);
    expect(await unused([idle(), idle()])).toEqual(["used-unreadable"]);
    const other = runOf([["e2", reusesKey]], { scenario: "quota-reached" });
    expect(await unused([idle(), other])).toEqual(["used-unreadable"]);
  });

  test("fail if the command of one failed, and name its report", async () => {
    const [a, b] = await Promise.all([shard("a"), shard("c")]);
    const sources = [sourceOf(a, 0), { ...sourceOf(b, 1), commands: [{ name: "npm", exit_code: 3 }] }];
    const { exit_code, gates: results } = suiteReport({ ...gates, allowUnused: true }, merged(sources, []));
    expect(exit_code).toBe(1);
    expect(results.slice(0, 2)).toEqual([
      { name: "npm", passed: true, message: "exit code 0" },
      { name: "npm", passed: false, message: "exit code 3 in shard-2.json" },
    ]);
  });

  test("are refused if their dialects differ", async () => {
    const reports = [await shard("a"), await runOf([], { dialect: { "replay.status": "200" } })];
    expect(() => merged(reports.map(sourceOf), [])).toThrow(
      "shard-2.json: its sandbox has the dialect replay.status=200, but that of shard-1.json has the default dialect. Judge sandboxes with different dialects separately.",
    );
  });
});

describe("a baseline", () => {
  const reportOn = async (chosen: typeof tests, baseline: readonly string[]) =>
    suiteReport({ ...gates, baseline, allowUnused: true }, merged([sourceOf(await runOf(chosen), 0)], []));
  const known = "IDEM-2 critical orderPhysicalCard";

  test("accepts a known finding, however often it occurs", async () => {
    const { exit_code, accepted, no_longer } = await reportOn(
      tests.filter(([, each]) => each === reusesKey),
      [known],
    );
    expect({ exit_code, accepted, no_longer }).toEqual({ exit_code: 0, accepted: [known], no_longer: [] });
  });

  test("does not accept the same mistake in another operation", async () => {
    const { exit_code, gates } = await reportOn([["a1", reusesKey]], ["IDEM-2 critical orderVirtualCard"]);
    expect(exit_code).toBe(1);
    expect(gates.find(({ name }) => name === "--fail-on warn")?.message).toBe(
      `new findings of severity warn or higher: ${known}`,
    );
  });

  test("names what no longer occurs", async () => {
    const { exit_code, no_longer } = await reportOn([["c1", armsInVain]], [known]);
    expect({ exit_code, no_longer }).toEqual({ exit_code: 0, no_longer: [known] });
  });
});
