// The corrected version of careless-client.mjs.
import { setTimeout as wait } from "node:timers/promises";

export class CardClient {
  #url;
  #apiKey;
  #token;

  constructor(url, apiKey) {
    this.#url = url;
    this.#apiKey = apiKey;
  }

  /** Orders a card. The sum of `subscriptions`, monthly prices as decimal strings, becomes its spending limit. */
  async order({ accountId, subscriptions }) {
    const body = {
      account_id: accountId,
      pin: "4821",
      delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
      delivery_method: "express",
    };
    if (subscriptions) {
      const pence = subscriptions.map((price) => Math.round(Number(price) * 100));
      const amount = (pence.reduce((sum, each) => sum + each) / 100).toFixed(2);
      body.spending_limit = { period: "monthly", amount };
    }
    // All attempts of one order use the same key.
    const idempotencyKey = crypto.randomUUID();
    for (let attempt = 1; ; attempt++) {
      const response = await this.#post("/developer/cards/physical", body, idempotencyKey);
      if (response.status === 201) return response.json();
      if (response.status < 502 || attempt === 3) throw new Error(`${response.status}: no card`);
      await wait(150 * 2 ** attempt);
    }
  }

  async #post(path, body, idempotencyKey) {
    this.#token ??= await this.#exchange();
    return fetch(this.#url + path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.#token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": idempotencyKey,
      },
      body: JSON.stringify(body),
    });
  }

  async #exchange() {
    const body = JSON.stringify({ api_key: this.#apiKey });
    const response = await fetch(`${this.#url}/auth/v1/sandbox/token`, { method: "POST", body });
    return (await response.json()).access_token;
  }
}
