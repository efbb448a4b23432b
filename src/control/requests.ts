import * as z from "zod";
import { idempotencyKey } from "../contract/identifiers.ts";
import { operationIds } from "../contract/operations.ts";
import { contractPoints } from "../contract/points.ts";
import { companyTest } from "../journal/company-test.ts";
import type { Coverage } from "../journal/coverage.ts";
import type { Exchange } from "../journal/exchange.ts";
import { evidenceOf, latestOf } from "../journal/findings/evidence.ts";
import type { FindingRequest } from "../journal/findings/finding.ts";
import type { Findings } from "../journal/findings/findings.ts";
import {
  type EntryFilter,
  entryOf,
  entryTest,
  type Journal,
  type JournalFilter,
  type JournalListing,
  type RecordedRequest,
} from "../journal/journal.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { InvalidSearch, parseSearch } from "../journal/request-search.ts";
import type { Clock } from "../rules/clock.ts";
import { quoted } from "../rules/errors.ts";
import { nearest } from "../rules/nearest.ts";
import { ControlError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import { mustBe, parse, readQuery, wholeNumber } from "./input.ts";
import type { ControlHandlers } from "./operations.ts";

const pointIds = Object.keys(contractPoints) as (keyof typeof contractPoints)[];

/** @internal */
export const entryId = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, { error: mustBe("the id of a recorded request") });

/**
 * Filters of requests, as query parameters.
 * @internal
 */
export const entryFilter = {
  company: z.string().min(1, "must be the id, slug or live/SLUG of a company").optional(),
  operation: z.enum(operationIds).optional(),
  status: wholeNumber(100, 599, "a status code from 100 to 599").optional(),
  point: z.enum(pointIds, { error: ({ input }) => unknownPoint(String(input)) }).optional(),
  scenario: z.string().min(1, "must be the name of a scenario").optional(),
  idempotency_key: idempotencyKey.optional(),
  search: z.string().superRefine(checkSearch).optional(),
};

