// The corrected version of careless-client.mjs: whatever happens to a single request, or to two, it neither orders a
// card twice nor loses one.
import { setTimeout as wait } from "node:timers/promises";
import { Webhook } from "standardwebhooks";

const attempts = 6;
const backoffMs = 10;
const longestWaitMs = 60_000;

/** Why a call failed. `isUnknown`: it may have taken effect. Call it again with the same `idempotencyKey`. */
export class CardError extends Error {
  constructor({ status, body }, isUnknown, idempotencyKey) {
    super(`${status ?? "no response"}: ${body?.error?.message ?? body?.error ?? "try again"}`);
    this.status = status;
    this.isUnknown = isUnknown;
    this.idempotencyKey = idempotencyKey;
  }
}

export class CardClient {
  #url;
  #apiKey;
  #fetch;
  #timeoutMs;
  /** The promise of a token, which calls at the same time share. */
  #exchange;

  constructor(url, apiKey, { fetch = globalThis.fetch, timeoutMs = 2000 } = {}) {
    this.#url = url;
    this.#apiKey = apiKey;
    this.#fetch = fetch;
    this.#timeoutMs = timeoutMs;
  }

  orderPhysicalCard(order, idempotencyKey = crypto.randomUUID()) {
    return this.#call("POST", "/developer/cards/physical", order, idempotencyKey);
  }

  orderVirtualCard(order, idempotencyKey = crypto.randomUUID()) {
    return this.#call("POST", "/developer/cards/virtual", order, idempotencyKey);
  }

  /** Orders a card that replaces another one. */
  replaceCard(id, replacement, idempotencyKey = crypto.randomUUID()) {
    return this.#call("POST", `/developer/cards/${id}/replace`, replacement, idempotencyKey);
  }

  /** Makes a card unusable. */
  async freezeCard(id) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#call("POST", `/developer/cards/${id}/freeze`);
      } catch (error) {
        if (error.status !== 409) throw error;
        // An earlier attempt, whose response was lost, may have frozen it.
        const card = await this.#call("GET", `/developer/cards/${id}`);
        if (card.status === "frozen") return card;
        if (attempt === attempts) throw error;
        await wait(backoffMs * 2 ** attempt);
      }
    }
  }

  /** Lists all cards of the company. */
  async listCards() {
    const cards = [];
    let cursor = null;
    do {
      const query = cursor ? `?${new URLSearchParams({ cursor })}` : "";
      const page = await this.#call("GET", `/developer/cards${query}`);
      cards.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor);
    return cards;
  }

  /** Registers a webhook. Only its result has the secret. */
  async createWebhook(url, events) {
    const outcome = await retried(async (attempt) => {
      // A webhook has no key: the one of a lost response is deleted, because nobody knows its secret.
      if (attempt > 1) await this.#deleteWebhooks(url);
      return this.#attempt("POST", "/developer/webhooks", { url, events });
    });
    if (!isSuccess(outcome)) throw new CardError(outcome, isUnknown(outcome));
    return outcome.body;
  }

  async #deleteWebhooks(url) {
    const { data } = await this.#call("GET", "/developer/webhooks");
    for (const webhook of data.filter((each) => each.url === url)) {
      await this.#call("DELETE", `/developer/webhooks/${webhook.id}`).catch((error) => {
        if (error.status !== 404) throw error;
      });
    }
  }

  async #call(method, path, body, idempotencyKey) {
    let wasUnknown = false;
    const outcome = await retried(async () => {
      const { isTemporary, ...rest } = await this.#attempt(method, path, body, idempotencyKey);
      wasUnknown ||= isUnknown(rest);
      // With a key, a 409 means that the order, or another change, is in progress. A refusal after an attempt of unknown
      // outcome says nothing about that attempt: only the same key can.
      const mayRetry = idempotencyKey && (rest.status === 409 || wasUnknown);
      return { ...rest, isTemporary: isTemporary || mayRetry };
    });
    if (isSuccess(outcome)) return outcome.body;
    throw new CardError(outcome, wasUnknown, idempotencyKey);
  }

  async #attempt(method, path, body, idempotencyKey) {
    this.#exchange ??= retried(() =>
      this.#request("POST", "/auth/v1/sandbox/token", { api_key: this.#apiKey }),
    );
    const exchange = this.#exchange;
    const forget = () => {
      if (this.#exchange === exchange) this.#exchange = undefined;
    };
    const exchanged = await exchange;
    if (!isSuccess(exchanged)) {
      forget();
      return { ...exchanged, isTemporary: false };
    }
    const outcome = await this.#request(method, path, body, {
      Authorization: `Bearer ${exchanged.body.access_token}`,
      ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }),
    });
    if (outcome.status !== 401) return outcome;
    // The next attempt has a new token, and the same key.
    forget();
    return { ...outcome, isTemporary: true };
  }

  /** Sends a request once. Without a complete response, the outcome has no status. */
  async #request(method, path, body, headers) {
    const { status, retryAfter, text } = await this.#send(method, path, body, headers);
    let json;
    try {
      json = JSON.parse(text);
    } catch {
      return { isTemporary: true, retryAfterMs: 0 };
    }
    const retryAfterMs = Number(retryAfter ?? 0) * 1000;
    const isTemporary = [429, 502, 503].includes(status) && retryAfterMs <= longestWaitMs;
    return { status, body: json, isTemporary, retryAfterMs };
  }

  async #send(method, path, body, headers) {
    try {
      const response = await this.#fetch(this.#url + path, {
        method,
        signal: AbortSignal.timeout(this.#timeoutMs),
        headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, retryAfter: response.headers.get("Retry-After"), text };
    } catch {
      return { text: "" };
    }
  }
}

/** Repeats an attempt while its outcome is temporary, with backoff, and never before `Retry-After`. */
async function retried(attemptOnce) {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(attempt);
    if (!outcome.isTemporary || attempt === attempts) return outcome;
    await wait(Math.max(outcome.retryAfterMs, backoffMs * 2 ** attempt * (0.5 + Math.random() / 2)));
  }
}

function isSuccess({ status }) {
  return status >= 200 && status < 300;
}

/** Whether a request may have taken effect, although it did not succeed. */
function isUnknown({ status }) {
  return status === undefined || status >= 500;
}

/** Receives webhook events, and passes on each of them once. */
export class Inbox {
  #webhook;
  #onEvent;
  #processed = new Set();

  constructor(secret, onEvent) {
    this.#webhook = new Webhook(secret);
    this.#onEvent = onEvent;
  }

  /** @returns the status code of the response */
  receive(headers, body) {
    let event;
    try {
      // Checks the age of the timestamp too.
      event = this.#webhook.verify(body, headers);
    } catch {
      return 401;
    }
    const id = headers["webhook-id"];
    if (this.#processed.has(id)) return 204;
    this.#onEvent(event);
    this.#processed.add(id);
    return 204;
  }
}
