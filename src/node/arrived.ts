import type { IncomingMessage, ServerResponse } from "node:http";
import type { Arrived } from "../http/read-body.ts";
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
    headers: headersOf(incoming.rawHeaders),
    body: incoming.rawBody,
    goneMs: () => underWay.goneMs(incoming),
  };
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

/**
 * The headers in the order in which they were sent. Node's own `headersDistinct` costs 9 % of the orders per second.
 * @param pairs - names and values alternately
 */
function headersOf(pairs: readonly string[]): SentHeaders {
  const sent = new Map<string, string>();
  for (let i = 0; i < pairs.length; i += 2) {
    const name = (pairs[i] as string).toLowerCase();
    const value = pairs[i + 1] as string;
    const before = sent.get(name);
    sent.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return { get: (name) => sent.get(name.toLowerCase()) ?? null, forEach: (each) => sent.forEach(each) };
}
