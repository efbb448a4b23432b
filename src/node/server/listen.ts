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
import type { Serve } from "../../api.ts";
import type { UnreadPointId } from "../../contract/responses.ts";
import { CouldNotRun, SetupError } from "../../rules/errors.ts";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "../real-timers.ts";
import { PendingRequests } from "./pending-requests.ts";
import { inBatches } from "./request-batches.ts";

/** A certificate and its private key, as PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  readonly serve: Serve;
  /** Serves a batch of requests. */
  readonly batch: (work: () => void) => void;
  /** Creates the response to a request that cannot be parsed. */
  readonly malformed: (point?: UnreadPointId, message?: string) => Response;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly tls: Tls | undefined;
  /**
   * Whether to replace the global `Request` and `Response` with the lighter ones of @hono/node-server. They
   * are several times faster, but a library must not replace the globals of a process that it does not own.
   */
  readonly lightGlobals: boolean;
  /** How long a response in progress may delay closing, in milliseconds. Default 1500. */
  readonly drainMs?: number | undefined;
}

export interface Listening {
  /** The base URL, such as `http://127.0.0.1:4242`, without a trailing slash. */
  readonly url: string;
  /** Closes the port after the responses in progress, or after `drainMs`. */
  close(): Promise<void>;
}

/** How long a request may take to arrive, in milliseconds. A slower client loses its connection. */
const arrival = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 };

/** For TLS: a client may close its side after its request, and must begin the handshake in time. */
const handshake = { allowHalfOpen: true, handshakeTimeout: 20_000 };

/** Node's error codes for requests that it could not parse and that get a status other than 400. */
const unparsed: Readonly<Record<string, UnreadPointId>> = {
  HPE_HEADER_OVERFLOW: "gateway.headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "gateway.content_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "gateway.request_timeout",
};

/** The message for CONNECT, to which Node sends no response. */
const noProxy = "CONNECT: this server is not a proxy. Send requests directly to its base URL.";

/** The problem with the Host header (RFC 9112 §3.2); undefined if there is none. */
function hostProblem({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  if (hosts > 1) return `Host: was sent ${hosts} times. Send it once.`;
  if (hosts === 0 && httpVersion === "1.1") {
    return "Host: is required in HTTP/1.1. Send it once.";
  }
  return undefined;
}

/**
 * Binds a port.
 * @throws CouldNotRun if the port is in use or this user may not bind it; SetupError if TLS refuses the
 *   certificate
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, port, tls, drainMs = 1500 } = options;
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
    close: () => close(server, connections, drainMs),
  };
}

function createServer(options: ListenOptions): Server {
  const { batch, malformed, tls } = options;
  const pending = new PendingRequests();
  const handle = inBatches(loadedListener(options, pending), batch);
  const refuse = async (incoming: IncomingMessage, outgoing: ServerResponse, response: Response) => {
    const body = await response.text();
    const headers = { ...Object.fromEntries(response.headers), "content-length": Buffer.byteLength(body) };
    outgoing.writeHead(response.status, headers).end(body);
    pending.remove(incoming);
  };
  const onRequest = whenConnected(pending, (incoming, outgoing) => {
    const problem = hostProblem(incoming);
    if (problem === undefined) handle(incoming, outgoing);
    else refuse(incoming, outgoing, malformed("gateway.bad_request", problem));
  });
  const onExpectation = whenConnected(pending, (incoming, outgoing) => {
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
    serveHalfClosed(server, pending);
    refuseUnparsed(server, pending, malformed);
    return server;
  } catch (error) {
    throw new SetupError(
      `tls: the certificate and its private key are invalid or do not match: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Loads the adapter with the first request, because it loads Node's HTTP client, which a listening server does not need yet.
 * Requests before that wait for it, in their order.
 */
function loadedListener(options: ListenOptions, pending: PendingRequests): RequestListener {
  let listener: RequestListener | undefined;
  let loading: Promise<RequestListener> | undefined;
  const load = async () => {
    const { requestListener } = await import("./request-listener.ts");
    listener = requestListener(options, pending);
    return listener;
  };
  return (incoming, outgoing) => {
    if (listener) return listener(incoming, outgoing);
    loading ??= load();
    loading.then(
      (listener) => listener(incoming, outgoing),
      (error: Error) => {
        outgoing.writeHead(500, { "content-type": "text/plain" }).end(`card-sandbox: ${error.message}\n`);
        pending.remove(incoming);
      },
    );
  };
}

/**
 * Delays a pipelined request until the previous response has been written, because it has no socket before
 * that. A client that sends requests and never reads has one response in memory instead of thousands.
 */
function whenConnected(pending: PendingRequests, listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    pending.add(incoming, outgoing);
    if (outgoing.socket) listener(incoming, outgoing);
    else outgoing.once("socket", () => listener(incoming, outgoing));
  };
}

/**
 * Responds to requests that Node cannot parse and to CONNECT, after the responses to the complete requests
 * before them.
 */
function refuseUnparsed(
  server: Server,
  pending: PendingRequests,
  malformed: ListenOptions["malformed"],
): void {
  const refuse = (socket: Duplex, point?: UnreadPointId, message?: string) =>
    pending.afterPending(socket, (isWritingResponse) => {
      if (isWritingResponse) socket.destroy();
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
    // The server itself paused the connection, so the rest of the request may have arrived in time.
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && pending.isPaused(socket)) return;
    refuse(socket, unparsed[error.code ?? ""]);
  });
}

/**
 * Serves clients that close their side after sending their requests. By default Node would then close the
 * other side at once, while requests still wait for their responses; `httpAllowHalfOpen` closes it after the
 * last response. A stream of requests still ends when its reader is gone.
 */
function serveHalfClosed(server: Server, pending: PendingRequests): void {
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on(server instanceof HttpsServer ? "secureConnection" : "connection", (socket: Socket) => {
    socket.on("end", () => {
      pending.close(socket);
      if (pending.isIdle(socket)) socket.end();
    });
    socket.on("close", () => pending.close(socket));
  });
}

/** Responds on a connection whose request Node could not parse, and closes it. */
async function writeRaw(socket: Duplex, response: Response): Promise<void> {
  const { status } = response;
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}Content-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** The host for the base URL. A server that listens on every interface is reachable as localhost. */
function reachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function bindingFailure(error: NodeJS.ErrnoException, host: string, port: number): SetupError {
  if (error.code === "EADDRINUSE") {
    return new CouldNotRun(
      `port ${port} on ${host} is in use. Stop the other server or use another port (0 selects a free port).`,
    );
  }
  if (error.code === "EACCES" && port > 1023) {
    return new CouldNotRun(
      `port ${port} on ${host} is reserved by the system. Use another port (0 selects a free port).`,
    );
  }
  if (error.code === "EACCES") {
    return new CouldNotRun(
      `port ${port} on ${host} requires privileges that this user does not have. Use a port above 1023.`,
    );
  }
  return new SetupError(`cannot listen on port ${port} of ${host}: ${error.message}`);
}

function close(server: Server, connections: ReadonlySet<Socket>, drainMs: number): Promise<void> {
  return new Promise((closed) => {
    // Includes connections without a TLS handshake, which the server does not list yet.
    const destroyAll = () => {
      for (const connection of connections) connection.destroy();
    };
    if (drainMs === 0) destroyAll();
    const deadline = setTimeout(destroyAll, drainMs);
    // A keep-alive connection becomes idle after its response; Node would wait for its timeout.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(idle);
      closed();
    });
  });
}
