import { expect, test } from "vitest";
import { contrary } from "../../../src/node/sweep/contrary.ts";
import { rowsUnder } from "../../docs/rows-under.ts";
import { plantedClient, plantedClients, tolerantClient } from "../../support/contrary-client.ts";
import { physicalOrder } from "../../support/physical-order.ts";

const examples = new URL("../../../examples/sweep/", import.meta.url).pathname;
const { CardClient } = await import(`${examples}careful-client.mjs`);

test("a client with ten planted dependencies depends on exactly these ten", async () => {
  const report = await contrary(plantedClient);
  expect(report.problem).toBe(null);
  const found = report.dependencies.map(({ behaviour }) => behaviour);
  expect(found.toSorted(), String(report)).toEqual(Object.keys(plantedClients).toSorted());
  const byDamage = report.dependencies.filter(({ by }) => by === "damage");
  expect(byDamage.map(({ summary }) => summary).toSorted()).toEqual([
    "safe unless `key.retention` is 24h or 1h",
    "safe unless `order.key_in_progress` is 425 or 429",
  ]);
});

test("the careful client depends on no assumption but those of docs/dialects.md", async () => {
  const report = await contrary(
    async ({ sandbox, company: { apiKey, accountId } }) => {
      const client = new CardClient("http://sandbox", apiKey, { fetch: sandbox.fetch });
      const card = await client.orderPhysicalCard(physicalOrder(accountId));
      expect((await client.freezeCard(card.id)).status).toBe("frozen");
      const virtual = await client.orderVirtualCard({ account_id: accountId });
      await client.replaceCard(virtual.id, { reason: "lost" });
      await client.createWebhook("http://localhost:9/", ["invoice.created"]);
      expect(await client.listCards()).toHaveLength(3);
    },
    { name: "careful" },
  );
  expect(report.problem).toBe(null);
  const listed = rowsUnder("docs/dialects.md", "The careful client").map(([name = ""]) =>
    name.replaceAll("`", ""),
  );
  const found = report.dependencies.map(({ behaviour }) => behaviour);
  expect(found.toSorted(), String(report)).toEqual(listed.toSorted());
  expect(report.dependencies.filter(({ by }) => by === "damage")).toEqual([]);
});

test("a client that accepts every alternative depends on none", async () => {
  const report = await contrary(tolerantClient, { only: ["cards.*", "replace.*", "order.*", "responses.*"] });
  expect(report.problem).toBe(null);
  expect(report.dependencies, String(report)).toEqual([]);
});
