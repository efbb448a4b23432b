// A client that passes its tests with twelve planted mistakes. Each of them shows only if a certain request goes wrong,
// so only a sweep finds them. careful-client.mjs is the corrected version; suite.mjs tests both.
import { setTimeout as wait } from "node:timers/promises";
import { Webhook } from "standardwebhooks";

const attempts = 3;
const backoffMs = 20;
const timeoutMs = 2000;

export class CardClient {
  #url;
  #apiKey;
  #token;

  constructor(url, apiKey) {
    this.#url = url;
    this.#apiKey = apiKey;
  }

  /** Orders a physical card. Each retry begins the order again, and so creates a new key. */
  async orderPhysicalCard(order, attempt = 1) {
    const again = async () => {
      await wait(backoffMs);
      return this.orderPhysicalCard(order, attempt + 1);
    };
    const mayRetry = attempt < attempts;
    let response;
    try {
      response = await this.#send("POST", "/developer/cards/physical", order, crypto.randomUUID());
    } catch (error) {
      // Mistake 1: a new key after a timeout.
      if (mayRetry && error.name === "TimeoutError") return again();
      // Mistake 2: a new key after a lost response.
      if (mayRetry) return again();
      throw error;
    }
    // Mistake 3: a new key after 502 and 503.
    if (mayRetry && response.status >= 502) return again();
    if (response.status !== 201) throw new Error(`${response.status}: no card`);
    try {
      return await response.json();
    } catch (error) {
      // Mistake 4: a new key after a truncated body.
      if (mayRetry) return again();
      throw error;
    }
  }

  /** Orders a virtual card. The retries of lost responses have the key of the order, but other retries do not. */
  async orderVirtualCard(order, attempt = 1) {
    const key = crypto.randomUUID();
    for (; attempt <= attempts; attempt++) {
      let response, body;
      try {
        response = await this.#send("POST", "/developer/cards/virtual", order, key);
        body = await response.json();
      } catch {
        await wait(backoffMs);
        continue;
      }
      if (response.status === 201) return body;
      // Mistake 5: takes the 409 of an order in progress for its end, and orders again with a new key.
      if (response.status === 409) return this.orderVirtualCard(order, attempt + 1);
      if (response.status === 401) {
        this.#token = undefined;
        // Mistake 6: orders again with a new key after it has refreshed its token, although the order may be a retry.
        return this.orderVirtualCard(order, attempt + 1);
      }
      // Mistake 7: retries every other error too, such as a 422, which is final.
      await wait(backoffMs);
    }
    throw new Error("no card");
  }

  /** Orders a card that replaces another one. */
  async replaceCard(id, replacement) {
    // Mistake 8: gives up if the response is lost. Nobody looks for the new card.
    const path = `/developer/cards/${id}/replace`;
    const response = await this.#send("POST", path, replacement, crypto.randomUUID());
    if (response.status !== 201) throw new Error(`${response.status}: no card`);
    // Mistake 9: gives up if the body is truncated, although the status says that there is a card.
    return response.json();
  }

  /** Makes a card unusable. */
  async freezeCard(id, attempt = 1) {
    let response;
    try {
      response = await this.#send("POST", `/developer/cards/${id}/freeze`);
      if (response.status === 200) return await response.json();
    } catch {
      if (attempt < attempts) return this.freezeCard(id, attempt + 1);
    }
    // Mistake 10: if the response was lost, the retry gets 409, because the card is frozen. This takes it for an error,
    // and terminates the card.
    response = await this.#send("POST", `/developer/cards/${id}/terminate`);
    if (response.status !== 200) throw new Error(`${response.status}: the card may be active`);
    return response.json();
  }

  /** Lists the cards of the company. */
  async listCards() {
    const token = await this.#accessToken();
    // Mistake 11: no timeout.
    const response = await fetch(`${this.#url}/developer/cards`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (response.status !== 200) throw new Error(`${response.status}: no list`);
    return (await response.json()).data;
  }

  /** Registers a webhook. Only its result has the secret. */
  async createWebhook(url, events) {
    const response = await this.#send("POST", "/developer/webhooks", { url, events });
    if (response.status !== 201) throw new Error(`${response.status}: no webhook`);
    return response.json();
  }

  async #send(method, path, body, idempotencyKey) {
    return fetch(this.#url + path, {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        Authorization: `Bearer ${await this.#accessToken()}`,
        ...(body && { "Content-Type": "application/json" }),
        ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  async #accessToken() {
    if (this.#token) return this.#token;
    const response = await fetch(`${this.#url}/auth/v1/sandbox/token`, {
      method: "POST",
      signal: AbortSignal.timeout(timeoutMs),
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ api_key: this.#apiKey }),
    });
    if (response.status !== 200) throw new Error(`${response.status}: no token`);
    this.#token = (await response.json()).access_token;
    return this.#token;
  }
}

/** Receives webhook events, and passes on their data. */
export class Inbox {
  #webhook;
  #onEvent;

  constructor(secret, onEvent) {
    this.#webhook = new Webhook(secret);
    this.#onEvent = onEvent;
  }

  /** @returns the status code of the response */
  receive(headers, body) {
    let event;
    try {
      event = this.#webhook.verify(body, headers);
    } catch {
      return 401;
    }
    // Mistake 12: processes an event that is delivered twice a second time.
    this.#onEvent(event);
    return 204;
  }
}
