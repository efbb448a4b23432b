import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { createServer as createHttpsServer, Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import type { Serve } from "../api.ts";
import type { UnreadPointId } from "../contract/responses.ts";
import { TruncatedResponse } from "../http/response.ts";
import { ConnectionLost, CouldNotRun, SetupError } from "../rules/errors.ts";
import { arrived, inTurns } from "./arrived.ts";
import { UnderWay } from "./under-way.ts";

/** PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  readonly serve: Serve;
  /** Serves a batch of requests. */
  readonly together: (work: () => void) => void;
  /** Makes the response to a request that cannot be read. */
  readonly malformed: (point?: UnreadPointId, message?: string) => Response;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: Tls | undefined;
  /**
   * Whether to replace the global `Request` and `Response` with the lighter ones of @hono/node-server. They are several
   * times faster, but a library must not replace the globals of a process that it does not own.
   */
  readonly lightGlobals: boolean;
}

type FetchCallback = Parameters<typeof getRequestListener>[0];

export interface Listening {
  /** `http://127.0.0.1:4242`, without a slash at its end. */
  readonly url: string;
  /** Closes the port after the responses in progress, or after 1.5 seconds. */
  close(): Promise<void>;
}

/** How long a response in progress may delay closing. */
const drainMs = 1500;

/** How long a request may take to arrive: long enough for any client, but a slow one does not keep its connection. */
const arrival = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 };

/** Over TLS too, a client may close its side after its request, and must begin the handshake in time. */
const handshake = { allowHalfOpen: true, handshakeTimeout: 20_000 };

/** Node's error codes for requests that it could not read and that get a status other than 400. */
const unread: Readonly<Record<string, UnreadPointId>> = {
  HPE_HEADER_OVERFLOW: "gateway.headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "gateway.content_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "gateway.request_timeout",
};

/** The message for CONNECT, to which Node sends no response. */
const noProxy = "CONNECT: this server is not a proxy; send requests directly to its address";

