import type { OperationId } from "../contract/operations.ts";
import type { ContractPointId } from "../contract/points.ts";
import type { AnyScenarioName } from "../scenarios/shipped.ts";
import { companyTest } from "./company-test.ts";
import { type Exchange, type Messages, noMessages, type SentHeaders } from "./exchange.ts";
import { type JournalEntry, journalEntry } from "./journal-entry.ts";
import { shownBodyLength } from "./masking.ts";
import { parseSearch } from "./request-search.ts";

/** Selects entries; an entry must match every given property. */
export interface EntryFilter {
  /** The company's id, its slug in the sandbox environment, or `live/SLUG`. */
  readonly company?: string | undefined;
  readonly operation?: OperationId | undefined;
  readonly status?: number | undefined;
  readonly point?: ContractPointId | undefined;
  readonly scenario?: AnyScenarioName | undefined;
  /** Case-insensitive. */
  readonly idempotency_key?: string | undefined;
  /** Terms that must all match, such as `status:4xx "Trainline"`: see `parseSearch`. */
  readonly search?: string | undefined;
}

/** Selects a page of entries. */
export interface JournalFilter extends EntryFilter {
  /** The maximum number of entries on the page; default 50. */
  readonly limit?: number | undefined;
  /** An entry's id: the page has only older entries. */
  readonly after?: string | undefined;
}

/** A page of entries, newest first. */
export interface JournalListing {
  readonly requests: readonly JournalEntry[];
  /** Whether there are older entries: pass the last id as `after`. */
  readonly has_more: boolean;
}

/** A request in the journal. Its entry is only made when it is read, because most are never read. */
export interface RecordedRequest {
  readonly id: number;
  readonly exchange: Exchange;
  /** Its approximate size in memory. */
  readonly bytes: number;
  /** Unmasked; dropped once there is an entry. */
  messages: Messages;
  /** Masked; `entryOf` makes it. */
  entry: JournalEntry | undefined;
}

export interface JournalListener {
  readonly recorded: (request: RecordedRequest) => void;
  /** The journal records no more requests. */
  readonly ended: () => void;
}

const defaultLimit = 50;

/** The memory of a recorded request without its strings, in bytes, measured on Node 20. */
const objectBytes = 1000;

/** Makes the entry of a recorded request on first use. It replaces the messages, so that no text is kept twice. */
export function entryOf(request: RecordedRequest): JournalEntry {
  if (!request.entry) {
    request.entry = journalEntry(request.id, request.exchange, request.messages);
    request.messages = noMessages;
  }
  return request.entry;
}

function bytesOf({ path, query }: Exchange, { requestHeaders, requestBody, responseBody }: Messages): number {
  return (
    objectBytes +
    path.length +
    query.length +
    countCharacters(requestHeaders) +
    textBytes(requestBody ?? "") +
    textBytes(responseBody ?? "")
  );
}

function countCharacters(headers: SentHeaders): number {
  if (headers.characters !== undefined) return headers.characters;
  let sum = 0;
  headers.forEach((value, name) => {
    sum += name.length + value.length;
  });
  return sum;
}

const beyondLatin1 = /[\u0100-\uffff]/;

/**
 * V8 stores a text in one byte per character if all of it is Latin-1, and otherwise in two. The mask in a shown body is
 * not Latin-1.
 */
function textBytes(text: string): number {
  // Most bodies are short; looking at each of their characters took 5 µs for each order.
  if (text.length <= shownBodyLength) return 2 * text.length;
  const sent = beyondLatin1.test(text) ? 2 * text.length : text.length;
  return Math.max(sent, 2 * shownBodyLength);
}

/** The least number of requests that are kept for the evidence of findings, even if the journal shows fewer. */
const keptForEvidence = 4000;

/** The default maximum memory of the journal, in bytes. */
export const defaultJournalBytes = 64 * 1024 * 1024;

