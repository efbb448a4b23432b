import { type Exchange, type Messages, noMessages } from "../exchange.ts";
import type { CardOrder } from "./card-order.ts";
import { type KeySent, keysSentIn } from "./keys-sent.ts";
import type { ListAsked } from "./list-asked.ts";
import { Recent } from "./recent.ts";
import type { Sender } from "./senders.ts";

/** A body that was read. */
export interface SentBody {
  /** Undefined where it was none, or no JSON. */
  readonly value: unknown;
  /** What it orders where it is sent to this path, once that was read out of it. */
  meaning: { readonly path: string; readonly text: string } | undefined;
}

/** A request as rules look at it. */
export class Seen {
  readonly #id: number;
  readonly exchange: Exchange;
  /** None any more once every rule has seen it. */
  messages: Messages;
  readonly sender: Sender;
  /** It is wrong on purpose, and says so. */
  readonly muted: boolean;
  /** How often somebody had armed or disarmed a scenario that concerns its company: a test's author was at work. */
  readonly armings: number;
  /** What it orders, once `cardOrderOf` has looked; null: nothing that is an order. */
  order: CardOrder | null | undefined;
  /** What it asks of a list, once `listAsked` has looked; null: it is of no list. */
  list: ListAsked | null | undefined;
  #sent: SentBody | undefined;
  #keysSent: readonly KeySent[] | undefined;
  #answered: { readonly value: unknown } | undefined;

  /** @param armings - how often what is armed in its company's world had been changed */
  constructor(id: number, exchange: Exchange, messages: Messages, sender: Sender, armings: number) {
    this.#id = id;
    this.exchange = exchange;
    this.sender = sender;
    this.messages = messages;
    this.muted = messages.requestHeaders.get("Sandbox-Test")?.trim().toLowerCase() === "negative";
    this.armings = armings;
  }

  /** Its id in the journal. */
  get id(): string {
    return String(this.#id);
  }

  get scope(): string {
    return this.sender.scope;
  }

  get client(): string {
    return this.sender.client;
  }

  get userAgent(): string {
    return this.sender.userAgent;
  }

  get authorization(): string {
    return this.sender.authorization;
  }

  /** When it arrived, in real milliseconds. */
  get startedMs(): number {
    return this.exchange.startedMs;
  }

  /** When it was answered, in real milliseconds. */
  get endedMs(): number {
    return this.exchange.startedMs + this.exchange.durationMs;
  }

  /** When the client had the response, or stopped waiting for it, in real milliseconds. */
  get awaitedMs(): number {
    return this.exchange.abortedMs ?? this.endedMs;
  }

  /** Lets go of what was said: what rules remember is to be small, whatever was sent. */
  release(): void {
    this.messages = noMessages;
    this.#sent = undefined;
    this.#answered = undefined;
    this.list = undefined;
    // Each is a part of a body or a header, and would keep all of it.
    this.#keysSent = undefined;
  }

  get sent(): SentBody {
    this.#sent ??= readOnce(this.messages.requestBody);
    return this.#sent;
  }

  /** The body that was sent; undefined where it was none, or no JSON. */
  get json(): unknown {
    return this.sent.value;
  }

  /** The body that was answered; undefined where it was none, or did not arrive whole. */
  get answered(): unknown {
    this.#answered ??= { value: parsed(this.messages.responseBody) };
    return this.#answered.value;
  }

  /** Whatever of it could be an API key, and where it stood. */
  get keysSent(): readonly KeySent[] {
    this.#keysSent ??= keysSentIn(this.exchange, this.messages);
    return this.#keysSent;
  }

  /** Whether the client cannot know what became of it: 502, 503, or an answer that was lost (spec §7). */
  get isAmbiguous(): boolean {
    const { status, fault } = this.exchange;
    return status === 502 || status === 503 || status === undefined || fault === "response.truncated";
  }
}

/** Of the latest bodies: most requests of a run are alike, and share what was sent. No rule changes it. */
const bodiesRead = new Recent<string, SentBody>(200);
/** What is longer is not kept. */
const longestKept = 2000;

function readOnce(text: string | undefined): SentBody {
  const known = text === undefined ? undefined : bodiesRead.get(text);
  if (known) return known;
  const body = { value: parsed(text), meaning: undefined };
  if (text !== undefined && text.length <= longestKept) bodiesRead.set(text, body);
  return body;
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
