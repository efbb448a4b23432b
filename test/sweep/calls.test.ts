import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { listOf, sweepRun, TestClient } from "../support/sweep-client.ts";

test("numbers the calls of an operation by arrival, also refused calls and replays", async () => {
  const { calls, reference } = await listOf(async (sandbox) => {
    const client = new TestClient(sandbox);
    const key = randomUUID();
    await client.order({}, { key });
    await client.order({}, { key });
    await expect(client.order({ pin: "12" })).rejects.toThrow("status 400");
    await client.list();
    await client.order();
  });
  expect(calls.map(({ id, point }) => [id, point])).toEqual([
    ["exchangeSandboxKey#1", "token.issued"],
    ["orderPhysicalCard#1", "order.created"],
    ["orderPhysicalCard#2", "order.replayed"],
    ["orderPhysicalCard#3", "order.pin_invalid"],
    ["listCards#1", "cards.listed"],
    ["orderPhysicalCard#4", "order.created"],
  ]);
  expect(calls.map(({ unstable }) => unstable)).toEqual(calls.map(() => null));
  expect(reference).toMatchObject({ calls: 6, operations: 3 });
});

test("labels calls with the company's slug, and numbers each label on its own", async () => {
  const { calls } = await listOf(async (sandbox) => {
    for (const slug of ["first-shop", "second-shop"]) {
      const { apiKey, accountId } = await sandbox.isolatedCompany({ slug });
      await new TestClient(sandbox, { apiKey, accountId }).order();
    }
    await new TestClient(sandbox, { apiKey: "sk_live_northwind_owner" }).list();
  });
  expect(calls.map(({ id }) => id)).toEqual([
    "first-shop/exchangeSandboxKey#1",
    "first-shop/orderPhysicalCard#1",
    "second-shop/exchangeSandboxKey#1",
    "second-shop/orderPhysicalCard#1",
    "live/northwind/exchangeLiveKey#1",
    "live/northwind/listCards#1",
  ]);
});

test("labels calls whose caller the sandbox does not identify", async () => {
  const { calls } = await listOf(async (sandbox) => {
    const headers = { Authorization: "Bearer nobody" };
    await new TestClient(sandbox).list();
    await sandbox.fetch("http://sandbox/developer/cards", { headers });
    await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", { method: "POST", body: "{" });
    await sandbox.fetch("http://sandbox/developer/cards/physical", { method: "POST", headers, body: "{}" });
  });
  expect(calls.map(({ id, point }) => [id, point])).toEqual([
    ["northwind/exchangeSandboxKey#1", "token.issued"],
    ["northwind/listCards#1", "cards.listed"],
    ["unidentified/listCards#1", "auth.token_invalid"],
    ["unidentified/exchangeSandboxKey#1", "token.invalid_request"],
    ["unidentified/orderPhysicalCard#1", "auth.token_invalid"],
  ]);
});

test("forgets requests that are no operation, and requests to the control API", async () => {
  const { calls } = await listOf(async (sandbox) => {
    await new TestClient(sandbox).list();
    for (const path of ["/", "/developer/nothing", "/_sandbox/world", "/docs"]) {
      await (await sandbox.fetch(`http://sandbox${path}`)).text();
    }
  });
  expect(calls.map(({ id }) => id)).toEqual(["exchangeSandboxKey#1", "listCards#1"]);
});

test("calls of companies without a given slug are stable if they run in sequence", async () => {
  const { calls } = await listOf(async (sandbox) => {
    for (let n = 0; n < 2; n++) {
      const { apiKey } = await sandbox.isolatedCompany();
      await new TestClient(sandbox, { apiKey }).list();
    }
  });
  expect(calls.map(({ id, unstable }) => [id, unstable])).toEqual([
    ["company-1/exchangeSandboxKey#1", null],
    ["company-1/listCards#1", null],
    ["company-2/exchangeSandboxKey#1", null],
    ["company-2/listCards#1", null],
  ]);
});

test("calls of companies without a given slug are unstable if they run at the same time", async () => {
  const run = (slugs: readonly (string | undefined)[]) =>
    sweepRun(
      async (sandbox) => {
        const clients = [];
        for (const slug of slugs) {
          const { apiKey } = await sandbox.isolatedCompany(slug === undefined ? {} : { slug });
          clients.push(new TestClient(sandbox, { apiKey }));
        }
        for (const client of clients) await client.token();
        for (const client of clients) await client.list();
      },
      { list: true },
    );
  const without = await run([undefined, undefined]);
  expect(without.calls.map(({ unstable }) => unstable)).toEqual(
    Array(4).fill("companies without a given slug ran at the same time. Give each company a slug."),
  );
  expect(without.not_run).toEqual([]);
  const given = await run(["first-shop", "second-shop", undefined]);
  expect(given.calls.filter(({ unstable }) => unstable !== null)).toEqual([]);
});

test("calls that the second run does not repeat are unstable, and swept only on request", async () => {
  const run = async (sandbox: Parameters<Parameters<typeof sweepRun>[0]>[0], { n }: { n: number }) => {
    const client = new TestClient(sandbox);
    await client.list();
    await client.order({ pin: n === 1 ? "12" : "4821" }).catch(() => {});
    if (n !== 1) await client.list();
  };
  const stable = await sweepRun(run, { list: true });
  expect(stable.calls.map(({ id, unstable }) => [id, unstable])).toEqual([
    ["exchangeSandboxKey#1", null],
    ["listCards#1", null],
    ["orderPhysicalCard#1", "the second reference run got order.pin_invalid instead of order.created"],
    ["listCards#2", "the second reference run did not repeat it"],
  ]);
  expect(stable.not_run.filter((id) => /order|#2/.test(id))).toEqual([]);
  const all = await sweepRun(run, { list: true, unstable: true });
  expect(all.not_run).toContain("listCards#2:lost-response");
  expect(all.not_run).toContain("orderPhysicalCard#1:lost-response");
});
