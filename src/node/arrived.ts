import type { IncomingMessage, ServerResponse } from "node:http";
import type { Arrived } from "../http/context.ts";
import { maxBodyBytes } from "../http/read-body.ts";
import type { SentHeaders } from "../journal/exchange.ts";
import type { UnderWay } from "./under-way.ts";

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** @hono/node-server also looks here for a body that has already been read. */
interface ReadMessage extends IncomingMessage {
  rawBody?: Buffer;
}

/** The parts of a request that `inTurns` has read already. */
export function arrived(incoming: ReadMessage, underWay: UnderWay): Arrived {
  return {
    headers: new RawHeaders(shared(incoming.rawHeaders)),
    body: incoming.rawBody,
    goneMs: () => underWay.goneMs(incoming),
  };
}

let latestHeaders: readonly string[] = [];

/**
 * Most requests say in their headers what the one before said, and many are kept for long: what is the same is kept
 * once, which spares the garbage collector most of them.
 */
function shared(headers: string[]): readonly string[] {
  const before = latestHeaders;
  for (let i = 0; i < headers.length; i++) {
    if (headers[i] === before[i]) headers[i] = before[i] as string;
  }
  latestHeaders = headers;
  return headers;
}

/**
 * Reads the bodies of requests, and hands on together what one turn of the event loop brought: answered one after
 * the other, requests find the processor's caches warm, and whoever waits for the answers is woken once.
 */
export function inTurns(listener: Listener, together: (work: () => void) => void): Listener {
  let waiting: [IncomingMessage, ServerResponse][] = [];
  const turn = () => {
    const requests = waiting;
    waiting = [];
    together(() => {
      for (const [incoming, outgoing] of requests) listener(incoming, outgoing);
    });
  };
  return (incoming, outgoing) =>
    readWhole(incoming, () => {
      if (waiting.length === 0) setImmediate(turn);
      waiting.push([incoming, outgoing]);
    });
}

/** The body of a request without body headers (RFC 9112 §6.3). */
const noBody = Buffer.alloc(0);

/**
 * Reads a body with a Content-Length. A chunked body is read later, by the service.
 * @param done - also called if the body broke off
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

/** Headers as Node's parser found them. They hold on to nothing else of the request, which may be kept for long. */
class RawHeaders implements SentHeaders {
  readonly #pairs: readonly string[];

  /** @param pairs - names and values by turns */
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
    const pairs = this.#pairs;
    for (let i = 0; i < pairs.length; i += 2) {
      const name = (pairs[i] as string).toLowerCase();
      const other = this.#indexOf(name, i);
      if (other === undefined) each(pairs[i + 1] as string, name);
      else if (other > i) each(this.get(name) as string, name);
    }
  }

  /** Where the name stands, in any letter case, the first time beside a place. */
  #indexOf(name: string, beside: number): number | undefined {
    for (let i = 0; i < this.#pairs.length; i += 2) {
      const sent = this.#pairs[i] as string;
      if (i !== beside && sent.length === name.length && sent.toLowerCase() === name) return i;
    }
    return undefined;
  }
}
