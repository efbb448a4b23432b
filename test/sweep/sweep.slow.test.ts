import { randomUUID } from "node:crypto";
import { getEventListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SweepReport } from "../../src/journal/sweep-report.ts";
import type { Progress, SweepOptions } from "../../src/sweep/sweep.ts";
import { cellOf, type Run, sweepRun, TestClient, verdictsOf } from "../support/sweep-client.ts";

const orders =
  (count: number, newKeys = false): Run =>
  async (sandbox) => {
    const client = new TestClient(sandbox, { newKeys });
    for (let n = 0; n < count; n++) await client.order();
  };

const twoFaults = ["orderPhysicalCard", "lost-response", "issuer-unavailable"];

test("runs each operation with each fault once before further calls of the operation", async () => {
  const report = await sweepRun(orders(2), { list: true });
  const occurrences = new Map<string, number[]>();
  for (const id of report.not_run) {
    const [, operation = "", ordinal] = /^(\w+)#(\d+):/.exec(id) ?? [];
    occurrences.set(operation, [...(occurrences.get(operation) ?? []), Number(ordinal)]);
  }
  expect([...occurrences.keys()]).toEqual(["exchangeSandboxKey", "orderPhysicalCard"]);
  for (const ordinals of occurrences.values()) expect(ordinals).toEqual(ordinals.toSorted());
  expect(report).toMatchObject({ cells: [], not_run_reason: "only listed", exit_code: 0 });
});

test("runs the cells of the given operations, faults and labels", async () => {
  const run: Run = async (sandbox) => {
    for (const slug of ["first-shop", "second-shop"]) {
      const { apiKey, accountId } = await sandbox.isolatedCompany({ slug });
      const client = new TestClient(sandbox, { apiKey, accountId });
      await client.order();
      await client.list();
    }
  };
  const only = async (...names: string[]) => (await sweepRun(run, { list: true, only: names })).not_run;
  expect(await only("lost-response", "orderPhysicalCard", "second-shop")).toEqual([
    "second-shop/orderPhysicalCard#1:lost-response",
  ]);
  expect(await only("lost-response", "truncated-response", "listCards")).toEqual([
    "first-shop/listCards#1:lost-response",
    "first-shop/listCards#1:truncated-response",
    "second-shop/listCards#1:lost-response",
    "second-shop/listCards#1:truncated-response",
  ]);
  expect(await only("in-flight")).toEqual([
    "first-shop/orderPhysicalCard#1:in-flight",
    "second-shop/orderPhysicalCard#1:in-flight",
  ]);
  expect(await only()).toEqual((await sweepRun(run, { list: true })).not_run);
});

test("refuses unknown names and those that match no cell, and suggests known ones", async () => {
  const refusal = (options: SweepOptions) =>
    sweepRun(orders(1), options).catch((error: Error) => error.message);
  expect(await refusal({ only: ["lost-respons"] })).toBe(
    'only: "lost-respons" is no operation, fault or label. Did you mean "lost-response"? The labels of this client are northwind.',
  );
  expect(await refusal({ only: ["orderPhysicalCard", "nothing"] })).toBe(
    'only: "nothing" is no operation, fault or label. The labels of this client are northwind.',
  );
  expect(await refusal({ only: ["freezeCard", "lost-response"] })).toBe(
    "only: no cell matches freezeCard, lost-response. This client can be swept with the operations exchangeSandboxKey, orderPhysicalCard.",
  );
  expect(await refusal({ cell: "orderPhysicalCard#1:lost-respons" })).toBe(
    'cell: the client without faults has no cell "orderPhysicalCard#1:lost-respons". Did you mean "orderPhysicalCard#1:lost-response"? List the cells with --list, or read their ids in a report.',
  );
  expect(await refusal({ cell: "orderPhysicalCard#1:lost-response+lost" })).toMatch(
    /^cell: the client without faults has no cell "orderPhysicalCard#1:lost-response\+lost"\. Did you mean "lost-/,
  );
});

