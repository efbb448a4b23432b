import type { Exchange } from "../exchange.ts";
import type { CardOrder } from "./card-order.ts";
import { type KeySent, keysSentIn } from "./keys-sent.ts";

const noHeaders = new Headers();

/** A request as rules look at it. */
export class Seen {
  /** Its id in the journal. */
  readonly id: string;
  /** Without bodies and headers once every rule has seen it. */
  exchange: Exchange;
  /** Empty where it has none. */
  readonly userAgent: string;
  /** Its credentials, which are shown to nobody; empty where it has none. */
  readonly authorization: string;
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
  /** What it orders, once `cardOrderOf` has looked; null: nothing that is an order. */
  order: CardOrder | null | undefined;
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
    this.userAgent = requestHeaders.get("User-Agent") ?? "";
    this.authorization = requestHeaders.get("Authorization") ?? "";
    // Row numbers, which are never used again: what many rules go by is to be short.
    this.scope = `${caller?.companyPk ?? ""}#${world.generation}`;
    this.armings = world.armings;
    this.client = `${this.scope} ${caller?.apiKeyPk ?? ""} ${this.userAgent}`;
  }

  /** When it arrived, in real milliseconds. */
  get startedMs(): number {
    return this.exchange.startedMs;
  }

  /** When it was answered, in real milliseconds. */
  get endedMs(): number {
    return this.exchange.startedMs + this.exchange.durationMs;
  }

  /** Lets go of bodies and headers: what rules remember is to be small, whatever was sent. */
  release(): void {
    const { exchange } = this;
    // Written out: to spread it costs several times as much.
    this.exchange = {
      method: exchange.method,
      path: exchange.path,
      query: exchange.query,
      operation: exchange.operation,
      requestHeaders: noHeaders,
      requestBody: undefined,
      idempotencyKey: exchange.idempotencyKey,
      caller: exchange.caller,
      point: exchange.point,
      status: exchange.status,
      responseHeaders: exchange.responseHeaders,
      responseBody: undefined,
      scenario: exchange.scenario,
      fault: exchange.fault,
      atMs: exchange.atMs,
      startedMs: exchange.startedMs,
      durationMs: exchange.durationMs,
      defect: exchange.defect,
    };
    this.#json = undefined;
    this.#answered = undefined;
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

/** Nothing that a client means is nested so deeply, and to walk it would take more than there is. */
const deepest = 100;

function parsed(text: string | undefined): unknown {
  if (text === undefined || text === "" || isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** In ASCII one bit tells braces from square brackets. */
const braceBit = 0x20;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Counts brackets, within strings too: that only takes a strange body for none. */
function isTooDeep(text: string): boolean {
  if (text.length < 2 * deepest) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) | braceBit;
    if (code === openBrace && ++depth > deepest) return true;
    if (code === closeBrace) depth--;
  }
  return false;
}
