import { type Answer, ConnectionLost } from "../core/errors.ts";

/**
 * What a client's `fetch` makes of an answer where there is no socket between: an aborted request rejects at
 * once, a lost connection rejects as one does, and a truncated body breaks off as it is read.
 */
export async function asClientSees(request: Request, answer: Promise<Response>): Promise<Response> {
  try {
    return await untilAborted(request.signal, answer);
  } catch (error) {
    if (error instanceof ConnectionLost && error.truncated) return brokenOff(error.truncated);
    throw error;
  }
}

function untilAborted(signal: AbortSignal, answer: Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function brokenOff({ status, headers, text }: Answer): Response {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, bytes.length / 2)),
    pull: (controller) =>
      controller.error(new TypeError("terminated", { cause: new ConnectionLost("empty").cause })),
  });
  return new Response(body, { status, headers: { ...headers, "Content-Length": String(bytes.length) } });
}