/** The problem with the Host header (RFC 9112 §3.2); undefined if there is none. */
function hostProblem({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  if (hosts > 1) return `Host: was sent ${hosts} times; send it once`;
  if (hosts === 0 && httpVersion === "1.1") {
    return "Host: is required in HTTP/1.1; send it once";
  }
  return undefined;
}

/**
 * Binds a port.
 * @throws CouldNotRun if the port is in use or this user may not bind it; SetupError if TLS refuses the certificate
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, tls } = options;
  const server = createServer(options);
  const connections = new Set<Socket>();
  server.on("connection", (connection: Socket) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  await new Promise<void>((bound, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) => failed(bindingFailure(error, host, port)));
    try {
      server.listen(port, host, bound);
    } catch (error) {
      failed(bindingFailure(error as NodeJS.ErrnoException, host, port));
    }
  });
  return {
    url: `${tls ? "https" : "http"}://${reachableHost(host)}:${(server.address() as AddressInfo).port}`,
    close: () => close(server, connections),
  };
}

function createServer(options: ListenOptions): Server {
  const { together, malformed, tls } = options;
  const underWay = new UnderWay();
  const handle = inTurns(requestListener(options, underWay), together);
  const refuse = async (incoming: IncomingMessage, outgoing: ServerResponse, response: Response) => {
    const body = await response.text();
    const headers = { ...Object.fromEntries(response.headers), "content-length": Buffer.byteLength(body) };
    outgoing.writeHead(response.status, headers).end(body);
    underWay.leave(incoming);
  };
  const onRequest = whenConnected(underWay, (incoming, outgoing) => {
    const problem = hostProblem(incoming);
    if (problem === undefined) handle(incoming, outgoing);
    else refuse(incoming, outgoing, malformed("gateway.bad_request", problem));
  });
  const onExpectation = whenConnected(underWay, (incoming, outgoing) => {
    const problem = hostProblem(incoming);
    const point = problem === undefined ? "gateway.expectation_failed" : "gateway.bad_request";
    refuse(incoming, outgoing, malformed(point, problem));
  });
  try {
    const own = { ...arrival, requireHostHeader: false };
    const server = tls
      ? createHttpsServer({ ...own, ...handshake, cert: tls.cert, key: tls.key }, onRequest)
      : createHttpServer(own, onRequest);
    server.on("checkExpectation", onExpectation);
    answerHalfClosed(server, underWay);
    refuseUnread(server, underWay, malformed);
    return server;
  } catch (error) {
    throw new SetupError(`the TLS certificate and key do not fit: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Passes requests to `serve` and writes its responses, through the adapter. */
function requestListener(
  { serve, malformed, lightGlobals }: ListenOptions,
  underWay: UnderWay,
): RequestListener {
  // Always a promise: all requests of a batch are decided before any response is written.
  const respond = async (request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> => {
    try {
      return await serve(request, arrived(incoming, underWay));
    } catch (error) {
      if (error instanceof ConnectionLost) lose(error, outgoing);
      throw error;
    } finally {
      underWay.leave(incoming);
    }
  };
  // The adapter's error handler gets no request, but is called synchronously for one with an unreadable address.
  let latest: IncomingMessage;
  // HTTP/2 is not served; its messages are of another type.
  const adapted = getRequestListener(respond as FetchCallback, {
    overrideGlobalObjects: lightGlobals,
    // HTTP/1.0 may leave out Host.
    hostname: "localhost",
    // Node itself reads the rest of a body after an early response; the adapter would cut off a slow one.
    autoCleanupIncoming: false,
    errorHandler: (error) => {
      if (error instanceof RequestError) {
        underWay.leave(latest);
        return malformed();
      }
      // Its connection is gone, so there is nothing to respond on.
      if (error instanceof ConnectionLost) return undefined;
      throw error;
    },
  });
  return (incoming, outgoing) => {
    latest = incoming;
    adapted(incoming, outgoing);
  };
}

/**
 * Delays a pipelined request until the response before it is out; until then it has no connection. A client that sends
 * requests and never reads has one response in memory and not thousands.
 */
function whenConnected(underWay: UnderWay, listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    underWay.enter(incoming, outgoing);
    if (outgoing.socket) listener(incoming, outgoing);
    else outgoing.once("socket", () => listener(incoming, outgoing));
  };
}

/** Responds to requests that Node cannot read and to CONNECT, after the complete requests before them. */
function refuseUnread(server: Server, underWay: UnderWay, malformed: ListenOptions["malformed"]): void {
  const refuse = (socket: Duplex, point?: UnreadPointId, message?: string) =>
    underWay.afterWhole(socket, (isAmidResponse) => {
      if (isAmidResponse) socket.destroy();
      else writeRaw(socket, malformed(point, message));
    });
  server.on("connect", (_: IncomingMessage, socket: Duplex) => {
    // Node no longer listens to this socket.
    socket.on("error", () => socket.destroy()).resume();
    socket.once("finish", () => socket.destroy());
    refuse(socket, "gateway.bad_request", noProxy);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    // The server itself stopped reading, so the rest of the request may have arrived in time.
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && underWay.isPaused(socket)) return;
    refuse(socket, unread[error.code ?? ""]);
  });
}

/**
 * Serves clients that close their side after sending their requests. By default Node would then close the other side at
 * once, with requests still waiting; `httpAllowHalfOpen` closes it after the last response. A stream without a reader
 * still ends.
 */
function answerHalfClosed(server: Server, underWay: UnderWay): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on(server instanceof HttpsServer ? "secureConnection" : "connection", (socket: Socket) => {
    socket.on("end", () => {
      underWay.close(socket);
      if (underWay.isIdle(socket)) socket.end();
    });
    socket.on("close", () => underWay.close(socket));
  });
}

/** Ends a connection without a response, or in the middle of one; does nothing if the client has closed it. */
function lose(lost: ConnectionLost, outgoing: ServerResponse): void {
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

/** Responds on a connection whose request Node could not read, and closes it. */
async function writeRaw(socket: Duplex, response: Response): Promise<void> {
  const { status } = response;
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}Content-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** On this machine, a server that listens on every interface is reached through localhost. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function bindingFailure(error: NodeJS.ErrnoException, host: string, port: number): SetupError {
  if (error.code === "EADDRINUSE") {
    return new CouldNotRun(
      `port ${port} on ${host} is taken: stop what holds it, or choose another (0 picks a free one)`,
    );
  }
  if (error.code === "EACCES") {
    return new CouldNotRun(
      `port ${port} on ${host} needs rights that this user lacks: choose one above 1023`,
    );
  }
  return new SetupError(`${host} port ${port} cannot be bound: ${error.message}`);
}

function close(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  return new Promise((closed) => {
    // Includes connections without a TLS handshake, which the server does not know yet.
    const deadline = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, drainMs);
    // A keep-alive connection becomes idle after its response, and Node would wait for its timeout.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(idle);
      closed();
    });
  });
}
