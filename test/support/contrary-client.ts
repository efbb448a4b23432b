import { randomUUID } from "node:crypto";
import type { SweepFixtures } from "../../src/node/sweep/sweep.ts";
import { physicalOrder } from "./physical-order.ts";

type Fixtures = Pick<SweepFixtures, "sandbox" | "company" | "scenario" | "clock">;

/** A client that accepts every alternative, for the planted dependencies. */
class TolerantClient {
  readonly #fixtures: Fixtures;

  constructor(fixtures: Fixtures) {
    this.#fixtures = fixtures;
  }

  async send(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
    const { sandbox, company } = this.#fixtures;
    const response = await sandbox.fetch(`http://sandbox${path}`, {
      method,
      headers: { "Content-Type": "application/json", "X-On-Behalf-Of": company.id, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
    const json: any = text === "" ? undefined : JSON.parse(text);
    return { status: response.status, ok: response.ok, headers: response.headers, body: json };
  }

  exchange(key = this.#fixtures.company.apiKey) {
    return this.send("POST", "/auth/v1/sandbox/token", {}, { api_key: key });
  }

  /** Sends a request with a new access token. */
  async call(method: string, path: string, body?: object, idempotencyKey: string = randomUUID()) {
    const { access_token } = (await this.exchange()).body;
    const headers = { Authorization: `Bearer ${access_token}`, "Idempotency-Key": idempotencyKey };
    return this.send(method, path, headers, body);
  }

  /** @param more - fields of the order */
  order(idempotencyKey: string = randomUUID(), more: object = {}) {
    const body = { ...physicalOrder(this.#fixtures.company.accountId), ...more };
    return this.call("POST", "/developer/cards/physical", body, idempotencyKey);
  }
}

function check(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(message);
}

/** Ten clients, each of which depends on the assumption under whose name it stands, and on no other. */
export const plantedClients: Readonly<Record<string, (fixtures: Fixtures) => Promise<void>>> = {
  "replay.status": async (fixtures) => {
    const client = new TolerantClient(fixtures);
    const key = randomUUID();
    await client.order(key);
    check((await client.order(key)).status === 201, "the replay must be 201");
  },
  "replay.header": async (fixtures) => {
    const client = new TolerantClient(fixtures);
    const key = randomUUID();
    await client.order(key);
    const { headers } = await client.order(key);
    check(headers.get("Idempotent-Replayed") === "true", "the replay must have its header");
  },
  "order.key_reused": async (fixtures) => {
    const client = new TolerantClient(fixtures);
    const key = randomUUID();
    const { body } = await client.order(key);
    const other = await client.order(key, { name: "Travel" });
    check(other.body.id === body.id, "a used key must return its card");
  },
  // Repeats an order after a day, when nobody knows any more whether it was made. Its tests do not count cards.
  "key.retention": async (fixtures) => {
    const client = new TolerantClient(fixtures);
    const key = randomUUID();
    check((await client.order(key)).ok, "no card");
    await fixtures.clock.advance("PT25H");
    check((await client.order(key)).ok, "no card on the next day");
  },
  // Takes every refusal but 409 for the end of the order, and orders again.
  "order.key_in_progress": async (fixtures) => {
    const client = new TolerantClient(fixtures);
    const key = randomUUID();
    fixtures.scenario("in-flight", { hold_ms: 100 });
    const first = client.order(key);
    const second = await client.order(key);
    if (!second.ok && second.status !== 409) await client.order();
    check((await first).ok, "no card");
  },
  "token.status": async (fixtures) => {
    const { status } = await new TolerantClient(fixtures).exchange();
    check(status === 200, "a token must come with 200");
  },
  "token.refused_status": async (fixtures) => {
    const { status } = await new TolerantClient(fixtures).exchange("sk_sandbox_unknown");
    check(status === 401, "an unknown key must be 401");
  },
  "unauthorized.envelope": async (fixtures) => {
    const headers = { Authorization: "Bearer unknown" };
    const { body } = await new TolerantClient(fixtures).send("GET", "/developer/cards", headers);
    check(typeof body.error?.code === "string", "a 401 must have a code");
  },
  "auth.scheme": async (fixtures) => {
    const client = new TolerantClient(fixtures);
    const { body } = await client.exchange();
    const headers = { Authorization: `bearer ${body.access_token}` };
    check((await client.send("GET", "/developer/cards", headers)).ok, "the scheme may be in lower case");
  },
  "unknown_path.status": async (fixtures) => {
    const { status } = await new TolerantClient(fixtures).send("GET", "/nothing");
    check(status === 404, "an unknown path must be 404");
  },
};

/** Runs all of them, each in a company of its own. */
export async function plantedClient({ sandbox }: Pick<Fixtures, "sandbox">): Promise<void> {
  const problems: string[] = [];
  for (const [name, client] of Object.entries(plantedClients)) {
    const company = await sandbox.isolatedCompany({ slug: name.replace(/[._]/g, "-") });
    const { scenario, clock } = company;
    await client({ sandbox, company, scenario, clock }).catch((error: Error) => problems.push(error.message));
  }
  if (problems.length > 0) throw new Error(problems.join("; "));
}

/** Orders cards with limits, replaces and freezes them, and accepts every alternative. */
export async function tolerantClient(fixtures: Fixtures): Promise<void> {
  const client = new TolerantClient(fixtures);
  const { accountId } = fixtures.company;
  const spending_limit = { period: "monthly", amount: "100.00" };
  const { body: physical } = await client.order(randomUUID(), { name: "Travel", spending_limit });
  await client.call("POST", `/developer/cards/${physical.id}/freeze`);
  const virtual = { account_id: accountId, spending_limit };
  const { body: card } = await client.call("POST", "/developer/cards/virtual", virtual);
  const replaced = await client.call("POST", `/developer/cards/${card.id}/replace`, { reason: "damaged" });
  check(replaced.ok, "no replacement");
}
