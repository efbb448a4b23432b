import { randomUUID } from "node:crypto";
import type { Client } from "./client.ts";

/** A company of its own, as a test makes one, and how far it is used up. */
interface Company {
  readonly id: string;
  readonly apiKey: string;
  readonly accountId: string;
  orders: number;
  token: string;
}

/** After so many orders a company is deleted, and another one made: the world stays as large as it is. */
const ordersEach = 150;
const companies = 6;

/** What a suite, a tester and a dashboard do all day, over and over. */
export class Load {
  readonly #client: Client;
  readonly #hook: string;
  readonly #companies: Company[] = [];
  #turn = 0;
  #owner = { token: "", cardId: "", accountId: "" };

  private constructor(client: Client, hook: string) {
    this.#client = client;
    this.#hook = hook;
  }

  /** @param hook - where webhooks are sent */
  static async prepare(client: Client, hook: string): Promise<Load> {
    const load = new Load(client, hook);
    for (let n = 0; n < companies; n++) load.#companies.push(await load.#company());
    await load.#northwind();
    return load;
  }

  /** One request, or two where a company is replaced by another. */
  async next(): Promise<void> {
    const turn = this.#turn++;
    const company = this.#companies[turn % companies];
    if (!company) return;
    switch (turn % 20) {
      case 0:
        return this.#refreshed(company);
      case 1:
      case 2:
        return this.#expect(400, await this.#order(company, randomUUID(), { pin: 4821 }));
      case 3:
        return this.#expect(
          401,
          await this.#client.call("GET", "/developer/cards", undefined, bearer("nobody's")),
        );
      case 4:
      case 5:
        return this.#expect(503, await this.#order(company, randomUUID(), {}, "issuer-unavailable"));
      case 6:
      case 7:
      case 8:
      case 9:
        return this.#expect(200, await this.#asked(company, "GET", "/developer/cards?limit=20"));
      case 10:
        return this.#expect(200, await this.#client.call("GET", "/_sandbox/requests?limit=20"));
      case 11:
        return this.#expect(200, await this.#client.call("GET", "/_sandbox/world"));
      case 12:
        return this.#changeCard("freeze");
      case 13:
        return this.#changeCard("unfreeze");
      default: {
        const key = randomUUID();
        this.#expect(201, await this.#order(company, key));
        if (turn % 20 === 19) this.#expect(201, await this.#order(company, key));
        if (++company.orders === ordersEach) await this.#replace(company);
      }
    }
  }

  /** Moves time on, so that tokens expire. */
  async passTime(): Promise<void> {
    await this.#client.call("POST", "/_sandbox/clock/advance", { by: "PT16M" });
    await Promise.all(this.#companies.map((company) => this.#refreshed(company)));
    await this.#exchangeOwner();
  }

  async #company(): Promise<Company> {
    const { json } = await this.#client.call("POST", "/_sandbox/companies", { card_quota: 10_000 });
    const apiKey = json.members[0].api_keys[0].secret;
    const company = { id: json.id, apiKey, accountId: json.accounts[0].id, orders: 0, token: "" };
    await this.#refreshed(company);
    await this.#hookFor(company.token, ["card.created", "card.status_changed"]);
    return company;
  }

  async #replace(company: Company): Promise<void> {
    const at = this.#companies.indexOf(company);
    this.#companies[at] = await this.#company();
    this.#expect(204, await this.#client.call("DELETE", `/_sandbox/companies/${company.id}`));
  }

  async #northwind(): Promise<void> {
    const { json } = await this.#client.call("GET", "/_sandbox/world");
    this.#owner.accountId = json.companies[0].accounts[0].id;
    await this.#exchangeOwner();
    await this.#hookFor(this.#owner.token, ["card.created", "card.status_changed"]);
    const order = await this.#client.call(
      "POST",
      "/developer/cards/physical",
      orderBody(this.#owner.accountId),
      { ...bearer(this.#owner.token), "Idempotency-Key": randomUUID() },
    );
    this.#owner.cardId = order.json.id;
  }

  async #exchangeOwner(): Promise<void> {
    this.#owner.token = await this.#exchange("sk_sandbox_northwind_owner");
  }

  async #exchange(api_key: string): Promise<string> {
    const { status, json } = await this.#client.call("POST", "/auth/v1/sandbox/token", { api_key });
    this.#expect(200, { status });
    return json.access_token;
  }

  async #refreshed(company: Company): Promise<void> {
    company.token = await this.#exchange(company.apiKey);
  }

  async #hookFor(token: string, events: readonly string[]): Promise<void> {
    const hook = { url: this.#hook, events };
    this.#expect(201, await this.#client.call("POST", "/developer/webhooks", hook, bearer(token)));
  }

  #asked({ token }: Company, method: string, path: string) {
    return this.#client.call(method, path, undefined, bearer(token));
  }

  #order({ token, accountId }: Company, key: string, fields: object = {}, scenario?: string) {
    return this.#client.call(
      "POST",
      "/developer/cards/physical",
      { ...orderBody(accountId), ...fields },
      {
        ...bearer(token),
        "Idempotency-Key": key,
        ...(scenario !== undefined && { "Sandbox-Scenario": scenario }),
      },
    );
  }

  /** Two may come at once, and the second finds the card changed already: 409. */
  async #changeCard(change: "freeze" | "unfreeze"): Promise<void> {
    const path = `/developer/cards/${this.#owner.cardId}/${change}`;
    await this.#client.call("POST", path, undefined, bearer(this.#owner.token));
  }

  /** A token may expire, and a company go, while a request of it is on its way. */
  #expect(status: number, answer: { readonly status: number }): void {
    if (answer.status === status || answer.status === 401) return;
    throw new Error(`answered ${answer.status} in place of ${status}`);
  }
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

function orderBody(accountId: string) {
  return {
    account_id: accountId,
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
    delivery_method: "express",
  };
}
