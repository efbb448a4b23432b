import type { Card } from "../../src/contract/card.ts";
import type { StartedSandbox } from "../../src/node/start-sandbox.ts";
import { httpClient } from "./http-client.ts";

/** The paths of the dashboard's pages by name. */
export type PagePaths = Readonly<Record<string, string>>;

/** Sends requests of clients, merchants and a tester that fill every page. */
export async function fillWorld({ url, world, control }: StartedSandbox): Promise<PagePaths> {
  const { exchange, order: send } = httpClient(url);
  const owner = await exchange();
  const employee = await exchange("sk_sandbox_northwind_employee");
  const [northwind] = world().companies;
  let ordered = 0;
  const order = async (fields = {}, headers: Record<string, string> = {}, token = owner): Promise<Card> => {
    const key = `7f9c24e8-3b12-4c6e-9d7a-${String(++ordered).padStart(12, "0")}`;
    const response = await send(northwind?.accounts[0]?.id, { fields, headers, token, key });
    return (await response.json()) as Card;
  };

  const card = await order({ name: "Team travel", spending_limit: { period: "monthly", amount: "250.00" } });
  const bought = control.simulator.authorise({ card_id: card.id, amount: "84.20", merchant: "Trainline" });
  control.simulator.clear(bought.id);
  control.simulator.authorise({
    card_id: card.id,
    amount: "120.00",
    merchant: "Hotel Adler",
    currency: "EUR",
  });
  control.simulator.authorise({ card_id: card.id, amount: "300.00", merchant: "Conference hall" });
  control.dialect.replace({
    dialect: {
      "replay.status": { use: "200", provenance: "observed", date: "2026-11-20", note: "ticket 4711" },
    },
  });
  control.scenarios.arm("quota-reached", { company: "fullhouse", times: 2 });

  await order({}, {}, employee);
  await order({ pin: 4821 });
  const twice = { "Idempotency-Key": "5b8e0a52-7d3b-4a46-9f2e-2f6f0f1f7c10" };
  await order({ name: "Office supplies" }, twice);
  await order({ name: "Another one" }, twice);
  await fetch(`${url}/developer/cards`, { headers: { Authorization: "Bearer sk_sandbox_northwind_owner" } });
  await fetch(`${url}/developer/cards`, { headers: { Authorization: `Bearer ${owner}` } });
  await order({}, { "Sandbox-Scenario": "issuer-recovers" });
  await order({}, { "Sandbox-Scenario": "lost-response" }).catch(() => {});
  await order({
    delivery_address: { line1: "1 Calle Obispo", city: "Havana", country_code: "CU" },
    delivery_method: "international",
  });
  await order({}, { "Sandbox-Scenario": "quota-reached" });
  return {
    home: "",
    requests: "/requests",
    request: "/requests/13",
    scenarios: "/scenarios",
    assumptions: "/assumptions",
    world: "/world",
    company: `/companies/${northwind?.id}`,
    cards: "/cards",
    card: `/cards/${card.id}`,
    report: "/report",
    sweep: "/sweep",
  };
}