function checkSearch(search: string, context: z.RefinementCtx): void {
  try {
    parseSearch(search);
  } catch (error) {
    if (!(error instanceof InvalidSearch)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
}

/**
 * Query parameters of `GET /_sandbox/requests`.
 * @internal
 */
export const listQuery = z.lazy(() =>
  z.strictObject({
    ...entryFilter,
    limit: wholeNumber(1, 1000, "an integer from 1 to 1000").optional(),
    after: entryId.optional(),
  }),
);

/**
 * The same filter for callers in the same process.
 * @internal
 */
export const listFilter = z.lazy(() =>
  z.strictObject({
    ...entryFilter,
    status: z.int({ error: mustBe("a status code from 100 to 599") }).optional(),
    idempotency_key: z.string().optional(),
    limit: z.int().min(1).optional(),
    after: entryId.optional(),
  }),
);

/**
 * Query parameters of the stream; `last_event_id` is for clients that cannot send the header.
 * @internal
 */
export const streamQuery = z.lazy(() =>
  z.strictObject({
    ...entryFilter,
    last_event_id: wholeNumber(0, Number.MAX_SAFE_INTEGER, "the id of a recorded request").optional(),
  }),
);

/**
 * The error message for an unknown contract point.
 * @internal
 */
export function unknownPoint(word: string): string {
  const suggestion = nearest(word, pointIds);
  const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
  return `unknown contract point ${quoted(word)}.${hint} GET /_sandbox/contract lists all contract points`;
}

/** The latest requests to the service with their responses, secrets masked. */
export class Requests {
  readonly #journal: Journal;
  readonly #coverage: Coverage;
  readonly #findings: Findings;

  constructor(journal: Journal, coverage: Coverage, findings: Findings) {
    this.#journal = journal;
    this.#coverage = coverage;
    this.#findings = findings;
  }

  /** Lists requests, newest first: 50, or `limit`; with `after` those older than the request with this id. */
  list(filter: JournalFilter = {}): JournalListing {
    return this.#journal.list(parse(listFilter, filter));
  }

  /** Returns undefined if the journal no longer has the request, or never had it. */
  get(id: string): JournalEntry | undefined {
    return this.#journal.get(id);
  }

  /**
   * The ids of the nearest requests of a search that arrived after and before a request.
   * @param search - one that is invalid matches every request
   * @internal
   */
  neighbours(id: string, search?: string): { readonly newer?: string; readonly older?: string } {
    const { success, data } = listFilter.safeParse({ search });
    return this.#journal.neighbours(Number(id), success ? data : {});
  }

  /**
   * The requests of one member to one operation with the Idempotency-Key of this one, by arrival.
   * @returns up to 21 of them around it, and the position of the first one among all
   * @internal
   */
  attempts(id: string): {
    readonly count: number;
    readonly first: number;
    readonly shown: readonly JournalEntry[];
  } {
    const all = this.#journal.attempts(Number(id));
    const first = Math.max(0, all.findIndex((each) => String(each.id) === id) - 10);
    return { count: all.length, first, shown: all.slice(first, first + 21).map(entryOf) };
  }

  /**
   * The latest requests to these operations, at most ten, three for each, oldest first; also some that the journal no
   * longer shows. Undefined: to any operation; null: of any company.
   * @internal
   */
  latest(operations: readonly string[] | undefined, company: string | null): FindingRequest[] {
    const isOfCompany = companyTest(company ?? undefined);
    const isIncluded = (exchange: Exchange) =>
      isOfCompany(exchange) && (operations?.some((each) => each === exchange.operation) ?? true);
    return latestOf(this.#journal.latest(isIncluded), ({ exchange }) => exchange.operation).map(evidenceOf);
  }

  /** Deletes all requests with their coverage and findings. A reset of the world does not. */
  clear(): void {
    this.#journal.clear();
    this.#coverage.clear();
    this.#findings.clear();
  }
}

/**
 * @throws ControlError 404 if the journal no longer has the request, or never had it
 * @internal
 */
export function requireRequest(requests: Requests, id: string): JournalEntry {
  const entry = requests.get(id);
  if (entry) return entry;
  throw new ControlError(
    404,
    `id: no recorded request has the id ${quoted(id)}. The sandbox keeps only the latest requests.`,
  );
}

/** Pings keep proxies from closing an idle connection. */
const pingMs = 15_000;

/** The most that waits for a slow reader. Beyond it the stream ends; the reader resumes from the last id it received. */
const waitingAllowed = { entries: 1000, bytes: 16 * 1024 * 1024 };

interface StreamOptions {
  readonly filter: EntryFilter;
  /** Start after this entry; undefined: with the next request. */
  readonly lastId: number | undefined;
  /** Ends the stream when aborted. */
  readonly signal: AbortSignal;
}

/**
 * The journal as server-sent events: the recorded entries since an id, then each new entry, none twice. Hono's
 * `streamSSE` does not fit: it adds `Transfer-Encoding` and `Connection` headers, and cannot bound what waits for a
 * slow reader.
 */
function requestStream(journal: Journal, clock: Clock, options: StreamOptions): ReadableStream<Uint8Array> {
  return new ReadableStream(new EntrySource(journal, clock, options), { highWaterMark: 0 });
}

/** What the stream reads from. */
class EntrySource {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #waiting: RecordedRequest[];
  #waitingBytes: number;
  /** Sent before the entries. The first one flushes the headers and promises that no later request is missed. */
  #comment: string | undefined = ": following\n\n";
  #isOver = false;
  readonly #unsubscribe: () => void;
  #cancelPing = () => {};
  #wake = () => {};

  constructor(journal: Journal, clock: Clock, { filter, lastId, signal }: StreamOptions) {
    this.#clock = clock;
    this.#signal = signal;
    this.#waiting = lastId === undefined ? [] : journal.since(lastId, filter);
    this.#waitingBytes = bytesOf(this.#waiting);
    const mostEntries = this.#waiting.length + waitingAllowed.entries;
    const mostBytes = this.#waitingBytes + waitingAllowed.bytes;
    const matches = entryTest(filter);
    // Nothing is recorded between `since` and here: no gap, and nothing twice.
    this.#unsubscribe = journal.subscribe({
      recorded: (request) => {
        if (!matches(request)) return;
        this.#waiting.push(request);
        this.#waitingBytes += request.bytes;
        if (this.#waiting.length > mostEntries || this.#waitingBytes > mostBytes) this.cancel();
        this.#wake();
      },
      ended: () => this.#end(),
    });
    signal.addEventListener("abort", this.cancel);
    if (signal.aborted) this.cancel();
    else this.#schedulePing();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#comment === undefined && this.#waiting.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const next = this.#waiting.splice(0, 100);
    this.#waitingBytes -= bytesOf(next);
    const text = (this.#comment ?? "") + next.map(eventOf).join("");
    this.#comment = undefined;
    if (text !== "") controller.enqueue(new TextEncoder().encode(text));
    if (this.#isOver && this.#waiting.length === 0) controller.close();
  }

  /** Ends the stream and drops what waits. */
  readonly cancel = () => {
    this.#waiting.length = 0;
    this.#end();
  };

  /** Ends the stream after what waits. */
  #end(): void {
    this.#isOver = true;
    this.#unsubscribe();
    this.#cancelPing();
    this.#signal.removeEventListener("abort", this.cancel);
    this.#wake();
  }

  #schedulePing(): void {
    this.#cancelPing = this.#clock.after(pingMs, () => {
      this.#comment ??= ": ping\n\n";
      this.#schedulePing();
      this.#wake();
    });
  }
}

function bytesOf(requests: readonly RecordedRequest[]): number {
  return requests.reduce((sum, { bytes }) => sum + bytes, 0);
}

function eventOf(request: RecordedRequest): string {
  const entry = entryOf(request);
  return `event: request\nid: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`;
}

/** @internal */
export function requestHandlers(
  requests: Requests,
  journal: Journal,
  clock: Clock,
  gate: Gate,
): ControlHandlers<"listRequests" | "clearRequests" | "streamRequests" | "getRequest"> {
  return {
    listRequests: (c) => c.json(requests.list(readQuery(c, listQuery))),
    clearRequests: (c) => {
      requests.clear();
      return c.body(null, 204);
    },
    streamRequests: (c) => {
      const headers = { last_event_id: c.req.header("Last-Event-ID") };
      const { last_event_id: lastId, ...filter } = readQuery(c, streamQuery, headers);
      const type = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" };
      // The body of a response to HEAD is never read, so its stream would never end.
      if (c.req.method === "HEAD") return c.body(null, 200, type);
      return c.body(requestStream(journal, clock, { filter, lastId, signal: gate.signalOf(c) }), 200, type);
    },
    getRequest: (c) => c.json(requireRequest(requests, c.req.param("id"))),
  };
}
