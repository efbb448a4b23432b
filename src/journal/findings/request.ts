import type { OperationId } from "../../contract/operations.ts";
import { type Exchange, type Messages, noMessages } from "../exchange.ts";
import { type CardOrder, membersShareKeys, readCardOrder } from "./card-order.ts";
import { type ListRequest, readListRequest } from "./list-request.ts";

/** A text in a request that may be an API key. */
export interface PossibleKey {
  /** A secret: never show it. */
  readonly text: string;
  readonly place: "header" | "path" | "query" | "body";
  /** The header's name, in lower case. */
  readonly header?: string;
}

/** An access token from the response of a token endpoint. */
export interface IssuedToken {
  /** A secret: never show it. */
  readonly token: string;
  /** By the company's clock. */
  readonly expiresAtMs: number;
}

/**
 * A request as rules observe it. Rules may keep it: after all rules have run, `release` drops its headers, bodies and
 * everything parsed from them except `order`.
 */
export class ObservedRequest {
  readonly #id: number;
  readonly #apiKeyPk: number | undefined;
  #parse: typeof parseJson;
  readonly exchange: Exchange;
  messages: Messages;
  /**
   * The company and its generation, which changes with each reset. Keys, tokens and ids are only comparable within a
   * scope.
   */
  readonly scope: string;
  /** Empty if the request has none. */
  readonly userAgent: string;
  /** The request has the header `Sandbox-Test: negative`. */
  readonly muted: boolean;
  /** How often scenarios for its company had been armed or disarmed: a change shows that a test intervened. */
  readonly armings: number;
  /** For an order: the first request of each member that sent its key before in the same scope and operation. */
  firstWithKey: readonly ObservedRequest[] = none;
  #client: string | undefined;
  #instance: string | undefined;
  #json: { readonly value: unknown } | undefined;
  #response: { readonly value: unknown } | undefined;
  #order: { readonly value: CardOrder | undefined } | undefined;
  #list: { readonly value: ListRequest | undefined } | undefined;
  #possibleKeys: readonly PossibleKey[] | undefined;

  /**
   * @param generation - how often the company's world was reset
   * @param parse - parses the body of the request
   */
  constructor(
    id: number,
    exchange: Exchange,
    messages: Messages,
    generation: number,
    armings: number,
    parse: typeof parseJson,
  ) {
    this.#parse = parse;
    const { caller } = exchange;
    this.#id = id;
    this.#apiKeyPk = caller?.apiKeyPk;
    this.exchange = exchange;
    this.messages = messages;
    this.armings = armings;
    // Row numbers are short and never reused.
    this.scope = `${caller?.companyPk ?? ""}#${generation}`;
    this.userAgent = messages.requestHeaders.get("User-Agent") ?? "";
    this.muted = messages.requestHeaders.get("Sandbox-Test")?.trim().toLowerCase() === "negative";
  }

