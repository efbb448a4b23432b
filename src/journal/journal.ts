import type { OperationId } from "../contract/operations.ts";
import type { PointId } from "../contract/points.ts";
import type { CompanyNames } from "../store/callers.ts";
import { type Exchange, type Messages, noMessages, type SentHeaders } from "./exchange.ts";
import { type JournalEntry, journalEntry } from "./journal-entry.ts";
import { shownBodyLength } from "./masking.ts";

/** Which entries are meant: those that fit everything that is given. */
export interface EntryFilter {
  /** An id, a slug of the sandbox environment, or `live/SLUG`. */
  readonly company?: string | undefined;
  readonly operation?: OperationId | undefined;
  readonly status?: number | undefined;
  readonly point?: PointId | undefined;
  readonly scenario?: string | undefined;
  /** In any letter case. */
  readonly idempotency_key?: string | undefined;
}

/** Which entries are meant, and which part of them. */
export interface JournalFilter extends EntryFilter {
  /** At most so many; default 50. */
  readonly limit?: number | undefined;
  /** Those that are listed after the entry with this id, which are older. */
  readonly after?: string | undefined;
}

/** Entries, the newest first. */
export interface JournalListing {
  readonly requests: readonly JournalEntry[];
  /** Whether there are more to list `after` the last of these. */
  readonly has_more: boolean;
}

/** A recorded request, its journal entry, and roughly its size in bytes of memory. */
export type Told = Pick<Kept, "exchange" | "entry" | "bytes">;

/** Whoever follows the journal. */
export interface JournalListener {
  readonly recorded: (told: Told) => void;
  /** There will be no more. */
  readonly ended: () => void;
}

const usualLimit = 50;

/** The memory of a recorded request without its texts, in bytes, measured on Node 20. */
const objectBytes = 1000;

/** A request that is kept as it was, until somebody wants to read it: most are never read. */
class Kept {
  readonly id: number;
  readonly exchange: Exchange;
  readonly bytes: number;
  #messages: Messages;
  #entry: JournalEntry | undefined;

  constructor(id: number, exchange: Exchange, messages: Messages) {
    this.id = id;
    this.exchange = exchange;
    this.#messages = messages;
    this.bytes = objectBytes + bytesOf(exchange, messages);
  }

  /** The journal entry, with masked secrets. It replaces the messages, so that nothing is kept twice. */
  get entry(): JournalEntry {
    if (!this.#entry) {
      this.#entry = journalEntry(this.id, this.exchange, this.#messages);
      this.#messages = noMessages;
    }
    return this.#entry;
  }
}

function bytesOf({ path, query }: Exchange, { requestHeaders, requestBody, responseBody }: Messages): number {
  return (
    path.length +
    query.length +
    charactersOf(requestHeaders) +
    textBytes(requestBody ?? "") +
    textBytes(responseBody ?? "")
  );
}

function charactersOf(headers: SentHeaders): number {
  if (headers.characters !== undefined) return headers.characters;
  let sum = 0;
  headers.forEach((value, name) => {
    sum += name.length + value.length;
  });
  return sum;
}

const beyondLatin1 = /[\u0100-\uffff]/;

/**
 * V8 keeps a text in one byte per character if all of it is Latin-1, and otherwise in two. The mask in a shown body is
 * not Latin-1.
 */
function textBytes(text: string): number {
  // Most bodies are short; looking at each of their characters took 5 µs for each order.
  if (text.length <= shownBodyLength) return 2 * text.length;
  const sent = beyondLatin1.test(text) ? 2 * text.length : text.length;
  return Math.max(sent, 2 * shownBodyLength);
}

/** The most bytes of memory that recorded requests take by default. */
export const defaultJournalBytes = 64 * 1024 * 1024;

/** The latest requests of the service, in memory; a ring, so that the oldest goes at no cost. */
export class Journal {
  readonly #limit: number;
  readonly #mostBytes: number;
  readonly #ring: (Kept | undefined)[] = [];
  readonly #listeners = new Set<JournalListener>();
  /** Of the newest entry; an id is given once, and `clear` does not begin anew. */
  #lastId = 0;
  /** How many are kept; their ids are those up to the last. */
  #kept = 0;
  /** The memory of the kept requests, in bytes. */
  #bytes = 0;

