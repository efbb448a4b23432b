import type { OperationId } from "../contract/operations.ts";
import type { PointId } from "../contract/points.ts";
import type { Exchange } from "./exchange.ts";
import { type JournalEntry, journalEntry } from "./journal-entry.ts";

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

/** Whoever follows the journal. */
export interface JournalListener {
  readonly recorded: (entry: JournalEntry) => void;
  /** There will be no more. */
  readonly ended: () => void;
}

const usualLimit = 50;

/** The latest requests of the service, in memory; a ring, so that the oldest goes at no cost. */
export class Journal {
  readonly #limit: number;
  readonly #ring: (JournalEntry | undefined)[] = [];
  readonly #listeners = new Set<JournalListener>();
  /** Of the newest entry; an id is given once, and `clear` does not begin anew. */
  #lastId = 0;
  /** How many are kept; their ids are those up to the last. */
  #kept = 0;

  /** @param limit - how many requests are kept; with 0 none is, and only listeners are told */
  constructor(limit: number) {
    this.#limit = limit;
  }

  record(exchange: Exchange): void {
    if (this.#limit === 0 && this.#listeners.size === 0) return;
    const entry = journalEntry(++this.#lastId, exchange);
    if (this.#limit > 0) {
      this.#ring[this.#lastId % this.#limit] = entry;
      this.#kept = Math.min(this.#kept + 1, this.#limit);
    }
    for (const listener of this.#listeners) listener.recorded(entry);
  }

  list({ limit = usualLimit, after, ...filter }: JournalFilter = {}): JournalListing {
    const fits = entryTest(filter);
    const requests: JournalEntry[] = [];
    const newest = after === undefined ? this.#lastId : Math.min(Number(after) - 1, this.#lastId);
    for (let id = newest; id > this.#lastId - this.#kept; id--) {
      const entry = this.#at(id);
      if (!entry || !fits(entry)) continue;
      if (requests.length === limit) return { requests, has_more: true };
      requests.push(entry);
    }
    return { requests, has_more: false };
  }

  /** Those that were recorded since the entry with this id, the oldest first; all of them where it is yet to come. */
  since(id: number, filter: EntryFilter): JournalEntry[] {
    const fits = entryTest(filter);
    const entries: JournalEntry[] = [];
    const oldest = this.#lastId - this.#kept + 1;
    for (let next = id > this.#lastId ? oldest : Math.max(oldest, id + 1); next <= this.#lastId; next++) {
      const entry = this.#at(next);
      if (entry && fits(entry)) entries.push(entry);
    }
    return entries;
  }

  get(id: string): JournalEntry | undefined {
    const entry = this.#at(Number(id));
    return entry?.id === id ? entry : undefined;
  }

  clear(): void {
    this.#ring.fill(undefined);
    this.#kept = 0;
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

  #at(id: number): JournalEntry | undefined {
    return id > this.#lastId - this.#kept ? this.#ring[id % this.#limit] : undefined;
  }
}

/** Whether an entry fits a filter, by what it recorded: the company may be gone. */
export function entryTest(filter: EntryFilter): (entry: JournalEntry) => boolean {
  const { operation, status, point, scenario } = filter;
  const key = filter.idempotency_key?.toLowerCase();
  const isOfCompany = companyTest(filter.company);
  return (entry) =>
    (operation === undefined || entry.operation === operation) &&
    (status === undefined || entry.status === status) &&
    (point === undefined || entry.point === point) &&
    (scenario === undefined || entry.scenario === scenario) &&
    (key === undefined || entry.idempotency_key === key) &&
    isOfCompany(entry);
}

function companyTest(name: string | undefined): (entry: JournalEntry) => boolean {
  if (name === undefined) return () => true;
  const id = name.toLowerCase();
  const live = name.startsWith("live/");
  const slug = live ? name.slice("live/".length) : name;
  const environment = live ? "live" : "sandbox";
  return ({ caller }) =>
    caller !== null &&
    (caller.company_id === id || (caller.company === slug && caller.environment === environment));
}