/** The latest requests to the service, in a ring buffer in memory. */
export class Journal {
  readonly #shown: number;
  /** The maximum number of kept requests. */
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #ring: (RecordedRequest | undefined)[] = [];
  readonly #listeners = new Set<JournalListener>();
  /** The id of the newest entry. Ids are never reused, not even after `clear`. */
  #lastId: number;
  /** The number of kept requests; they have the latest ids. */
  #kept = 0;
  /** The memory of the kept requests, in bytes. */
  #bytes = 0;

  /**
   * @param shown - the maximum number of requests that it shows; listeners are called for all
   * @param maxBytes - the maximum memory of all kept requests, in bytes
   * @param after - the id before that of the first request
   */
  constructor(shown: number, maxBytes = defaultJournalBytes, after = 0) {
    this.#shown = shown;
    this.#limit = Math.max(shown, keptForEvidence);
    this.#maxBytes = maxBytes;
    this.#lastId = after;
  }

  /** The id of the latest request; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** @returns the id of the request */
  record(exchange: Exchange, messages: Messages): number {
    const id = ++this.#lastId;
    const request = { id, exchange, bytes: bytesOf(exchange, messages), messages, entry: undefined };
    this.#keep(request);
    for (const listener of this.#listeners) listener.recorded(request);
    return id;
  }

  #keep(request: RecordedRequest): void {
    if (this.#kept === this.#limit) this.#removeOldest(request.id - this.#limit);
    this.#ring[request.id % this.#limit] = request;
    this.#kept++;
    this.#bytes += request.bytes;
    while (this.#bytes > this.#maxBytes) this.#removeOldest(request.id - this.#kept + 1);
  }

  #removeOldest(id: number): void {
    this.#bytes -= this.#ring[id % this.#limit]?.bytes ?? 0;
    this.#ring[id % this.#limit] = undefined;
    this.#kept--;
  }

  /** The number of requests since the sandbox started, also of those that were cleared. */
  get received(): number {
    return this.#lastId;
  }

  /** @param companyPk - only this company, and no other one that had its id */
  list({ limit = defaultLimit, after, ...filter }: JournalFilter = {}, companyPk?: number): JournalListing {
    const matches = entryTest(filter, companyPk);
    const requests: JournalEntry[] = [];
    const newest = after === undefined ? this.#lastId : Math.min(Number(after) - 1, this.#lastId);
    for (let id = newest; id >= this.#oldestShown; id--) {
      const request = this.kept(id);
      if (!request || !matches(request)) continue;
      if (requests.length === limit) return { requests, has_more: true };
      requests.push(entryOf(request));
    }
    return { requests, has_more: false };
  }

  /** The requests recorded after this id, oldest first; all kept requests if the id is not used yet. */
  since(id: number, filter: EntryFilter): RecordedRequest[] {
    const matches = entryTest(filter);
    const requests: RecordedRequest[] = [];
    const oldest = this.#oldestShown;
    for (let next = id > this.#lastId ? oldest : Math.max(oldest, id + 1); next <= this.#lastId; next++) {
      const request = this.kept(next);
      if (request && matches(request)) requests.push(request);
    }
    return requests;
  }

  /**
   * The requests that the journal shows, in the order of their arrival, latest first. Ids have the order of the
   * responses.
   * @param before - only requests that arrived before it
   */
  *byArrival(filter: EntryFilter = {}, before?: RecordedRequest): Generator<RecordedRequest> {
    const { mayMatch, matches } = entryTests(filter);
    const found: RecordedRequest[] = [];
    for (let id = this.#lastId; id >= this.#oldestShown; id--) {
      const request = this.kept(id);
      if (request && mayMatch(request) && (!before || byArrival(request, before) > 0)) found.push(request);
    }
    for (const request of found.sort(byArrival)) if (matches(request)) yield request;
  }

