import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import { TruncatedResponse } from "../../http/response.ts";
import { ConnectionLost } from "../../rules/errors.ts";
import type { ListenOptions } from "./listen.ts";
import type { PendingRequests } from "./pending-requests.ts";
import { arrived } from "./request-batches.ts";

type FetchCallback = Parameters<typeof getRequestListener>[0];

/** Passes requests to `serve` and writes its responses, through the adapter. */
export function requestListener(
  { serve, malformed, lightGlobals }: ListenOptions,
  pending: PendingRequests,
): RequestListener {
  // Always a promise, so that all requests of a batch are handled before any response is written.
  const respond = async (request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> => {
    try {
      return await serve(request, arrived(incoming, pending));
    } catch (error) {
      if (error instanceof ConnectionLost) loseConnection(error, outgoing);
      throw error;
    } finally {
      pending.remove(incoming);
    }
  };
  // The adapter's error handler receives no request, but it is called synchronously for a request with an
  // invalid URL.
  let latest: IncomingMessage;
  // HTTP/2 is not served; its messages are of another type.
  const adapted = getRequestListener(respond as FetchCallback, {
    overrideGlobalObjects: lightGlobals,
    // HTTP/1.0 may leave out Host.
    hostname: "localhost",
    // Node itself reads the rest of a body after an early response; the adapter would interrupt a slow
    // client.
    autoCleanupIncoming: false,
    errorHandler: (error) => {
      if (error instanceof RequestError) {
        pending.remove(latest);
        return malformed();
      }
      // The connection is closed, so no response is possible.
      if (error instanceof ConnectionLost) return undefined;
      throw error;
    },
  });
  return (incoming, outgoing) => {
    latest = incoming;
    adapted(incoming, outgoing);
  };
}

/** Ends a connection without a response, or during one. Does nothing if the client has closed it. */
function loseConnection(lost: ConnectionLost, outgoing: ServerResponse): void {
  if (outgoing.socket) cut(lost, outgoing, outgoing.socket);
}

function cut(lost: ConnectionLost, outgoing: ServerResponse, socket: Socket): void {
  if (lost instanceof TruncatedResponse) {
    const { status, headers, text } = lost.sent;
    outgoing.writeHead(status, headers);
    outgoing.write(text, () => socket.destroy());
  } else if (lost.loss === "reset" && !(socket instanceof TLSSocket)) {
    socket.resetAndDestroy();
  } else {
    socket.destroy();
  }
}
