import type { Clock } from "../rules/clock.ts";
import type { Arrived } from "./context.ts";
import { TruncatedResponse } from "./response.ts";

/**
 * What a client's `fetch` makes of a request where there is no socket between: an aborted one rejects at once, a
 * lost connection rejects as one does, and a body that is cut off breaks off as it is read.
 */
export async function asClientSees(
  request: Request,
  answer: (request: Request, arrived: Arrived) => Promise<Response> | Response,
  clock: Pick<Clock, "ticks">,
): Promise<Response> {
  const { headers, signal } = request;
  signal.throwIfAborted();
  let goneMs: number | undefined;
  try {
    const answered = Promise.resolve(answer(request, { headers, body: undefined, goneMs: () => goneMs }));
    return await untilAborted(signal, answered, () => {
      goneMs = clock.ticks();
    });
  } catch (error) {
    if (error instanceof TruncatedResponse) return brokenOff(error);
    throw error;
  }
}

function untilAborted(
  signal: AbortSignal,
  answer: Promise<Response>,
  onAbort: () => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      onAbort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function brokenOff({ sent: { status, headers, text }, cause }: TruncatedResponse): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull: (controller) => controller.error(new TypeError("terminated", { cause })),
  });
  return new Response(body, { status, headers });
}
