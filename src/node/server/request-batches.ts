import type { IncomingMessage, ServerResponse } from "node:http";
import type { Arrived } from "../../http/read-body.ts";
import { maxBodyBytes } from "../../http/read-body.ts";
import type { SentHeaders } from "../../journal/exchange.ts";
import { setImmediate } from "../real-timers.ts";
import type { PendingRequests } from "./pending-requests.ts";

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** @hono/node-server also uses `rawBody` if the body has already been read. */
interface ReadMessage extends IncomingMessage {
  rawBody?: Buffer;
}

/** The parts of a request that `inBatches` has already read. */
export function arrived(incoming: ReadMessage, pending: PendingRequests): Arrived {
  return {
    headers: new SentPairs(shared(incoming.rawHeaders)),
    body: incoming.rawBody,
    goneMs: () => pending.goneMs(incoming),
    onGone: (listener) => pending.onGone(incoming, listener),
  };
}

/**
 * Reads the bodies of requests, and handles the requests of one tick of the event loop as a batch. Requests
 * that are handled in succession use warm processor caches, and the batch needs one commit.
 */
export function inBatches(listener: Listener, batch: (work: () => void) => void): Listener {
  let waiting: [IncomingMessage, ServerResponse][] = [];
  const handleBatch = () => {
    const requests = waiting;
    waiting = [];
    batch(() => {
      for (const [incoming, outgoing] of requests) listener(incoming, outgoing);
    });
  };
  return (incoming, outgoing) =>
    readWhole(incoming, () => {
      if (waiting.length === 0) setImmediate(handleBatch);
      waiting.push([incoming, outgoing]);
    });
}

/** The body of a request without body headers (RFC 9112 §6.3). */
const noBody = Buffer.alloc(0);

/**
 * Reads a body with a Content-Length. The service reads a chunked body later.
 * @param done - also called if the body is incomplete
 */
function readWhole(incoming: ReadMessage, done: () => void): void {
  const { "content-length": length, "transfer-encoding": coding } = incoming.headers;
  if (length === undefined && coding === undefined) incoming.rawBody = noBody;
  if (length === undefined || Number(length) > maxBodyBytes) {
    done();
    return;
  }
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.once("end", () => {
    incoming.rawBody = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    done();
  });
  incoming.once("error", done);
}

let latestPairs: readonly string[] = [];

/**
 * Replaces strings that equal those of the previous request by those strings. Most are equal, and the journal
 * keeps many requests, so this reduces the work of the garbage collector.
 */
function shared(pairs: string[]): readonly string[] {
  const before = latestPairs;
  for (let i = 0; i < pairs.length; i++) {
    if (pairs[i] === before[i]) pairs[i] = before[i] as string;
  }
  latestPairs = pairs;
  return pairs;
}

/**
 * The headers as Node parsed them: names and values alternately. The service reads only a few headers of a
 * request, so this is faster than a `Map`. Node's own `headersDistinct` would cost 9 % of the orders per
 * second.
 */
class SentPairs implements SentHeaders {
  readonly #pairs: readonly string[];

  constructor(pairs: readonly string[]) {
    this.#pairs = pairs;
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase();
    let found: string | null = null;
    for (let i = 0; i < this.#pairs.length; i += 2) {
      const sent = this.#pairs[i] as string;
      if (sent.length !== wanted.length || sent.toLowerCase() !== wanted) continue;
      const value = this.#pairs[i + 1] as string;
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  get characters(): number {
    let sum = 0;
    for (const text of this.#pairs) sum += text.length;
    return sum;
  }

  forEach(each: (value: string, name: string) => void): void {
    const names = new Set<string>();
    for (let i = 0; i < this.#pairs.length; i += 2) names.add((this.#pairs[i] as string).toLowerCase());
    for (const name of names) each(this.get(name) as string, name);
  }
}
