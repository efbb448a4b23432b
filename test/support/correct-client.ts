import { base } from "./open-sandbox.ts";
import type { VirtualTime } from "./virtual-time.ts";

interface ClientPorts {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly time: VirtualTime;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
}

interface ClientConfig {
  readonly apiKey: string;
  readonly userAgent: string;
  readonly onBehalfOf?: string | undefined;
}

/** The last response of the service; undefined if there was none. */
export interface Outcome {
  readonly status: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any operation
  readonly json: any;
}

interface Attempted extends Outcome {
  readonly retryAfterMs: number;
}

interface Token {
  readonly value: string;
  readonly refreshAtMs: number;
}

const mostAttempts = 5;
const timeoutMs = 8000;
/** How long it sends nothing after a new token was refused, or none was issued. */
const lockOutMs = 30_000;
const lost: Attempted = { status: undefined, json: undefined, retryAfterMs: 0 };

/** A client without mistakes: findings about it are false alarms. */
export class CorrectClient {
  readonly #ports: ClientPorts;
  readonly #config: ClientConfig;
  #token: Token | undefined;
  #lockedUntilMs = 0;
  #exchange: Promise<Token | undefined> | undefined;

  constructor(ports: ClientPorts, config: ClientConfig) {
    this.#ports = ports;
    this.#config = config;
  }

  /** Calls an operation, and retries; a key is sent with every attempt. */
  async call(method: string, path: string, body?: unknown, key?: string): Promise<Outcome> {
    let isExchangedAgain = false;
    for (let attempt = 1; ; attempt++) {
      const token = await this.#freshToken();
      if (!token) return lost;
      const outcome = await this.#attempt(method, path, body, {
        Authorization: `Bearer ${token.value}`,
        ...(key !== undefined && { "Idempotency-Key": key }),
        ...(this.#config.onBehalfOf !== undefined && { "X-On-Behalf-Of": this.#config.onBehalfOf }),
      });
      if (outcome.status === 401) {
        if (this.#token === token) this.#token = undefined;
        if (isExchangedAgain) return this.#lockedOut();
        isExchangedAgain = true;
        continue;
      }
      if (!isTemporary(outcome, key !== undefined) || attempt >= mostAttempts) return outcome;
      await this.#backOff(attempt, outcome);
    }
  }

  /** Orders a card with a new key; if it has to give up, it looks for the card in the list. */
  async order(path: string, body: unknown): Promise<Outcome> {
    const outcome = await this.call("POST", path, body, this.#uuid());
    if (outcome.status === undefined || outcome.status >= 500) await this.all("/developer/cards");
    return outcome;
  }

  /** All rows of a list. */
  async all(path: string, filters: Readonly<Record<string, string>> = {}): Promise<Outcome["json"][]> {
    const rows: Outcome["json"][] = [];
    let cursor: string | null = null;
    do {
      const query: string = new URLSearchParams({ ...filters, ...(cursor && { cursor }) }).toString();
      const { status, json } = await this.call("GET", query ? `${path}?${query}` : path);
      if (status !== 200) return rows;
      rows.push(...json.data);
      cursor = json.next_cursor;
    } while (cursor);
    return rows;
  }

  /** Exchanges the key once at a time, a while before the token expires by its own clock. */
  async #freshToken(): Promise<Token | undefined> {
    const { nowMs } = this.#ports.time;
    if (nowMs < this.#lockedUntilMs) return undefined;
    if (this.#token && nowMs < this.#token.refreshAtMs) return this.#token;
    this.#exchange ??= this.#exchanged().finally(() => {
      this.#exchange = undefined;
    });
    return this.#exchange;
  }

  async #exchanged(): Promise<Token | undefined> {
    const { apiKey } = this.#config;
    const path = apiKey.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      const outcome = await this.#attempt("POST", path, { api_key: apiKey }, {});
      if (outcome.status === 200) {
        const { access_token, expires_at, answeredAt } = outcome.json;
        const lifetimeMs = Date.parse(expires_at) - answeredAt;
        const marginMs = Math.min(30_000, lifetimeMs / 4);
        this.#token = { value: access_token, refreshAtMs: this.#ports.time.nowMs + lifetimeMs - marginMs };
        return this.#token;
      }
      if (!isTemporary(outcome, true)) break;
      await this.#backOff(attempt, outcome);
    }
    this.#lockedOut();
    return undefined;
  }

  #lockedOut(): Outcome {
    this.#lockedUntilMs = this.#ports.time.nowMs + lockOutMs;
    return lost;
  }

  async #attempt(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Attempted> {
    const { time, fetch } = this.#ports;
    const timeout = new AbortController();
    const request = new Request(base + path, {
      method,
      signal: timeout.signal,
      headers: {
        "User-Agent": this.#config.userAgent,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const patience = time.sleep(timeoutMs);
    void patience.over.then(() => timeout.abort());
    try {
      return await time.during(fetch(request).then(read));
    } catch {
      return lost;
    } finally {
      patience.cancel();
    }
  }

  /** Waits twice as long each time, half of it random, and never less than `Retry-After`. */
  async #backOff(attempt: number, { retryAfterMs }: Attempted): Promise<void> {
    const ms = 500 * 2 ** attempt * (0.5 + this.#ports.random() / 2);
    await this.#ports.time.sleep(Math.max(ms, retryAfterMs * (1 + this.#ports.random() / 5))).over;
  }

  #uuid(): string {
    const digit = () => Math.floor(this.#ports.random() * 16).toString(16);
    return "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, digit);
  }
}

async function read(response: Response): Promise<Attempted> {
  const answeredAt = Date.parse(response.headers.get("Date") ?? "");
  const text = await response.text();
  const retryAfterMs = Number(response.headers.get("Retry-After") ?? 0) * 1000;
  const json = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, json: { ...json, answeredAt }, retryAfterMs };
}

/** Whether a retry may succeed; 409 if a key or a card is in progress. */
function isTemporary({ status, json }: Outcome, isKeyed: boolean): boolean {
  if (status === undefined || status === 429 || status === 502 || status === 503) return true;
  return status === 409 && isKeyed && /in progress/.test(JSON.stringify(json ?? ""));
}
