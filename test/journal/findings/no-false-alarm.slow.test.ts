import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { OperationId } from "../../../src/contract/operations.ts";
import { readShippedScenarios } from "../../../src/node/input-files.ts";
import type { Scenario } from "../../../src/scenarios/scenario.ts";
import { CorrectClient } from "../../support/correct-client.ts";
import { openSandbox } from "../../support/open-sandbox.ts";
import { london } from "../../support/physical-order.ts";
import { seededNumbers } from "../../support/seeded-random.ts";
import { VirtualTime } from "../../support/virtual-time.ts";

const scenarios = readShippedScenarios();
const fewestRequests = 10_000;

const company = (slug: string, environment: "sandbox" | "live", members: readonly object[]) => ({
  slug,
  environment,
  name: `${slug} Ltd`,
  country_code: "GB",
  card_quota: 100_000,
  accounts: [{ slug: "gbp", name: "Main account", currency: "GBP", balance: "250000.00" }],
  members,
});
const member = (slug: string, secret: string, role = "owner", more = {}) => ({
  slug,
  name: slug,
  role,
  api_keys: [{ secret }],
  ...more,
});
const world = {
  card_limits: { max_per_purchase: "10000.00", daily: "10000.00", rolling_32_days: "50000.00" },
  companies: [
    company("alder", "sandbox", [
      member("alder-owner", "sk_sandbox_alder_owner"),
      member("alder-admin", "sk_sandbox_alder_admin", "admin", {
        other_companies: [{ company: "birch", role: "admin" }],
      }),
    ]),
    company("birch", "sandbox", [member("birch-owner", "sk_sandbox_birch_owner")]),
    company("cedar", "live", [member("cedar-owner", "sk_live_cedar_owner")]),
  ],
};

/** The clients that run in parallel: two share a key, and one acts for another company. */
const instances = [
  { apiKey: "sk_sandbox_alder_owner", userAgent: "shop/1", company: "alder" },
  { apiKey: "sk_sandbox_alder_owner", userAgent: "shop/1", company: "alder" },
  { apiKey: "sk_sandbox_alder_admin", userAgent: "shop/1", company: "alder" },
  { apiKey: "sk_sandbox_alder_admin", userAgent: "office/2", company: "birch", acts: true },
  { apiKey: "sk_sandbox_birch_owner", userAgent: "office/2", company: "birch" },
  { apiKey: "sk_live_cedar_owner", userAgent: "shop/1", company: "live/cedar" },
] as const;
type Instance = (typeof instances)[number];

const addresses = [
  london,
  { line1: "Rue de Rivoli 10", city: "Paris", post_code: "75004", country_code: "FR" },
];

type Running = ReturnType<typeof openSandbox>;
type Row = { readonly id: string; readonly status: string; readonly token: string };

/** The actions of an app, one after the other with a pause in between. */
class App {
  readonly #client: CorrectClient;
  readonly #accountId: string;
  readonly #random: () => number;
  #orders = 0;

  constructor(client: CorrectClient, accountId: string, random: () => number) {
    this.#client = client;
    this.#accountId = accountId;
    this.#random = random;
  }

  #pick<Value>(values: readonly Value[]): Value | undefined {
    return values[Math.floor(this.#random() * values.length)];
  }

  async doSomething(): Promise<unknown> {
    const what = this.#random();
    if (what < 0.35) return this.#orderPhysical();
    if (what < 0.55) return this.#orderVirtual();
    if (what < 0.8) return this.#changeCard();
    if (what < 0.9) return this.#readTransactions();
    return this.#client.all(this.#pick(["/developer/accounts", "/developer/company/invoices"]) ?? "");
  }

  async #orderPhysical(): Promise<unknown> {
    const delivery_address = this.#pick(addresses);
    const { json, status } = await this.#client.call("POST", "/developer/cards/delivery-options", {
      delivery_address,
    });
    if (status !== 200) return undefined;
    const options: readonly { method: string }[] = json.delivery_methods;
    const delivery_method = this.#pick(options)?.method;
    if (!delivery_method) return undefined;
    return this.#client.order("/developer/cards/physical", {
      account_id: this.#accountId,
      pin: "4821",
      delivery_address,
      delivery_method,
      // Half of the orders are different, the others are equal.
      ...(this.#random() < 0.5 && { name: `Card ${this.#orders++}` }),
      ...(this.#random() < 0.3 && { spending_limit: { period: "monthly", amount: "250.00" } }),
    });
  }

  #orderVirtual(): Promise<unknown> {
    return this.#client.order("/developer/cards/virtual", {
      account_id: this.#accountId,
      spending_limit: { period: "weekly", amount: "100.50" },
    });
  }

  async #changeCard(): Promise<unknown> {
    const cards: Row[] = await this.#client.all("/developer/cards", {
      limit: "5",
      status: "active",
      type: "virtual",
    });
    const card = this.#pick(cards);
    if (!card) return undefined;
    const path = `/developer/cards/${card.id}`;
    const what = this.#random();
    if (what < 0.3) return this.#client.order(`${path}/replace`, { reason: "lost" });
    if (what < 0.6) return this.#client.call("POST", `${path}/terminate`);
    if (what < 0.7)
      return this.#client.call("PUT", `${path}/spending-limit`, { period: "daily", amount: "20.00" });
    if (what < 0.8) return this.#client.all("/developer/cards", { tokens: card.token });
    const frozen = await this.#client.call("POST", `${path}/freeze`);
    return frozen.status === 200 ? this.#client.call("POST", `${path}/unfreeze`) : undefined;
  }

  #readTransactions(): Promise<unknown> {
    return this.#client.all("/developer/transactions", {
      from: "2026-03-10T00:00:00+00:00",
      to: "2026-03-11T00:00:00+00:00",
    });
  }
}

