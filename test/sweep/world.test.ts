import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { WorldDifference } from "../../src/journal/sweep-report.ts";
import type { Sandbox } from "../../src/node/create-sandbox.ts";
import { london } from "../support/physical-order.ts";
import { cellOf, type Run, sweepRun, TestClient, verdictsOf } from "../support/sweep-client.ts";

const york = { line1: "2 Station Road", city: "York", post_code: "YO24 1AB", country_code: "GB" };

/** The differences of a client that orders something else in its cells, and reports success. */
async function differencesOf(
  order: (client: TestClient, isCell: boolean) => unknown,
): Promise<readonly WorldDifference[]> {
  const { cells } = await sweepRun(
    async (sandbox, { n }) => {
      const client = new TestClient(sandbox);
      await client.list();
      await order(client, n > 1);
    },
    { cell: "listCards#1:slow-response" },
  );
  return cells[0]?.differences ?? [];
}

test("compares cards by the fields that a client chooses", async () => {
  const base = {
    account: "gbp",
    holder: "owner",
    type: "physical",
    name: "none",
    spending_limit: "none",
    auto_convert: "false",
    delivery_method: "express",
    delivery_address: JSON.stringify(london),
  };
  const ordered = (fields: object, shown: object) => ({ fields, shown: { ...base, ...shown } });
  const cases = [
    ordered({ delivery_address: york }, { delivery_address: JSON.stringify(york) }),
    ordered({ delivery_method: "classic" }, { delivery_method: "classic" }),
    ordered({ name: "Travel" }, { name: "Travel" }),
  ];
  for (const { fields, shown } of cases) {
    const differences = await differencesOf((client, isCell) => client.order(isCell ? fields : {}));
    expect(differences).toMatchObject([
      { label: "northwind", only: "reference", times: 1, card: base },
      { label: "northwind", only: "cell", times: 1, card: shown },
    ]);
  }
});

test("keeps at most 100 differences of a cell", async () => {
  const run: Run = async (sandbox) => {
    const client = new TestClient(sandbox);
    await client.list();
    for (let shop = 0; shop < 6; shop++) {
      const { apiKey, accountId } = await sandbox.isolatedCompany({ slug: `shop-${shop}` });
      const ofShop = new TestClient(sandbox, { apiKey, accountId });
      for (let n = 1; n <= 18; n++) {
        await ofShop.order({ delivery_address: { ...york, line1: `${n} Road` } });
      }
    }
  };
  const { cells } = await sweepRun(run, { cell: "northwind/listCards#1:forbidden" });
  expect(cells).toMatchObject([{ verdict: "failed", reason: "status 403" }]);
  expect(cells[0]?.differences).toHaveLength(100);
});

test("compares what happened to the cards", async () => {
  const changes: readonly (readonly [string, string, object | undefined, object])[] = [
    ["POST", "freeze", undefined, { status: "frozen" }],
    ["POST", "terminate", undefined, { status: "terminated" }],
    ["PUT", "spending-limit", { amount: "50.00", period: "weekly" }, { spending_limit: "50.00 weekly" }],
    ["PATCH", "", { name: "Team lunch" }, { name: "Team lunch" }],
  ];
  for (const [method, action, body, shown] of changes) {
    const differences = await differencesOf(async (client, isCell) => {
      const id = await client.order();
      if (isCell) await client.call(method, `/developer/cards/${id}/${action}`.replace(/\/$/, ""), { body });
    });
    expect(differences.map(({ only }) => only)).toEqual(["reference", "cell"]);
    expect(differences[1]?.card).toMatchObject(shown);
  }
});

test("a default name, which has digits of the card's number, counts as none", async () => {
  const differences = await differencesOf(async (client, isCell) => {
    // Without its key, the order gets another number.
    if (isCell) await client.order({ pin: "1" }, { key: randomUUID() }).catch(() => {});
    await client.order();
  });
  expect(differences).toEqual([]);
});

/** Resets, deletes or replaces what a client has ordered, before it ends. */
const endings: Readonly<
  Record<string, (sandbox: Sandbox, company: { delete(): void; slug: string }) => unknown>
> = {
  "a reset of the sandbox": (sandbox) => sandbox.reset(),
  "a reset of the company": (sandbox, { slug }) => sandbox.reset(slug),
  "the deletion of the company": (_, company) => company.delete(),
  "the restoration of a snapshot": (sandbox) => sandbox.restore("before"),
};

for (const [name, end] of Object.entries(endings)) {
  test(`${name} does not hide a second card`, async () => {
    const run: (newKeys: boolean) => Run = (newKeys) => async (sandbox) => {
      const company = await sandbox.isolatedCompany({ slug: "corner-shop" });
      sandbox.snapshot("before");
      const { apiKey, accountId } = company;
      try {
        await new TestClient(sandbox, { apiKey, accountId, newKeys }).order();
      } finally {
        await end(sandbox, company);
      }
    };
    const options = { only: ["orderPhysicalCard", "lost-response", "issuer-unavailable"] };
    const careless = await sweepRun(run(true), options);
    expect(careless.problem).toBeNull();
    expect(verdictsOf(careless)).toEqual({
      "orderPhysicalCard#1:issuer-unavailable": "survived",
      "orderPhysicalCard#1:lost-response": "damaged",
    });
    expect(cellOf(careless, "orderPhysicalCard#1:lost-response").reason).toBe("2 cards for one order");
    expect((await sweepRun(run(false), options)).totals).toMatchObject({ survived: 2, damaged: 0 });
  });
}