  get(id: string): JournalEntry | undefined {
    const request = this.kept(Number(id));
    if (!request || request.id < this.#oldestShown || String(request.id) !== id) return undefined;
    return entryOf(request);
  }

  /**
   * The ids of the nearest requests that match a filter and arrived after and before a request.
   * @throws InvalidSearch
   */
  neighbours(id: number, filter: EntryFilter): { readonly newer?: string; readonly older?: string } {
    const of = this.kept(id);
    if (!of) return {};
    const { mayMatch, matches } = entryTests(filter);
    const later: RecordedRequest[] = [];
    for (let at = this.#lastId; at >= this.#oldestShown; at--) {
      const request = this.kept(at);
      if (request && mayMatch(request) && byArrival(request, of) < 0) later.push(request);
    }
    const newer = later.sort(byArrival).findLast(matches);
    const older = this.byArrival(filter, of).next().value;
    return { ...(newer && { newer: String(newer.id) }), ...(older && { older: String(older.id) }) };
  }

  /** The requests of one member to one operation with the Idempotency-Key of a request, in the order of arrival. */
  attempts(id: number): RecordedRequest[] {
    const of = this.kept(id);
    const { caller, operation, idempotencyKey: key } = of?.exchange ?? {};
    if (!of || !caller || key === undefined) return of ? [of] : [];
    const isAttempt = (each: Exchange) =>
      each.idempotencyKey === key &&
      each.operation === operation &&
      each.caller?.companyPk === caller.companyPk &&
      each.caller.memberPk === caller.memberPk;
    return [...this.latest(isAttempt)]
      .filter((each) => each.id >= this.#oldestShown)
      .sort((a, b) => byArrival(b, a));
  }

  /** The latest requests of which a test holds, newest first, even if the journal no longer shows them. */
  *latest(test: (exchange: Exchange) => boolean): Generator<RecordedRequest> {
    for (let id = this.#lastId; id > this.#lastId - this.#kept; id--) {
      const request = this.kept(id);
      if (request && test(request.exchange)) yield request;
    }
  }

  /** A request that is kept, even if the journal no longer shows it. */
  kept(id: number): RecordedRequest | undefined {
    return id > this.#lastId - this.#kept ? this.#ring[id % this.#limit] : undefined;
  }

  clear(): void {
    this.#ring.fill(undefined);
    this.#kept = 0;
    this.#bytes = 0;
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: JournalListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends all subscriptions. */
  end(): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener.ended();
  }

  get #oldestShown(): number {
    return this.#lastId - Math.min(this.#kept, this.#shown) + 1;
  }
}

/** Compares requests by their arrival, latest first. */
export function byArrival(one: RecordedRequest, other: RecordedRequest): number {
  return other.exchange.startedMs - one.exchange.startedMs || other.id - one.id;
}

/**
 * Returns a function that tests requests against a filter. It also finds requests of deleted companies.
 * @throws InvalidSearch
 */
export function entryTest(filter: EntryFilter, companyPk?: number): (request: RecordedRequest) => boolean {
  const { mayMatch, matches } = entryTests(filter, companyPk);
  return (request) => mayMatch(request) && matches(request);
}

/** A fast test that excludes most requests, and the rest of the test. */
function entryTests(filter: EntryFilter, companyPk?: number) {
  const { operation, status, point, scenario } = filter;
  const key = filter.idempotency_key?.toLowerCase();
  const isOfCompany = companyTest(filter.company, companyPk);
  const search = filter.search === undefined ? undefined : parseSearch(filter.search);
  const textMatches = search?.matches;
  return {
    mayMatch: (request: RecordedRequest) => {
      const { exchange } = request;
      return (
        (operation === undefined || exchange.operation === operation) &&
        (status === undefined || exchange.status === status) &&
        (point === undefined || exchange.point === point) &&
        (scenario === undefined || exchange.scenario === scenario) &&
        (key === undefined || exchange.idempotencyKey === key) &&
        isOfCompany(exchange) &&
        (search?.mayMatch(request) ?? true)
      );
    },
    matches: (request: RecordedRequest) => textMatches === undefined || textMatches(entryOf(request)),
  };
}
