import { randomUUID } from "node:crypto";
import { physicalOrder } from "../support/physical-order.ts";
import type { Client } from "./client.ts";

interface Caller {
  readonly apiKey: string;
  readonly accountId: string;
  token: string;
}

/** An isolated company, such as a test makes. */
interface Company extends Caller {
  readonly id: string;
  orders: number;
}

const companies = 6;
/** A company with so many orders is replaced by a new one, so that the world does not grow. */
const ordersPerCompany = 150;

/** The requests of a test suite, a tester and a dashboard, over and over. */
export class Load {
  readonly #client: Client;
  /** The URL that receives webhooks. */
  readonly #hook: string;
  readonly #companies: Company[] = [];
  #next = 0;
  readonly #owner: Caller & { cardId: string } = {
    apiKey: "sk_sandbox_northwind_owner",
    accountId: "1d541080-dfcd-4ea6-937b-cc4bd3db87af",
    token: "",
    cardId: "",
  };

  constructor(client: Client, hook: string) {
    this.#client = client;
    this.#hook = hook;
  }

  async prepare(): Promise<void> {
    for (let n = 0; n < companies; n++) this.#companies.push(await this.#newCompany());
    await this.#openSession(this.#owner);
    this.#owner.cardId = (await this.#order(201, this.#owner, randomUUID())).id;
  }

  /** Sends one request, or more if it replaces a company. */
  async next(): Promise<void> {
    const n = this.#next++;
    const company = this.#companies[n % companies];
    if (!company) return;
    switch (n % 20) {
      case 0:
        return this.#exchangeKey(company);
      case 1:
      case 2:
        return this.#order(400, company, randomUUID(), { pin: 4821 });
      case 3:
        return this.#call(401, "GET", "/developer/cards", { token: "nobody's" });
      case 4:
      case 5:
        return this.#order(503, company, randomUUID(), {}, { "Sandbox-Scenario": "issuer-unavailable" });
      case 6:
      case 7:
      case 8:
      case 9:
        return this.#call(200, "GET", "/developer/cards?limit=20", company);
      case 10:
        return this.#call(200, "GET", "/_sandbox/requests?limit=20");
      case 11:
        return this.#call(200, "GET", "/_sandbox/world");
      case 12:
        return this.#changeCard("freeze");
      case 13:
        return this.#changeCard("unfreeze");
      default: {
        const key = randomUUID();
        await this.#order(201, company, key);
        if (n % 20 === 19) await this.#order(201, company, key);
        if (++company.orders === ordersPerCompany) await this.#replace(company);
      }
    }
  }

  /** Advances the clock until all tokens have expired. */
  async passTime(): Promise<void> {
    await this.#call(200, "POST", "/_sandbox/clock/advance", undefined, { by: "PT16M" });
    await Promise.all([...this.#companies, this.#owner].map((caller) => this.#exchangeKey(caller)));
  }

  async #newCompany(): Promise<Company> {
    const { id, members, accounts } = await this.#call(201, "POST", "/_sandbox/companies", undefined, {
      card_quota: 10_000,
    });
    const apiKey = members[0].api_keys[0].secret;
    const company = { id, apiKey, accountId: accounts[0].id, orders: 0, token: "" };
    await this.#openSession(company);
    return company;
  }

  async #replace(company: Company): Promise<void> {
    this.#companies[this.#companies.indexOf(company)] = await this.#newCompany();
    await this.#call(204, "DELETE", `/_sandbox/companies/${company.id}`);
  }

  /** Exchanges the key and subscribes to webhooks. */
  async #openSession(caller: Caller): Promise<void> {
    await this.#exchangeKey(caller);
    const webhook = { url: this.#hook, events: ["card.created", "card.status_changed"] };
    await this.#call(201, "POST", "/developer/webhooks", caller, webhook);
  }

  async #exchangeKey(caller: Caller): Promise<void> {
    const path = "/auth/v1/sandbox/token";
    caller.token = (await this.#call(200, "POST", path, undefined, { api_key: caller.apiKey })).access_token;
  }

  #order(status: number, caller: Caller, key: string, fields: object = {}, headers: object = {}) {
    const body = { ...physicalOrder(caller.accountId), ...fields };
    const path = "/developer/cards/physical";
    return this.#call(status, "POST", path, caller, body, { "Idempotency-Key": key, ...headers });
  }

  /** 409 if a parallel request has already made the change. */
  #changeCard(change: "freeze" | "unfreeze"): Promise<void> {
    const path = `/developer/cards/${this.#owner.cardId}/${change}`;
    return this.#call([200, 409], "POST", path, this.#owner);
  }

  /**
   * @returns the body
   * @throws Error if the status code differs; 401 is fine, since a token may expire, or its company be deleted, while
   *   a request is in progress
   */
  async #call(
    status: number | readonly number[],
    method: string,
    path: string,
    caller?: Pick<Caller, "token">,
    body?: unknown,
    headers: object = {},
    // biome-ignore lint/suspicious/noExplicitAny: read where the shape is certain
  ): Promise<any> {
    const authorization = caller && { Authorization: `Bearer ${caller.token}` };
    const response = await this.#client.call(method, path, body, { ...authorization, ...headers });
    if (![status, 401].flat().includes(response.status)) {
      throw new Error(`${method} ${path} returned ${response.status} instead of ${status}`);
    }
    return response.json;
  }
}