/** Refuses events with an invalid signature or an old timestamp, and acknowledges all others at once. */
function receiverOf(secrets: ReadonlySet<string>, nowMs: () => number) {
  return async (_url: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${init.body}`;
    const signatures = [...secrets].map((secret) =>
      createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
        .update(signed)
        .digest("base64"),
    );
    const sent = headers.get("webhook-signature") ?? "";
    const isSigned = signatures.some((each) => sent.includes(`v1,${each}`));
    const ageMs = Math.abs(nowMs() - Number(headers.get("webhook-timestamp")) * 1000);
    return new Response(null, { status: isSigned && ageMs <= 5 * 60_000 ? 204 : 400 });
  };
}

/** Each client runs several actions, each twice in parallel. */
async function runClients(sandbox: Running, time: VirtualTime, random: () => number, secrets: Set<string>) {
  const ids = new Map(sandbox.world().companies.map(({ slug, id, accounts }) => [slug, { id, accounts }]));
  const runs = instances.map(async (instance: Instance, n) => {
    const own = ids.get(instance.company.replace("live/", ""));
    const client = new CorrectClient(
      { fetch: (request) => sandbox.fetch(request), time, random },
      { ...instance, onBehalfOf: "acts" in instance ? own?.id : undefined },
    );
    // Real fleets do not start at exactly the same time.
    await time.sleep(n * 3000).over;
    const app = new App(client, own?.accounts[0]?.id ?? "", random);
    if (n === 0) {
      const events = ["card.created", "card.status_changed"];
      const made = await client.call("POST", "/developer/webhooks", {
        url: "http://localhost/hooks",
        events,
      });
      if (made.status === 201) secrets.add(made.json.secret);
    }
    const lane = async () => {
      for (let i = 0; i < 4; i++) {
        await app.doSomething();
        await time.sleep(1000 + 9000 * random()).over;
      }
    };
    await Promise.all([lane(), lane()]);
  });
  await time.run(Promise.all(runs));
}

/** The ways to arm a scenario, one after the other. */
function arm(sandbox: Running, { name, on }: Scenario, round: number): void {
  const others: OperationId[] = ["orderVirtualCard", "replaceCard", "listCards"];
  if (round % 3 === 0) sandbox.scenario(name);
  else if (round % 3 === 1) sandbox.scenario(name, { company: "alder", times: 5 });
  else
    for (const slug of ["alder", "birch", "live/cedar"]) sandbox.scenario(name, { company: slug, times: 2 });
  if (round % 2 === 0 || !on.includes("orderPhysicalCard")) return;
  for (const operation of others) {
    try {
      sandbox.scenario(name, { operation, times: 3 });
    } catch {
      // It can never fire there.
    }
  }
}

test("reports nothing about a correct client under any scenario", { timeout: 120_000 }, async () => {
  const secrets = new Set<string>();
  const sandbox = openSandbox({
    world,
    deliver: (url, init) => receiverOf(secrets, () => sandbox.clockOfTest.now())(url, init),
  });
  const time = new VirtualTime(sandbox.clockOfTest);
  const random = seededNumbers(7);
  for (let round = 0; sandbox.exchanges.length < fewestRequests; round++) {
    const scenario = scenarios[round % scenarios.length] as Scenario;
    arm(sandbox, scenario, round + Math.floor(round / scenarios.length));
    await runClients(sandbox, time, random, secrets);
    sandbox.control.scenarios.disarmAll();
    if (round % 4 === 1) await sandbox.clock.advance({ by: "PT16M" });
    if (round % 4 === 2) await sandbox.clock.advance({ by: "PT1H", company: "birch" });
    sandbox.reset(["alder", "birch", "live/cedar"][round % 3]);
    if (round % 10 === 9) sandbox.reset();
  }
  const struck = new Set(sandbox.exchanges.map(({ scenario }) => scenario));
  expect(scenarios.map(({ name }) => name).filter((name) => !struck.has(name))).toEqual([]);
  const points = new Set(sandbox.exchanges.map(({ point }) => point));
  expect([...points]).toEqual(
    expect.arrayContaining(["order.replayed", "order.key_in_progress", "cards.replayed"]),
  );
  const { findings } = sandbox.findings({ final: true });
  expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
});