test("a company that a cell does not call any more still counts", async () => {
  const run: Run = async (sandbox, { n }) => {
    const { apiKey } = await sandbox.isolatedCompany({ slug: "corner-shop", cards: [] });
    await new TestClient(sandbox).list();
    if (n < 2) await new TestClient(sandbox, { apiKey }).list();
  };
  const report = await sweepRun(run, { cell: "northwind/listCards#1:slow-response" });
  expect(report.cells).toMatchObject([{ verdict: "survived", differences: [] }]);
});

test("leaves out the fields in which two runs without faults differ, and names them", async () => {
  const run: Run = async (sandbox) => {
    const client = new TestClient(sandbox);
    await client.order({ name: `Card ${randomUUID().slice(0, 8)}` });
    await client.order({ delivery_address: york }).catch(() => {});
  };
  const report = await sweepRun(run, { only: ["orderPhysicalCard", "slow-response", "forbidden"] });
  expect(report.left_out).toEqual([{ label: "northwind", fields: ["name"] }]);
  expect(verdictsOf(report)).toMatchObject({
    "orderPhysicalCard#1:slow-response": "survived",
    "orderPhysicalCard#2:forbidden": "damaged",
  });
  const { differences } = cellOf(report, "orderPhysicalCard#2:forbidden");
  expect(differences).toMatchObject([
    { only: "reference", card: { delivery_address: JSON.stringify(york) } },
  ]);
  expect(Object.keys(differences[0]?.card ?? {})).not.toContain("name");
});

test("leaves out more fields if the runs without faults combine the same values differently", async () => {
  const run: Run = async (sandbox, { n }) => {
    const client = new TestClient(sandbox);
    const [first, second] = n % 2 === 0 ? [london, york] : [york, london];
    await client.order({ delivery_address: first, delivery_method: "express" });
    await client.order({ delivery_address: second, delivery_method: "classic" });
  };
  const report = await sweepRun(run, { only: ["orderPhysicalCard", "slow-response"] });
  expect(report.left_out).toEqual([{ label: "northwind", fields: ["delivery_address"] }]);
  expect(report.totals).toMatchObject({ survived: 2, damaged: 0 });
});

test("does not compare cards whose number varies without a fault", async () => {
  const run: Run = async (sandbox, { n }) => {
    const client = new TestClient(sandbox, { newKeys: true });
    for (let cards = 0; cards < 1 + (n % 2); cards++) await client.order();
  };
  const report = await sweepRun(run, { cell: "orderPhysicalCard#1:lost-response" });
  expect(report.left_out).toEqual([{ label: "northwind", fields: ["number of cards"] }]);
  // That the client was never told of a card is still known.
  expect(report.cells).toMatchObject([
    { verdict: "damaged", differences: [], reason: "a card exists of which the client was never told" },
  ]);
});

test("compares companies without a given slug as one, because a retried test shifts their numbers", async () => {
  const run: Run = async (sandbox, { n }) => {
    if (n > 1) await sandbox.isolatedCompany();
    for (const fields of [{}, { delivery_address: york }]) {
      const { apiKey, accountId } = await sandbox.isolatedCompany();
      await new TestClient(sandbox, { apiKey, accountId }).order(fields);
    }
  };
  const report = await sweepRun(run, { only: ["orderPhysicalCard", "slow-response"] });
  expect(report.cells.map(({ differences }) => differences)).toEqual([[], []]);
});

test("compares companies with random slugs as one, so that a second card in one of them is damage", async () => {
  const run: Run = async (sandbox, { n }) => {
    await new TestClient(sandbox).list();
    const company = await sandbox.isolatedCompany({ slug: `shop-${randomUUID().slice(0, 8)}`, cards: [] });
    const client = new TestClient(sandbox, { apiKey: company.apiKey, accountId: company.accountId });
    for (let cards = 0; cards < Math.max(1, n - 1); cards++) await client.order();
  };
  const report = await sweepRun(run, { only: ["listCards", "slow-response", "rate-limited"] });
  expect(report.left_out).toEqual([]);
  expect(report.cells).toMatchObject([
    { verdict: "survived", differences: [] },
    { verdict: "damaged", reason: "2 cards, 1 in the reference run" },
  ]);
});

test("waits for orders that were held when their client gave up", async () => {
  const run: Run = async (sandbox, { n }) => {
    await new TestClient(sandbox, { givesUp: true, timeoutMs: n > 1 ? 50 : 10_000 }).order();
  };
  for (const fault of ["in-flight", "lost-in-flight", "silent-response"]) {
    const { cells } = await sweepRun(run, { cell: `orderPhysicalCard#1:${fault}` });
    expect(cells).toMatchObject([
      { verdict: "damaged", reason: "a card exists of which the client was never told", differences: [] },
    ]);
  }
});
