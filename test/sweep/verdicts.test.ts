import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { SweepCell } from "../../src/journal/sweep-report.ts";
import type { SweepOptions } from "../../src/sweep/sweep.ts";
import { cellOf, type Run, sweepRun, TestClient, verdictsOf } from "../support/sweep-client.ts";

/** The cell of a client's first order with a fault, or with two. */
async function cellOfOrder(run: Run, fault: string, options: SweepOptions = {}): Promise<SweepCell> {
  const id = `orderPhysicalCard#1:${fault}`;
  const report = await sweepRun(run, { cell: id, ...options });
  if (report.problem !== null) throw new Error(report.problem);
  return cellOf(report, id);
}

const ordersOnce: Run = (sandbox) => new TestClient(sandbox).order();

test("a client that repeats its request with the same key survives", async () => {
  const { cells, ...report } = await sweepRun(ordersOnce, {
    only: [
      "orderPhysicalCard",
      "lost-response",
      "in-flight",
      "lost-in-flight",
      "created-but-502",
      "dropped-request",
    ],
  });
  expect(cells.map(({ fault, verdict }) => [fault, verdict])).toEqual([
    ["lost-response", "survived"],
    ["created-but-502", "survived"],
    ["in-flight", "survived"],
    ["lost-in-flight", "survived"],
    ["dropped-request", "survived"],
  ]);
  expect(report).toMatchObject({ exit_code: 0, problem: null, totals: { survived: 5, damaged: 0 } });
  expect(cells[0]).toMatchObject({
    label: "northwind",
    operation: "orderPhysicalCard",
    call: "orderPhysicalCard#1",
    reason: "the client succeeds and leaves the same cards",
    repeat: "cell: orderPhysicalCard#1:lost-response",
    differences: [],
    findings: [],
    output: null,
  });
});

test("a second card for one order is damage, whether or not the client succeeds", async () => {
  for (const then of ["succeeds", "fails"]) {
    const cell = await cellOfOrder(async (sandbox, { n }) => {
      await new TestClient(sandbox, { newKeys: true }).order();
      if (then === "fails" && n > 1) throw new Error("too many cards");
    }, "lost-response");
    expect(cell).toMatchObject({ verdict: "damaged", reason: "2 cards for one order" });
    expect(cell.differences).toMatchObject([{ label: "northwind", only: "cell", times: 1 }]);
    expect(cell.output).toBe(then === "fails" ? "the output" : null);
    expect(cell.story).toMatchObject([
      { key: "A", fault: "lost-response", status: null, outcome: "card created, response lost", note: null },
      { key: "B", fault: null, status: 201, note: expect.stringContaining("the first card is a duplicate") },
    ]);
  }
});

test("counts the cards of an order whose first attempt is still in progress", async () => {
  const cell = await cellOfOrder(
    (sandbox) => new TestClient(sandbox, { newKeys: true }).order(),
    "lost-in-flight",
  );
  expect(cell).toMatchObject({ verdict: "damaged", reason: "2 cards for one order" });
});

test("a fault acts on a client that gives up, although its company is deleted before the order is decided", async () => {
  const run: Run = async (sandbox, { n }) => {
    const { apiKey, accountId, ...company } = await sandbox.isolatedCompany({ slug: "corner-shop" });
    const timeoutMs = n > 1 ? 50 : 10_000;
    await new TestClient(sandbox, { apiKey, accountId, givesUp: true, timeoutMs })
      .order()
      .finally(company.delete);
  };
  expect(await cellOfOrder(run, "in-flight")).toMatchObject({ verdict: "failed", reason: "no response" });
});

test("a card of which the client was never told is damage, although the client noticed a failure", async () => {
  const givesUp: Run = (sandbox) => new TestClient(sandbox, { givesUp: true }).order();
  for (const fault of ["lost-response", "truncated-response", "empty-response", "created-but-502"]) {
    const cell = await cellOfOrder(givesUp, fault);
    expect(cell).toMatchObject({
      verdict: "damaged",
      reason: "a card exists of which the client was never told",
      differences: [],
    });
  }
  expect(await cellOfOrder(givesUp, "issuer-unavailable")).toMatchObject({
    verdict: "failed",
    reason: "status 503",
    differences: [{ only: "reference", times: 1 }],
  });
});