  /**
   * @param limit - the most requests to keep; with 0 none is kept, and only listeners are called
   * @param mostBytes - the most bytes of memory that they may use
   */
  constructor(limit: number, mostBytes = defaultJournalBytes) {
    this.#limit = limit;
    this.#mostBytes = mostBytes;
  }

  /** @returns its id */
  record(exchange: Exchange, messages: Messages): number {
    const id = ++this.#lastId;
    if (this.#limit === 0 && this.#listeners.size === 0) return id;
    const kept = new Kept(id, exchange, messages);
    if (this.#limit > 0) this.#keep(kept);
    for (const listener of this.#listeners) listener.recorded(kept);
    return id;
  }

  #keep(kept: Kept): void {
    if (this.#kept === this.#limit) this.#forgetOldest(kept.id - this.#limit);
    this.#ring[kept.id % this.#limit] = kept;
    this.#kept++;
    this.#bytes += kept.bytes;
    while (this.#bytes > this.#mostBytes) this.#forgetOldest(kept.id - this.#kept + 1);
  }

  #forgetOldest(id: number): void {
    this.#bytes -= this.#ring[id % this.#limit]?.bytes ?? 0;
    this.#ring[id % this.#limit] = undefined;
    this.#kept--;
  }

  list({ limit = usualLimit, after, ...filter }: JournalFilter = {}): JournalListing {
    const fits = entryTest(filter);
    const requests: JournalEntry[] = [];
    const newest = after === undefined ? this.#lastId : Math.min(Number(after) - 1, this.#lastId);
    for (let id = newest; id > this.#lastId - this.#kept; id--) {
      const kept = this.#at(id);
      if (!kept || !fits(kept.exchange)) continue;
      if (requests.length === limit) return { requests, has_more: true };
      requests.push(kept.entry);
    }
    return { requests, has_more: false };
  }

  /** Those that were recorded since the entry with this id, the oldest first; all of them where it is yet to come. */
  since(id: number, filter: EntryFilter): Told[] {
    const fits = entryTest(filter);
    const entries: Told[] = [];
    const oldest = this.#lastId - this.#kept + 1;
    for (let next = id > this.#lastId ? oldest : Math.max(oldest, id + 1); next <= this.#lastId; next++) {
      const kept = this.#at(next);
      if (kept && fits(kept.exchange)) entries.push(kept);
    }
    return entries;
  }

  get(id: string): JournalEntry | undefined {
    const entry = this.#at(Number(id))?.entry;
    return entry?.id === id ? entry : undefined;
  }

  clear(): void {
    this.#ring.fill(undefined);
    this.#kept = 0;
    this.#bytes = 0;
  }

  /** @returns what ends the subscription */
  subscribe(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells whoever follows it that it is over. */
  end(): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener.ended();
  }

  #at(id: number): Kept | undefined {
    return id > this.#lastId - this.#kept ? this.#ring[id % this.#limit] : undefined;
  }
}

/** Whether a request fits a filter, by what was recorded of it: the company may be gone. */
export function entryTest(filter: EntryFilter): (exchange: Exchange) => boolean {
  const { operation, status, point, scenario } = filter;
  const key = filter.idempotency_key?.toLowerCase();
  const isOfCompany = companyTest(filter.company);
  return (exchange) =>
    (operation === undefined || exchange.operation === operation) &&
    (status === undefined || exchange.status === status) &&
    (point === undefined || exchange.point === point) &&
    (scenario === undefined || exchange.scenario === scenario) &&
    (key === undefined || exchange.idempotencyKey === key) &&
    isOfCompany(exchange);
}

/** Whether a request is of the company named; of any where none is. */
export function companyTest(
  name: string | undefined,
): (exchange: { readonly caller: CompanyNames | undefined }) => boolean {
  if (name === undefined) return () => true;
  const id = name.toLowerCase();
  const live = name.startsWith("live/");
  const slug = live ? name.slice("live/".length) : name;
  const environment = live ? "live" : "sandbox";
  return ({ caller }) =>
    caller !== undefined &&
    (caller.companyId === id || (caller.companySlug === slug && caller.environment === environment));
}
