import type { Exchange } from "../exchange.ts";
import { type KeySent, keysSentIn } from "./keys-sent.ts";

/** As much of a request as bears a finding out: what a rule keeps of many. */
export interface Witness {
  readonly id: string;
  readonly muted: boolean;
  /** When it arrived, in real milliseconds. */
  readonly startedMs: number;
  readonly exchange: Pick<Exchange, "method" | "path" | "status" | "atMs" | "caller">;
}

/** A request as rules look at it. */
export class Seen implements Witness {
  /** Its id in the journal. */
  readonly id: string;
  readonly exchange: Exchange;
  /** It is wrong on purpose, and says so. */
  readonly muted: boolean;
  /**
   * The world that it was sent to: changes with its company, and with each reset. What a rule remembers of one
   * world means nothing in another, where the same keys, tokens and ids may come again.
   */
  readonly scope: string;
  /** The instance of a client that sent it, as far as that can be told: within its scope, by API key and User-Agent. */
  readonly client: string;
  /** How often somebody had armed or disarmed a scenario that concerns its company: a test's author was at work. */
  readonly armings: number;
  #json: { readonly value: unknown } | undefined;
  #keysSent: readonly KeySent[] | undefined;
  #answered: { readonly value: unknown } | undefined;

  /** @param world - what was counted in its company's world: its resets, and changes of what is armed */
  constructor(
    id: number,
    exchange: Exchange,
    world: { readonly generation: number; readonly armings: number },
  ) {
    const { caller, requestHeaders } = exchange;
    this.id = String(id);
    this.exchange = exchange;
    this.muted = requestHeaders.get("Sandbox-Test")?.trim().toLowerCase() === "negative";
    this.scope = `${caller?.companyId ?? ""}#${world.generation}`;
    this.armings = world.armings;
    this.client = `${this.scope} ${caller?.apiKeyId ?? ""} ${requestHeaders.get("User-Agent") ?? ""}`;
  }

  /** When it arrived, in real milliseconds. */
  get startedMs(): number {
    return this.exchange.startedMs;
  }

  /** When it was answered, in real milliseconds. */
  get endedMs(): number {
    return this.exchange.startedMs + this.exchange.durationMs;
  }

  /** What is to be kept of it where many are: bodies and headers are let go. */
  get witness(): Witness {
    const { id, muted, startedMs } = this;
    const { method, path, status, atMs, caller } = this.exchange;
    return { id, muted, startedMs, exchange: { method, path, status, atMs, caller } };
  }

  /** The body that was sent; undefined where it was none, or no JSON. */
  get json(): unknown {
    this.#json ??= { value: parsed(this.exchange.requestBody) };
    return this.#json.value;
  }

  /** The body that was answered; undefined where it was none, or did not arrive whole. */
  get answered(): unknown {
    this.#answered ??= { value: parsed(this.exchange.responseBody) };
    return this.#answered.value;
  }

  /** Whatever of it could be an API key, and where it stood. */
  get keysSent(): readonly KeySent[] {
    this.#keysSent ??= keysSentIn(this.exchange);
    return this.#keysSent;
  }

  /** Whether the client cannot know what became of it: 502, 503, or an answer that was lost (spec §7). */
  get isAmbiguous(): boolean {
    const { status, fault } = this.exchange;
    return status === 502 || status === 503 || status === undefined || fault === "response.truncated";
  }
}

function parsed(text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