test("a client that gave up on a response was not told of the card in it", async () => {
  const gone: Run = async (sandbox, { n }) => {
    const client = new TestClient(sandbox, { givesUp: true, timeoutMs: n > 1 ? 50 : 10_000 });
    await client.order().catch(() => {});
  };
  expect(await cellOfOrder(gone, "silent-response")).toMatchObject({
    verdict: "damaged",
    reason: "a card exists of which the client was never told",
  });
});

test("a list or an acknowledged webhook also tells a client of its card", async () => {
  const lists: Run = async (sandbox) => {
    const client = new TestClient(sandbox, { givesUp: true });
    await client.order().catch(() => {});
    await client.list();
  };
  expect(await cellOfOrder(lists, "lost-response")).toMatchObject({ verdict: "survived" });

  const sweepWithReceiver = (status: number) => {
    const run: Run = async (sandbox) => {
      const client = new TestClient(sandbox, { givesUp: true });
      const body = { url: "http://localhost/hooks", events: ["card.created"] };
      await client.call("POST", "/developer/webhooks", { body });
      await client.order().catch(() => {});
      await sandbox.webhooks.settled();
    };
    const only = ["orderPhysicalCard", "lost-response"];
    return sweepRun(run, { only }, { deliver: async () => new Response(null, { status }) });
  };
  expect(verdictsOf(await sweepWithReceiver(204))).toEqual({
    "orderPhysicalCard#1:lost-response": "survived",
  });
  // Without the fault, the response told the client of the card.
  expect(verdictsOf(await sweepWithReceiver(500))).toEqual({
    "orderPhysicalCard#1:lost-response": "damaged",
  });
});

test("cards of which the client is never told without a fault either are no damage", async () => {
  const run: Run = async (sandbox) => {
    const client = new TestClient(sandbox);
    const headers = { "Sandbox-Scenario": "lost-response" };
    await new TestClient(sandbox, { givesUp: true }).order({}, { headers }).catch(() => {});
    await client.order();
  };
  const report = await sweepRun(run, { only: ["orderPhysicalCard", "lost-response", "empty-response"] });
  expect(verdictsOf(report)).toEqual({
    "orderPhysicalCard#1:lost-response": "survived",
    "orderPhysicalCard#1:empty-response": "survived",
    "orderPhysicalCard#2:lost-response": "survived",
    "orderPhysicalCard#2:empty-response": "survived",
  });
});

test("a client that reports success but leaves other cards is damaged", async () => {
  const ignores: Run = async (sandbox) => {
    const client = new TestClient(sandbox);
    const id = await client.order();
    await client.call("POST", `/developer/cards/${id}/freeze`).catch(() => {});
    await client.order().catch(() => {});
  };
  const only = ["freezeCard", "orderPhysicalCard", "forbidden"];
  const { cells } = await sweepRun(ignores, { only });
  expect(cells.map(({ call, verdict, reason }) => [call, verdict, reason])).toEqual([
    ["orderPhysicalCard#1", "failed", "status 403"],
    ["freezeCard#1", "damaged", "the client reports success, but leaves other cards than without the fault"],
    [
      "orderPhysicalCard#2",
      "damaged",
      "the client reports success, but leaves other cards than without the fault",
    ],
  ]);
  const [, frozen, fewer] = cells;
  expect(frozen?.differences.map(({ only, card }) => [only, card.status])).toEqual([
    ["reference", "frozen"],
    ["cell", "active"],
  ]);
  expect(fewer?.differences.map(({ only }) => only)).toEqual(["reference"]);
});

test("a new critical finding is damage", async () => {
  const run: Run = async (sandbox) => {
    const client = new TestClient(sandbox);
    const body = { url: "http://localhost/hooks", events: ["card.created"] };
    await client.call("POST", "/developer/webhooks", { body });
    await client.order();
    await sandbox.webhooks.settled();
  };
  const only = ["orderPhysicalCard", "webhook-bad-signature", "webhook-stale"];
  const { cells } = await sweepRun(
    run,
    { only },
    { deliver: async () => new Response(null, { status: 204 }) },
  );
  expect(cells.map(({ fault, verdict, reason, findings }) => [fault, verdict, reason, findings])).toEqual([
    [
      "webhook-stale",
      "survived",
      "the client succeeds and leaves the same cards",
      [expect.stringMatching(/^HOOK-[0-9] \(warn\): /)],
    ],
    [
      "webhook-bad-signature",
      "damaged",
      expect.stringMatching(/^HOOK-[0-9] \(critical\): /),
      [expect.stringMatching(/^HOOK-[0-9] \(critical\): /)],
    ],
  ]);
});