test("runs one cell by its id, with a label, with two faults and of an unstable call", async () => {
  const id = "orderPhysicalCard#1:lost-response+lost-response";
  const pair = await sweepRun(orders(1), { cell: id });
  expect(verdictsOf(pair)).toEqual({ [id]: "survived" });
  expect(cellOf(pair, id).story.map(({ fault, outcome }) => [fault, outcome])).toEqual([
    ["lost-response", "card created, response lost"],
    ["lost-response", "response lost"],
    [null, "201 order.replayed"],
  ]);

  const unstable: Run = async (sandbox, { n }) => {
    const { apiKey } = await sandbox.isolatedCompany({ slug: "corner-shop" });
    await new TestClient(sandbox).list();
    if (n !== 1) await new TestClient(sandbox, { apiKey }).list();
  };
  const cell = "corner-shop/listCards#1:lost-response";
  expect(verdictsOf(await sweepRun(unstable, { cell }))).toEqual({ [cell]: "survived" });
});

test("with depth 2, forces a second fault on what a client does after a fault that it survived", async () => {
  const only = ["orderPhysicalCard", "lost-response", "silent-response", "lost-in-flight", "forbidden"];
  const run: Run = (sandbox, { n }) => new TestClient(sandbox, { timeoutMs: n > 1 ? 300 : 10_000 }).order();
  const report = await sweepRun(run, { depth: 2, only });
  const seconds = (first: string) =>
    report.cells.flatMap(({ fault }) =>
      fault.startsWith(`${first}+`) ? [fault.slice(first.length + 1)] : [],
    );
  expect(seconds("forbidden")).toEqual([]);
  const connection = [
    "lost-response",
    "empty-response",
    "truncated-response",
    "slow-response",
    "silent-response",
    "dropped-request",
  ];
  // The repetition gets the original card, before the issuer is asked.
  expect(seconds("lost-response")).toEqual([...connection, "rate-limited", "token-expired", "unauthorized"]);
  expect(seconds("silent-response")).toEqual(seconds("lost-response"));
  // The first repetition is refused while the order is in progress.
  expect(seconds("lost-in-flight")).toEqual(connection);
  expect(report.totals).toMatchObject({ survived: report.cells.length - 1, failed: 1 });
});

test("with depth 2, finds the mistake that only two faults show", async () => {
  const run: Run = async (sandbox, { n }) => {
    const client = new TestClient(sandbox, { givesUp: true, timeoutMs: n > 1 ? 300 : 10_000 });
    const key = crypto.randomUUID();
    const again = () => client.order({}, { key });
    // The last attempt has another key.
    await again()
      .catch(again)
      .catch(() => client.order());
  };
  const options: SweepOptions = { only: ["orderPhysicalCard", "lost-response"] };
  expect((await sweepRun(run, options)).totals).toMatchObject({ damaged: 0, survived: 1 });
  const { cells } = await sweepRun(run, { ...options, depth: 2 });
  expect(cells.filter(({ verdict }) => verdict === "damaged").map(({ fault }) => fault)).toContain(
    "lost-response+lost-response",
  );
});

test("lists what the budget or an interruption left", async () => {
  const slow: Run = async (sandbox, parts) => {
    await orders(1)(sandbox, parts);
    if (parts.n === 1) await wait(2000);
  };
  const late = await sweepRun(slow, { only: twoFaults, budgetMs: 1900 });
  expect(late).toMatchObject({
    cells: [],
    not_run: ["orderPhysicalCard#1:issuer-unavailable", "orderPhysicalCard#1:lost-response"],
    not_run_reason: "the budget was used up",
    problem: expect.stringMatching(/^the budget was used up before a cell ran/),
    exit_code: 1,
  });

  const endless = await sweepRun(() => new Promise(() => {}), { budgetMs: 200 });
  expect(endless).toMatchObject({ problem: expect.stringMatching(/did not end in time/), exit_code: 1 });

  const stop = new AbortController();
  const interrupted = await sweepRun(orders(1), {
    only: twoFaults,
    stop: stop.signal,
    onProgress: ({ done }) => done === 1 && stop.abort(),
  });
  expect(interrupted.cells).toHaveLength(1);
  expect(interrupted).toMatchObject({
    not_run: ["orderPhysicalCard#1:lost-response"],
    not_run_reason: "interrupted",
  });

  const before = await sweepRun(orders(1), { stop: AbortSignal.abort() });
  expect(before).toMatchObject({ problem: "interrupted during the reference run", exit_code: 1, cells: [] });
});

test("starts no further run after an error, and ends before the error is thrown", async () => {
  const runs = { started: 0, ended: 0 };
  const run: Run = async (sandbox, { n }) => {
    runs.started++;
    try {
      // The run of the second job, which is in progress when the first one ends.
      if (n === 3) await wait(100);
      await new TestClient(sandbox).order();
    } finally {
      runs.ended++;
    }
  };
  const onProgress = ({ done }: Progress) => {
    if (done === 1) throw new Error("no space left");
  };
  await expect(sweepRun(run, { jobs: 2, onProgress, only: ["orderPhysicalCard"] })).rejects.toThrow(
    "no space left",
  );
  // Two reference runs, and one run of each job.
  expect(runs.started).toBeLessThanOrEqual(4);
  expect(runs.ended).toBe(runs.started);
});

