// A careful client in another style: it orders and freezes many cards at the same time over connections that it keeps,
// and gets a new access token in the background before the old one expires.
import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const rounds = 6;
const backoffMs = 10;

export class CardClient {
  #url;
  #apiKey;
  #now;
  #timeoutMs;
  #agent = new Agent({ keepAlive: true, maxSockets: 4 });
  /** Undefined until the first exchange, and after a 401. */
  #token;
  /** The exchange in progress, of which there is at most one. */
  #refresh;

  /** @param options - `now`: the client's clock */
  constructor(url, apiKey, { now = Date.now, timeoutMs = 2000 } = {}) {
    this.#url = url;
    this.#apiKey = apiKey;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Orders cards in parallel.
   * @returns for each order its `card`, or the `error` that refused it; neither if the outcome is unknown
   */
  async orderAll(orders) {
    // Each order keeps its key, in whichever round it is sent.
    const entries = orders.map((order) => ({ order, key: crypto.randomUUID(), isUnknown: false }));
    await this.#inRounds(entries, async (entry) => {
      const outcome = await this.#call("POST", "/developer/cards/virtual", entry.order, entry.key);
      if (outcome.status === 201) entry.card = outcome.body;
      // A refusal after a request of unknown outcome says nothing about that request.
      else if (isFinal(outcome) && !entry.isUnknown) entry.error = outcome;
      else entry.isUnknown ||= outcome.status === undefined || outcome.status >= 500;
      return entry.card || entry.error ? undefined : outcome;
    });
    return entries.map(({ card, error }) => ({ card, error }));
  }

  /**
   * Freezes cards in parallel.
   * @returns whether each of them is frozen
   */
  async freezeAll(ids) {
    const entries = ids.map((id) => ({ path: `/developer/cards/${id}`, isFrozen: false }));
    await this.#inRounds(entries, async (entry) => {
      const outcome = await this.#call("POST", `${entry.path}/freeze`);
      entry.isFrozen = outcome.status === 200;
      if (entry.isFrozen || (isFinal(outcome) && outcome.status !== 409)) return undefined;
      // The request may have frozen it, or an earlier one.
      const { body } = await this.#call("GET", entry.path);
      entry.isFrozen = body?.status === "frozen";
      return entry.isFrozen ? undefined : outcome;
    });
    return entries.map(({ isFrozen }) => isFrozen);
  }

  /** Waits for what it does in the background, and closes the connections. */
  async close() {
    await this.#refresh;
    this.#agent.destroy();
  }

  /**
   * Sends a request for each entry, all at the same time, and in the next round for those that are not done.
   * @param sendOnce - returns undefined if the entry is done, otherwise the outcome
   */
  async #inRounds(entries, sendOnce) {
    let open = entries;
    for (let round = 1; round <= rounds && open.length > 0; round++) {
      const outcomes = await Promise.all(open.map(sendOnce));
      open = open.filter((_, i) => outcomes[i]);
      const retryAfter = Math.max(0, ...outcomes.map((outcome) => Number(outcome?.retryAfter ?? 0)));
      if (open.length > 0) await wait(Math.max(retryAfter * 1000, backoffMs * 2 ** round));
    }
  }

  async #call(method, path, body, key) {
    const { token, refusal } = await this.#access();
    if (!token) return refusal ?? {};
    const outcome = await this.#send(method, path, body, {
      Authorization: `Bearer ${token.value}`,
      ...(key && { "Idempotency-Key": key }),
    });
    if (outcome.status === 401 && this.#token === token) this.#token = undefined;
    return outcome;
  }

  /** The token, or the refusal to issue one. Waits for an exchange only if there is no valid token. */
  async #access() {
    const token = this.#token;
    const isValid = token && this.#now() < token.expiresAtMs;
    if (isValid && this.#now() < token.refreshAtMs) return { token };
    this.#refresh ??= this.#exchange().finally(() => {
      this.#refresh = undefined;
    });
    if (isValid) return { token };
    const refusal = await this.#refresh;
    return { token: this.#token, refusal };
  }

  /** Gets a new token. If the service refuses it for good, returns the refusal. */
  async #exchange() {
    for (let round = 1; round <= rounds; round++) {
      const sentAtMs = this.#now();
      const outcome = await this.#send("POST", "/auth/v1/sandbox/token", { api_key: this.#apiKey });
      if (outcome.status === 200) {
        const { access_token, expires_at } = outcome.body;
        // Measured by the clock of the service, and used by the clock of the client.
        const lifetimeMs = Date.parse(expires_at) - Date.parse(outcome.date);
        this.#token = {
          value: access_token,
          refreshAtMs: sentAtMs + 0.7 * lifetimeMs,
          expiresAtMs: sentAtMs + 0.95 * lifetimeMs,
        };
        return undefined;
      }
      if (isFinal(outcome) || outcome.status === 401) {
        this.#token = undefined;
        return { ...outcome, isForKey: true };
      }
      await wait(Math.max(Number(outcome.retryAfter ?? 0) * 1000, backoffMs * 2 ** round));
    }
    return undefined;
  }

  /** @returns an empty object if there is no complete response in time */
  #send(method, path, body, headers) {
    const options = {
      method,
      agent: this.#agent,
      signal: AbortSignal.timeout(this.#timeoutMs),
      headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    };
    return new Promise((resolve) => {
      const lost = () => resolve({});
      const sent = request(this.#url + path, options, (response) => {
        read(response).then(resolve, lost);
      });
      sent.on("error", lost);
      sent.end(body && JSON.stringify(body));
    });
  }
}

async function read(response) {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  const { date, "retry-after": retryAfter } = response.headers;
  return { status: response.statusCode, body: JSON.parse(text), date, retryAfter };
}

/** Whether the service refuses the request for good. */
function isFinal({ status, isForKey }) {
  return isForKey || (status >= 400 && status < 500 && ![401, 409, 429].includes(status));
}
