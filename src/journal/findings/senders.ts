import type { Caller } from "../../store/callers.ts";
import type { Exchange, Messages } from "../exchange.ts";
import { KeyMemories } from "./key-memory.ts";
import type { Seen } from "./seen.ts";

/** Who sent a request, as far as that can be told. */
export interface Sender {
  /**
   * The world that it was sent to: changes with its company, and with each reset. What a rule remembers of one
   * world means nothing in another, where the same keys, tokens and ids may come again.
   */
  readonly scope: string;
  /** The instance of a client: within its scope, by API key and User-Agent. */
  readonly client: string;
  /**
   * One object of a client, more narrowly: whatever shares an access token. A test that makes a client of its own
   * exchanges the key anew, and has another. It holds the token: never show it.
   */
  readonly instance: string;
  /** Empty where it has none. */
  readonly userAgent: string;
  /** Its credentials, which are shown to nobody; empty where it has none. */
  readonly authorization: string;
  /** The access token among them, as far as there is one. */
  readonly token: string | undefined;
  /** What is remembered of the Idempotency-Keys, whoever sent them. */
  readonly keys: KeyMemories;
}

/** Tells senders apart. Requests of the same sender share what says so, since rules keep many of them. */
export class Senders {
  readonly #keys = new KeyMemories();
  readonly #latest = new WeakMap<Caller, Sender & { readonly generation: number }>();

  /** @param generation - how often the company's world was put back */
  of({ caller }: Exchange, { requestHeaders }: Messages, generation: number): Sender {
    const userAgent = requestHeaders.get("User-Agent") ?? "";
    const authorization = requestHeaders.get("Authorization") ?? "";
    const latest = caller && this.#latest.get(caller);
    if (
      latest?.generation === generation &&
      latest.userAgent === userAgent &&
      latest.authorization === authorization
    ) {
      return latest;
    }
    // Row numbers, which are never used again: what many rules go by is to be short.
    const scope = `${caller?.companyPk ?? ""}#${generation}`;
    const client = `${scope} ${caller?.apiKeyPk ?? ""} ${userAgent}`;
    const instance = `${client} ${authorization}`;
    const token = /^bearer +([^ ]+) *$/i.exec(authorization)?.[1];
    const sender = { scope, client, instance, userAgent, authorization, token, keys: this.#keys, generation };
    if (caller) this.#latest.set(caller, sender);
    return sender;
  }
}

/** One object of a client; it holds the token: never show it. */
export function instanceOf({ sender }: Seen): string {
  return sender.instance;
}

/**
 * A client over its whole run, more widely than `Seen.client`: neither a reset, nor another key, nor a company of each
 * test's own makes another program of it. For what only shows over many requests, such as whether it ever retries.
 */
export function programOf({ userAgent }: Seen): string {
  return userAgent;
}
