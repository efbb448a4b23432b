import type { Card } from "../../src/contract/card.ts";
import type { StartedSandbox } from "../../src/node/start-sandbox.ts";
import { httpClient, type OrderOptions } from "./http-client.ts";

/** The paths of the dashboard's pages by name. */
export type PagePaths = Readonly<Record<string, string>>;

/** The same key for the same number. Other numbers have another beginning, which lists of requests show. */
export function idempotencyKey(n: number): string {
  const start = (0x3f0c24e8 + n * 0x1d3a5b77) % 0x1_0000_0000;
  return `${start.toString(16).padStart(8, "0")}-3b12-4c6e-9d7a-1f5e8b2a6c30`;
}

/** Sends requests of clients, merchants and a tester that fill every page. */
export async function fillWorld(sandbox: StartedSandbox): Promise<PagePaths> {
  const { world, control, clock, requests, webhooks } = sandbox;
  const [northwind] = world().companies;
  const delivery = await sendEvents(sandbox);
  await clock.advance({ by: "P3D", company: "fullhouse" });
  control.dialect.replace({
    dialect: {
      "replay.status": { use: "200", provenance: "observed", date: "2026-11-20", note: "ticket 4711" },
    },
  });
  control.scenarios.arm("quota-reached", { company: "fullhouse", times: 2 });
  control.scenarios.arm("rate-limited", { company: "northwind", times: 1 });

  const card = await buyAndOrder(sandbox, northwind?.accounts[0]?.id);
  await webhooks.settled();
  const request = requests.list({ point: "order.replayed_with_other_body" }).requests[0]?.id;
  return {
    home: "",
    requests: "/requests",
    keys: "/requests?view=keys",
    request: `/requests/${request}`,
    edit: `/requests/${request}/edit`,
    cards: "/cards",
    card: `/cards/${card}`,
    webhooks: "/webhooks",
    delivery: `/webhooks/${delivery}`,
    scenarios: "/scenarios",
    scenario: "/scenarios/issuer-recovers",
    assumptions: "/assumptions",
    contract: "/contract",
    report: "/report",
    sweep: "/sweep",
    world: "/world",
    company: `/companies/${northwind?.id}`,
  };
}

/**
 * Adds two webhooks that send events to the built-in receiver, and sends a test event to each.
 * @returns the id of the delivery whose receiver returned 503: a retry is pending
 */
async function sendEvents({ url, webhooks }: StartedSandbox): Promise<string> {
  const { exchange, post } = httpClient(url);
  const headers = { Authorization: `Bearer ${await exchange()}`, "Content-Type": "application/json" };
  for (const status of ["", "?status=503"]) {
    const webhook = { url: `${url}/_sandbox/receiver/northwind${status}`, events: ["card.created"] };
    const created = await post("/developer/webhooks", webhook, headers);
    const { id } = (await created.json()) as { id: string };
    await post(`/developer/webhooks/${id}/test`, {}, headers);
  }
  await webhooks.settled();
  return webhooks.deliveries().find(({ status }) => status === "pending")?.id ?? "";
}

/**
 * Pays with a card, and sends orders with most outcomes: a retry, a replay, refusals and lost responses.
 * @returns the id of the card
 */
async function buyAndOrder({ url, control }: StartedSandbox, account: string | undefined): Promise<string> {
  const { exchange, order: send } = httpClient(url);
  const owner = await exchange();
  const employee = await exchange("sk_sandbox_northwind_employee");
  let ordered = 0;
  const newKey = () => idempotencyKey(++ordered);
  const order = (options: OrderOptions = {}) => send(account, { token: owner, key: newKey(), ...options });
  const through = (name: string) => ({ "Sandbox-Scenario": name });
  // It fires the scenario that is armed once.
  await order();

  const first = await order({
    fields: { name: "Team travel", spending_limit: { period: "monthly", amount: "250.00" } },
  });
  const { id: card_id } = (await first.json()) as Card;
  const bought = control.simulator.authorise({ card_id, amount: "84.20", merchant: "Trainline" });
  control.simulator.clear(bought.id);
  control.simulator.authorise({ card_id, amount: "120.00", merchant: "Hotel Adler", currency: "EUR" });
  control.simulator.authorise({ card_id, amount: "300.00", merchant: "Conference hall" });

  await order({ token: employee });
  await order({ fields: { pin: 4821 } });
  const twice = newKey();
  await order({ key: twice, fields: { name: "Office supplies" } });
  await order({ key: twice, fields: { name: "Another one" } });
  await fetch(`${url}/developer/cards`, { headers: { Authorization: "Bearer sk_sandbox_northwind_owner" } });
  await fetch(`${url}/developer/cards`, { headers: { Authorization: `Bearer ${owner}` } });
  const recovers = { key: newKey(), headers: through("issuer-recovers") };
  for (let attempt = 1; attempt <= 3; attempt++) await order(recovers);
  const lost = newKey();
  await order({ key: lost, headers: through("lost-response") }).catch(() => {});
  await order({ key: lost });
  await order({
    fields: {
      delivery_address: { line1: "1 Calle Obispo", city: "Havana", country_code: "CU" },
      delivery_method: "international",
    },
  });
  await order({ headers: through("quota-reached") });
  // The client orders the same card again with a new key: a finding.
  await order({ headers: through("issuer-unavailable") });
  await order();
  return card_id;
}