test("listens once for an interruption, with any number of jobs", async () => {
  const { signal } = new AbortController();
  const listeners: number[] = [];
  const onProgress = () => listeners.push(getEventListeners(signal, "abort").length);
  await sweepRun(orders(1), { jobs: 12, stop: signal, onProgress, only: ["exchangeSandboxKey"] });
  expect(new Set(listeners)).toEqual(new Set([1]));
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a patience beyond the longest timer ends no run early", async () => {
  const report = await sweepRun(orders(1), { patienceMs: 2 ** 31, only: ["token-unavailable"] });
  expect(report.totals).toMatchObject({ survived: 1, hung: 0 });
});

test("an interrupted cell has no verdict", async () => {
  const stop = new AbortController();
  const run: Run = async (sandbox, { n, signal }) => {
    await new TestClient(sandbox).order();
    if (n < 2) return;
    stop.abort();
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
  };
  const report = await sweepRun(run, { only: twoFaults, stop: stop.signal });
  expect(report.cells).toEqual([]);
  expect(report.not_run).toHaveLength(2);
});

test("runs as many cells at the same time as it should, with the same report", async () => {
  let [running, most] = [0, 0];
  const run: Run = async (sandbox) => {
    running++;
    most = Math.max(most, running);
    await orders(2, true)(sandbox, { n: 0, signal: new AbortController().signal });
    running--;
  };
  const only = [...twoFaults, "dropped-request"];
  const one = await sweepRun(run, { only });
  expect(most).toBe(1);
  const three = await sweepRun(run, { only, jobs: 3 });
  expect(most).toBe(3);
  expect(withoutTimes(three)).toEqual(withoutTimes(one));
  expect(one.totals).toMatchObject({ damaged: 2, survived: 4 });
});

test("two sweeps give the same report but for times, also with random keys", async () => {
  const run: Run = async (sandbox) => {
    const client = new TestClient(sandbox, { newKeys: true });
    await client.order();
    const id = await client.order();
    await client.call("POST", `/developer/cards/${id}/freeze`);
    if ((await client.list()).body.data.length > 99) throw new Error("never");
  };
  const options: SweepOptions = { only: [...twoFaults, "freezeCard", "forbidden", "in-flight"] };
  const [first, second] = [await sweepRun(run, options), await sweepRun(run, options)];
  expect(first.cells.length).toBeGreaterThan(5);
  expect(JSON.stringify(withoutTimes(second))).toBe(JSON.stringify(withoutTimes(first)));
});

function withoutTimes(report: SweepReport): SweepReport {
  return {
    ...report,
    reference: { ...report.reference, duration_ms: 0 },
    cells: report.cells.map((cell) => ({ ...cell, duration_ms: 0, evidence: [] })),
  };
}

test("exits with 1 for damage, and for failures if asked", async () => {
  const only = ["orderPhysicalCard", "forbidden"];
  expect(await sweepRun(orders(1), { only })).toMatchObject({
    exit_code: 0,
    fail_on: "damaged",
    totals: { failed: 1 },
  });
  expect(await sweepRun(orders(1), { only, failOn: "failed" })).toMatchObject({
    exit_code: 1,
    fail_on: "failed",
  });
  expect(await sweepRun(orders(1, true), { only: twoFaults })).toMatchObject({
    exit_code: 1,
    totals: { damaged: 1 },
  });
});

test("accepts the failing cells of an earlier report, and names those that no longer fail", async () => {
  const careless = await sweepRun(orders(1, true), { only: twoFaults });
  const again = await sweepRun(orders(1, true), { only: twoFaults, baseline: careless });
  const id = "orderPhysicalCard#1:lost-response";
  expect(again).toMatchObject({ exit_code: 0, accepted: [id], no_longer: [], totals: { damaged: 1 } });
  const repaired = await sweepRun(orders(1), { only: twoFaults, baseline: careless });
  expect(repaired).toMatchObject({ exit_code: 0, accepted: [], no_longer: [id] });
  const more = await sweepRun(orders(2, true), { only: twoFaults, baseline: careless });
  expect(more).toMatchObject({ exit_code: 1, accepted: [id] });
  const other = await sweepRun(orders(1), {
    only: ["listCards", "exchangeSandboxKey"],
    list: true,
    baseline: careless,
  });
  expect(other).toMatchObject({ accepted: [], no_longer: [] });
});