  /** Its id in the journal. */
  get id(): string {
    return String(this.#id);
  }

  /** A client instance, by scope, API key and User-Agent. */
  get client(): string {
    this.#client ??= `${this.scope} ${this.#apiKeyPk ?? ""} ${this.userAgent}`;
    return this.#client;
  }

  /**
   * A client instance, by `client` and access token: a test that creates its own client also exchanges the key again.
   * Contains the token: never show it.
   */
  get instance(): string {
    this.#instance ??= `${this.client} ${this.authorization}`;
    return this.#instance;
  }

  /**
   * A client over its whole run, across resets, API keys and companies. For habits that only many requests show, such
   * as whether a client ever retries.
   */
  get program(): string {
    return this.userAgent;
  }

  /** Secret credentials: never show them. Empty if the request has none. */
  get authorization(): string {
    return this.messages.requestHeaders.get("Authorization") ?? "";
  }

  /** The access token that it was sent with; a secret. */
  get token(): string | undefined {
    return /^bearer +([^ ]+) *$/i.exec(this.authorization)?.[1];
  }

  /** The time of arrival, in real milliseconds. */
  get startedMs(): number {
    return this.exchange.startedMs;
  }

  /** The time of the response, in real milliseconds. */
  get endedMs(): number {
    return this.exchange.startedMs + this.exchange.durationMs;
  }

  /** When the client had the response, or stopped waiting for it, in real milliseconds. */
  get awaitedMs(): number {
    return this.exchange.abortedMs ?? this.endedMs;
  }

  /** Whether the client cannot know the outcome: 502, 503, or a lost or incomplete response (spec §7). */
  get isAmbiguous(): boolean {
    const { status, fault } = this.exchange;
    return status === 502 || status === 503 || status === undefined || fault === "response.truncated";
  }

  /** The response, in a sentence about this request: "The client got …". */
  get received(): string {
    const { status, fault } = this.exchange;
    if (status === undefined) return "no response";
    return fault === "response.truncated" ? "an incomplete response" : String(status);
  }

  /** Whether it is a request to a token endpoint. */
  get isExchange(): boolean {
    const { operation } = this.exchange;
    return operation === "exchangeSandboxKey" || operation === "exchangeLiveKey";
  }

  /** The access token in the response. */
  get issuedToken(): IssuedToken | undefined {
    if (this.exchange.point !== "token.issued") return undefined;
    const { access_token: token, expires_at } = (this.response ?? {}) as Fields;
    if (typeof token !== "string" || typeof expires_at !== "string") return undefined;
    return { token, expiresAtMs: Date.parse(expires_at) };
  }

  /** The JSON body of the request; undefined if it has none. */
  get json(): unknown {
    this.#json ??= { value: this.#parse(this.messages.requestBody) };
    return this.#json.value;
  }

  /** The JSON body of the response; undefined if it has none, or was not delivered completely. */
  get response(): unknown {
    this.#response ??= { value: parseJson(this.messages.responseBody) };
    return this.#response.value;
  }

  /** The card that the request orders under an Idempotency-Key. */
  get order(): CardOrder | undefined {
    this.#order ??= { value: readCardOrder(this, fieldsOf(this.json)) };
    return this.#order.value;
  }

  /** For an order: the member's first request with the same key, if that is not the order itself. */
  get firstWithOwnKey(): ObservedRequest | undefined {
    if (membersShareKeys(this.exchange)) return this.firstWithKey[0];
    const memberPk = this.exchange.caller?.memberPk;
    return this.firstWithKey.find(({ exchange }) => exchange.caller?.memberPk === memberPk);
  }

  /** The list that the request reads. */
  get list(): ListRequest | undefined {
    this.#list ??= { value: readListRequest(this) };
    return this.#list.value;
  }

  get possibleKeys(): readonly PossibleKey[] {
    this.#possibleKeys ??= readPossibleKeys(this.exchange, this.messages);
    return this.#possibleKeys;
  }

  /**
   * The scenario that the request itself chooses, in a header or in the `name` of its body; empty if it chooses none. A
   * client that repeats a request repeats this choice.
   */
  get chosenScenario(): string {
    const { requestHeaders } = this.messages;
    const name = fieldsOf(this.json)?.name;
    return [
      requestHeaders.get("Sandbox-Scenario") ?? "",
      requestHeaders.get("Prefer") ?? "",
      typeof name === "string" && name.startsWith("scenario:") ? name : "",
    ]
      .join(" ")
      .trim();
  }

  release(): void {
    this.#parse = parseJson;
    this.messages = noMessages;
    this.#instance = undefined;
    this.#json = undefined;
    this.#response = undefined;
    this.#list = undefined;
    this.#possibleKeys = undefined;
  }
}

const none: readonly ObservedRequest[] = [];

export type Fields = Readonly<Record<string, unknown>>;

/** A JSON object; undefined for any other value. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

const operationsWithLimit = new Set<OperationId>(["orderPhysicalCard", "orderVirtualCard"]);

/** The spending limit that a request sets; undefined if it sets none. */
export function limitOf({ exchange: { operation }, json }: ObservedRequest): Fields | undefined {
  if (operation === "setSpendingLimit") return fieldsOf(json);
  if (operation === undefined || !operationsWithLimit.has(operation)) return undefined;
  return fieldsOf(fieldsOf(json)?.spending_limit);
}

const noKeys: readonly PossibleKey[] = [];
const possibleKey = /(?<![A-Za-z0-9])sk_[A-Za-z0-9_]+/g;

/** Finds all texts that start like an API key (spec §2). */
function readPossibleKeys(
  { path, query }: Exchange,
  { requestHeaders, requestBody }: Messages,
): readonly PossibleKey[] {
  let keys: PossibleKey[] | undefined;
  const search = (text: string, place: PossibleKey["place"], header?: string) => {
    if (!text.includes("sk_")) return;
    for (const [key] of text.matchAll(possibleKey)) {
      keys ??= [];
      keys.push({ text: key, place, ...(header !== undefined && { header }) });
    }
  };
  requestHeaders.forEach((value, name) => {
    search(name === "authorization" ? basicDecoded(value) : value, "header", name);
  });
  search(percentDecoded(path), "path");
  search(percentDecoded(query), "query");
  search(requestBody ?? "", "body");
  return keys ?? noKeys;
}

/** Basic credentials encode a key in base64. */
function basicDecoded(value: string): string {
  const [, credentials] = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(value) ?? [];
  if (credentials === undefined) return value;
  try {
    return atob(credentials);
  } catch {
    return value;
  }
}

/** Malformed text stays as it is. */
export function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Real clients do not nest deeper, and recursive code would overflow the stack. */
const deepest = 100;

/** Undefined if a text is absent, is not JSON or nests too deeply. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined || text === "" || isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses equal texts once: clients under load often send the same body. Measured gain: 4 % more orders. */
export function parseOnce(): typeof parseJson {
  const values = new Map<string | undefined, unknown>();
  return (text) => {
    if (!values.has(text)) values.set(text, parseJson(text));
    return values.get(text);
  };
}

/** Square brackets and braces differ in one bit of ASCII. */
const braceBit = 0x20;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Counts brackets, including those in strings: an unusual body may count as too deep. */
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
