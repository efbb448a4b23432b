import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Run, sweepRun, TestClient } from "../support/sweep-client.ts";

test("every fault acts on every call of a client that uses many operations", async () => {
  const run: Run = async (sandbox) => {
    const client = new TestClient(sandbox);
    const card = (id: string) => `/developer/cards/${id}`;
    const events = ["card.created", "card.status_changed", "card.spending_limit_changed"];
    await client.call("POST", "/developer/webhooks", {
      body: { url: "http://localhost/hooks", events },
    });
    const id = await client.order({ spending_limit: { amount: "20.00", period: "daily" } });
    const body = { account_id: client.accountId };
    const virtual = await client.call("POST", "/developer/cards/virtual", { key: randomUUID(), body });
    await client.call("GET", card(id));
    await client.call("POST", `${card(id)}/freeze`);
    await client.call("POST", `${card(id)}/unfreeze`);
    await client.call("DELETE", `${card(id)}/spending-limit`);
    await client.call("PATCH", card(id), { body: { name: "Travel" } });
    await client.call("POST", `${card(virtual.body.id)}/terminate`);
    for (const path of ["accounts", "companies", "transactions", "company/invoices", "webhooks"]) {
      await client.call("GET", `/developer/${path}`);
    }
    await sandbox.webhooks.settled();
  };
  const deliver = async () => new Response(null, { status: 204 });
  const report = await sweepRun(run, { jobs: 4, patienceMs: 10 }, { deliver });
  expect(report.problem).toBeNull();
  expect(report.cells.length).toBeGreaterThan(150);
  const unreached = report.cells.filter(({ verdict }) => verdict === "not_reached").map(({ id }) => id);
  expect(unreached).toEqual([]);
});
