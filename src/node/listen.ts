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
import type { UnreadPointId } from "../contract/answers.ts";
import { AnswerCutOff } from "../http/answer-cut-off.ts";
import { ConnectionLost, SetupError } from "../rules/errors.ts";
import { arrived, inTurns } from "./arrived.ts";
import { CouldNotRun } from "./could-not-run.ts";
import { UnderWay } from "./under-way.ts";

/** PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  readonly serve: Serve;
  /** Serves what came together. */
  readonly together: (work: () => void) => void;
  /** Makes the response to a request that cannot be read. */
  readonly malformed: (point?: UnreadPointId, message?: string) => Response;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: Tls | undefined;
  /**
   * Whether the global `Request` and `Response` may give way to @hono/node-server's lighter ones: several
   * times faster, and nothing to do to a process that is somebody else's.
   */
  readonly lightGlobals: boolean;
}

type FetchCallback = Parameters<typeof getRequestListener>[0];

export interface Listening {
  /** `http://127.0.0.1:4242`, without a slash at its end. */
  readonly url: string;
  /** Takes no more connections, and waits for the answers under way, but not for ever. */
  close(): Promise<void>;
}

/** How long an answer under way may hold up closing. */
const drainMs = 1500;

/** How long a request may take to come: long for any client, and no slow one keeps its connection for good. */
const arrival = { headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 };

/** Over TLS too a client may close its side once it has asked, and has to begin in time. */
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
 * @throws CouldNotRun where it is taken, or not to be had by this user; SetupError where TLS refuses the certificate
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

function createServer({ serve, together, malformed, tls, lightGlobals }: ListenOptions): Server {
  const underWay = new UnderWay();
  // A promise also of what is there at once: what one turn brought is all answered before any of it is written.
  const answered = async (request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> => {
    try {
      return await serve(request, arrived(incoming, underWay));
    } catch (error) {
      if (error instanceof ConnectionLost) lose(error, outgoing);
      throw error;
    } finally {
      underWay.leave(incoming);
    }
  };
  // HTTP/2 is not served, whose messages are of another type.
  const answers = getRequestListener(answered as FetchCallback, {
    overrideGlobalObjects: lightGlobals,
    // HTTP/1.0 may leave out Host.
    hostname: "localhost",
    // Node itself reads the rest of a body that was answered early; the adapter would cut a slow one off.
    autoCleanupIncoming: false,
    errorHandler: (error) => {
      if (error instanceof RequestError) {
        underWay.leave(taken);
        return malformed();
      }
      // Its connection is gone, and there is nothing to answer on.
      if (error instanceof ConnectionLost) return undefined;
      throw error;
    },
  });
  // Of a request whose address cannot be read the adapter says no more than that, at once.
  let taken: IncomingMessage;
  const take: RequestListener = (incoming, outgoing) => {
    taken = incoming;
    answers(incoming, outgoing);
  };
  const inTurn = inTurns(take, together);
  // A request that comes before the answer to the last one is out has no connection yet. It waits for it: a client
  // that asks over and over, and never reads, has one answer in memory and not thousands.
  const connected =
    (answer: RequestListener): RequestListener =>
    (incoming, outgoing) => {
      underWay.enter(incoming, outgoing);
      if (outgoing.socket) answer(incoming, outgoing);
      else outgoing.once("socket", () => answer(incoming, outgoing));
    };
  const refuse = async (incoming: IncomingMessage, outgoing: ServerResponse, response: Response) => {
    const body = await response.text();
    const headers = { ...Object.fromEntries(response.headers), "content-length": Buffer.byteLength(body) };
    outgoing.writeHead(response.status, headers).end(body);
    underWay.leave(incoming);
  };
  const listener = connected((incoming, outgoing) => {
    const problem = hostProblem(incoming);
    if (problem === undefined) inTurn(incoming, outgoing);
    else refuse(incoming, outgoing, malformed("gateway.bad_request", problem));
  });
  try {
    const own = { ...arrival, requireHostHeader: false };
    const server = tls
      ? createHttpsServer({ ...own, ...handshake, cert: tls.cert, key: tls.key }, listener)
      : createHttpServer(own, listener);
    answerHalfClosed(server, underWay);
    server.on(
      "checkExpectation",
      connected((incoming, outgoing) => {
        const problem = hostProblem(incoming);
        const point = problem === undefined ? "gateway.expectation_failed" : "gateway.bad_request";
        refuse(incoming, outgoing, malformed(point, problem));
      }),
    );
    server.on("connect", (_: IncomingMessage, socket: Duplex) => {
      // Node listens to it no more.
      socket.on("error", () => socket.destroy()).resume();
      socket.once("finish", () => socket.destroy());
      underWay.afterWhole(socket, (isAmidAnswer) => {
        if (isAmidAnswer) socket.destroy();
        else writeRaw(socket, malformed("gateway.bad_request", noProxy));
      });
    });
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
      if (error.code === "ECONNRESET" || !socket.writable) {
        socket.destroy();
        return;
      }
      // The server itself stopped reading, so the rest of the request may have arrived in time.
      if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && underWay.isPaused(socket)) return;
      // What came whole before it is answered first.
      underWay.afterWhole(socket, (isAmidAnswer) => {
        if (isAmidAnswer) socket.destroy();
        else writeRaw(socket, malformed(unread[error.code ?? ""]));
      });
    });
    return server;
  } catch (error) {
    throw new SetupError(`the TLS certificate and key do not fit: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * A client may close its side once it has sent its requests, and is answered all the same. Node would close the other
 * side at once, and with it what waits for its turn; its own `httpAllowHalfOpen` closes it after the last answer. A
 * stream that nobody listens to any more still ends.
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

/** Ends a connection in place of an answer, or in the midst of one; that of a client that has gone is ended. */
function lose(lost: ConnectionLost, outgoing: ServerResponse): void {
  if (outgoing.socket) cut(lost, outgoing, outgoing.socket);
}

function cut(lost: ConnectionLost, outgoing: ServerResponse, socket: Socket): void {
  if (lost instanceof AnswerCutOff) {
    const { status, headers, text } = lost.sent;
    outgoing.writeHead(status, headers);
    outgoing.write(text, () => socket.destroy());
  } else if (lost.loss === "reset" && !(socket instanceof TLSSocket)) {
    socket.resetAndDestroy();
  } else {
    socket.destroy();
  }
}

/** Answers on a connection whose request Node could not read, and closes it. */
async function writeRaw(socket: Duplex, response: Response): Promise<void> {
  const { status } = response;
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}Content-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** A server on every interface is reached on this machine by its loopback address. */
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
    // Also those that never came to speak TLS, which the server does not know yet.
    const deadline = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, drainMs);
    // A connection kept alive falls idle when its answer is out, and Node then waits for it to time out.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(idle);
      closed();
    });
  });
}
