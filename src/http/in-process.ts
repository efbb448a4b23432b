import type { Clock } from "../rules/clock.ts";
import type { Arrived } from "./read-body.ts";
import { TruncatedResponse } from "./response.ts";

/**
 * Responds to a request as `fetch` does over a socket: an aborted request rejects at once, a lost connection rejects, and
 * a truncated body fails while it is read.
 */
export async function asClientSees(
  request: Request,
  respond: (request: Request, arrived: Arrived) => Promise<Response> | Response,
  clock: Pick<Clock, "ticks">,
): Promise<Response> {
  const { headers, signal } = request;
  signal.throwIfAborted();
  let goneMs: number | undefined;
  const arrived: Arrived = {
    headers,
    body: undefined,
    goneMs: () => goneMs,
    onGone: (listener) => signal.addEventListener("abort", listener, { once: true }),
  };
  try {
    const response = Promise.resolve(respond(request, arrived));
    return await untilAborted(signal, response, () => {
      goneMs = clock.ticks();
    });
  } catch (error) {
    if (error instanceof TruncatedResponse) return truncatedResponse(error);
    throw error;
  }
}

function untilAborted(
  signal: AbortSignal,
  response: Promise<Response>,
  onAbort: () => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      onAbort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
    response.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function truncatedResponse({ sent: { status, headers, text }, cause }: TruncatedResponse): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => controller.error(new TypeError("terminated", { cause })),
  });
  return new Response(body, { status, headers });
}