test("a client that fails or calls nothing without faults is a problem", async () => {
  expect(await sweepRun(() => Promise.reject(new Error("no database")))).toMatchObject({
    problem: "the client fails without faults: no database. Repair it before you sweep it.",
    exit_code: 1,
    output: "the output",
    cells: [],
    calls: [],
  });
  const flaky: Run = async (sandbox, { n }) => {
    await new TestClient(sandbox).list();
    if (n === 1) throw new Error("no database");
  };
  expect(await sweepRun(flaky)).toMatchObject({
    problem: expect.stringContaining("no database"),
    exit_code: 1,
  });
  const { problem, exit_code } = await sweepRun((sandbox) => sandbox.fetch("http://sandbox/_sandbox/world"));
  expect(problem).toMatch(/^the sandbox received no requests\. .*CARD_SANDBOX_URL.*sweepTest\(\)/);
  expect(exit_code).toBe(1);
});

test("a client without stable calls is a problem, because nothing can be swept", async () => {
  const run: Run = async (sandbox) => {
    const { apiKey } = await sandbox.isolatedCompany({ slug: `shop-${randomUUID().slice(0, 8)}` });
    await new TestClient(sandbox, { apiKey }).list();
  };
  const report = await sweepRun(run);
  expect(report).toMatchObject({ exit_code: 1, cells: [], not_run: [] });
  expect(report.problem).toMatch(/^no call of the client is stable, .*--unstable/);
  expect(report.calls).toHaveLength(2);
});

test("reports its progress", async () => {
  const seen: Progress[] = [];
  await sweepRun(orders(1), { only: twoFaults, onProgress: (progress) => seen.push(progress) });
  expect(seen.map(({ done, total, faults, latest }) => [done, total, faults, latest?.verdict])).toEqual([
    [0, 2, 2, undefined],
    [1, 2, 2, "survived"],
    [2, 2, 2, "survived"],
  ]);
  expect(seen[0]?.reference).toMatchObject({ calls: 2, operations: 2 });
});

test("a report has no secrets, and random ids only in its evidence", async () => {
  const secrets: string[] = [];
  const keys: string[] = [];
  const run: Run = async (sandbox, { n }) => {
    const client = new TestClient(sandbox, { givesUp: true });
    const { body } = await client.call("POST", "/developer/webhooks", {
      body: { url: "http://localhost/hooks", events: ["card.created"] },
    });
    secrets.push(body.secret, await client.token(), "sk_sandbox_northwind_owner");
    const key = crypto.randomUUID();
    keys.push(key);
    await client.call("GET", `/developer/cards/${await client.token()}`).catch(() => {});
    try {
      await client.order({}, { key });
    } catch (error) {
      throw new Error(
        `${(error as Error).message}: order ${key} with {"pin":"4821"} and sk_sandbox_northwind_owner, ${await client.token()}, ${body.secret}\n${n}`,
      );
    }
  };
  const only = ["orderPhysicalCard", "getCard", "forbidden", "lost-response", "issuer-unavailable"];
  const deliver = async () => new Response(null, { status: 204 });
  const report = await sweepRun(run, { only }, { deliver });
  expect(report.totals).toMatchObject({ failed: 3, damaged: 0 });
  const text = JSON.stringify(report);
  for (const secret of [...new Set(secrets), '"4821"', '\\"4821\\"']) expect(text).not.toContain(secret);
  const withoutEvidence = JSON.stringify(report, (name, value) => (name === "evidence" ? [] : value));
  for (const key of keys) expect(withoutEvidence).not.toContain(key);
  expect(cellOf(report, "orderPhysicalCard#1:forbidden").reason).toMatch(/^status 403: order \{id\} with /);
});

test("a secret at a cut is not shown in part", async () => {
  const token = "k".repeat(43);
  const run: Run = async (sandbox) => {
    await new TestClient(sandbox).list();
    const output = `${token} ${"x y ".repeat(4090)}`;
    throw new Error(`${"no ".repeat(160)}${token}`, { cause: output });
  };
  const { problem, output } = await sweepRun(run);
  expect(output).toMatch(/x y $/);
  expect(`${problem} ${output}`).not.toContain("kk");
});