test("a refused request that the client sends once more is a finding, but no damage", async () => {
  const repeats: Run = (sandbox) => new TestClient(sandbox, { repeatsRefused: true }).order();
  for (const fault of ["invalid-request", "forbidden", "account-not-found", "issuer-rejected"]) {
    const cell = await cellOfOrder(repeats, fault);
    expect(cell).toMatchObject({ verdict: "survived", findings: [expect.stringMatching(/^RETRY-3 /)] });
  }
  for (const fault of ["issuer-unavailable", "token-expired", "conflict"]) {
    expect(await cellOfOrder(repeats, fault)).toMatchObject({ findings: [] });
  }
  // After a lost response, the client cannot know whether its order was made.
  const pair = await cellOfOrder(repeats, "lost-response+forbidden");
  expect(pair).toMatchObject({ verdict: "survived", findings: [] });
});

test("a client that orders two equal cards does not repeat a refused request", async () => {
  const cell = await cellOfOrder(async (sandbox) => {
    const client = new TestClient(sandbox);
    await client.order().catch(() => {});
    await client.order();
  }, "forbidden");
  expect(cell).toMatchObject({ verdict: "damaged", findings: [] });
});

test("a client without a timeout hangs on a silent response", async () => {
  const cell = await cellOfOrder(ordersOnce, "silent-response", { patienceMs: 200 });
  expect(cell).toMatchObject({
    verdict: "hung",
    reason: "the client waited for orderPhysicalCard #1: no timeout within 0.2 s",
  });
  expect(cell.story).toMatchObject([{ fault: "silent-response", status: null }]);
});

test("a client that never ends hangs, and the reason names a request that waits", async () => {
  const endless: Run = async (sandbox, { n, signal }) => {
    await new TestClient(sandbox).order();
    if (n < 2) return;
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    // It is too late: the run is over.
    await new TestClient(sandbox).list();
  };
  const cell = await cellOfOrder(endless, "lost-response", { patienceMs: 200 });
  expect(cell).toMatchObject({
    verdict: "hung",
    reason: "the client took longer than three reference runs and 0.2 s",
  });
  const waits: Run = async (sandbox, { n }) => {
    const headers: Record<string, string> = n < 2 ? {} : { "Sandbox-Scenario": "silent-response" };
    await new TestClient(sandbox).order();
    await new TestClient(sandbox, { timeoutMs: 60_000 }).order({}, { headers });
  };
  expect(await cellOfOrder(waits, "dropped-request", { patienceMs: 200 })).toMatchObject({
    verdict: "hung",
    reason: expect.stringContaining("; orderPhysicalCard #3 waited for its response"),
  });
});

test("a client that times out as late as the patience ends does not hang", async () => {
  const run: Run = (sandbox, { n }) => new TestClient(sandbox, { timeoutMs: n > 1 ? 400 : 10_000 }).order();
  expect(await cellOfOrder(run, "silent-response", { patienceMs: 400 })).toMatchObject({
    verdict: "survived",
  });
  const pair = await cellOfOrder(run, "silent-response+silent-response", { patienceMs: 400 });
  expect(pair).toMatchObject({ verdict: "survived" });
});

test("a fault that does not act is not reached", async () => {
  const stopsEarly: Run = async (sandbox, { n }) => {
    const client = new TestClient(sandbox);
    await client.list();
    if (n < 2) await client.order({ account_id: randomUUID() }).catch(() => {});
  };
  expect(await cellOfOrder(stopsEarly, "lost-response")).toMatchObject({
    verdict: "not_reached",
    reason: "the fault did not act",
    story: [],
  });
  const lists: Run = (sandbox) => new TestClient(sandbox).list();
  for (const [fault, verdict] of [
    ["lost-response", "survived"],
    ["lost-response+lost-response", "survived"],
    ["slow-response+slow-response", "not_reached"],
  ] as const) {
    const id = `listCards#1:${fault}`;
    expect(verdictsOf(await sweepRun(lists, { cell: id }))).toEqual({ [id]: verdict });
  }
  const failsEarly: Run = async (sandbox, { n }) => {
    if (n > 1) throw new Error("the database is down");
    await new TestClient(sandbox).order();
  };
  expect(await cellOfOrder(failsEarly, "lost-response")).toMatchObject({
    verdict: "failed",
    reason: "the database is down, although the fault did not act",
  });
});
