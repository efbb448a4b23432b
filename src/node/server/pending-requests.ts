import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate, ticks } from "../real-timers.ts";

/**
 * The maximum number of pending requests on a connection. The server stops reading from the connection when
 * it is reached. Node parses each chunk to its end, so up to 64 KiB of further requests may be in memory.
 */
const maxPending = 100;

/**
 * The requests of each connection that have no response yet. If a client pipelines more than `maxPending`,
 * the server pauses the connection until half of them have responses. A paused connection does not report
 * that the client closed it.
 */
export class PendingRequests {
  readonly #connections = new WeakMap<Duplex, Connection>();

  add(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const connection = this.#of(incoming.socket);
    connection.requests.add(incoming);
    connection.latest = outgoing;
    if (connection.requests.size >= maxPending) this.#pause(incoming.socket, connection);
  }

  /** Pauses the socket in the next tick, because Node resumes it after it has parsed the request. */
  #pause(socket: Socket, connection: Connection): void {
    if (connection.isPausing) return;
    connection.isPausing = true;
    process.nextTick(() => {
      connection.isPausing = false;
      if (connection.requests.size < maxPending) return;
      connection.isPaused = true;
      socket.pause();
    });
  }

  isPaused(socket: Duplex): boolean {
    return this.#of(socket).isPaused;
  }

  remove(incoming: IncomingMessage): void {
    const connection = this.#of(incoming.socket);
    const { requests, refuse } = connection;
    requests.delete(incoming);
    if (requests.size === 0) connection.goneListeners = [];
    if (connection.isPaused && requests.size <= maxPending / 2) {
      connection.isPaused = false;
      incoming.socket.resume();
    }
    // The adapter writes the response before the next turn of the event loop.
    if (requests.size === 0 && refuse) setImmediate(refuse);
  }

  /** Records that the client closed the connection, or its side of it. */
  close(socket: Duplex): void {
    const connection = this.#of(socket);
    connection.goneMs ??= ticks();
    const { goneListeners } = connection;
    connection.goneListeners = [];
    for (const listener of goneListeners) listener();
  }

  /**
   * The time at which the client closed the connection of a request, in milliseconds of `ticks()`.
   */
  goneMs({ socket }: IncomingMessage): number | undefined {
    return this.#connections.get(socket)?.goneMs;
  }

  /** Calls the listener when the client closes the connection of a request, or its side of it. */
  onGone({ socket }: IncomingMessage, listener: () => void): void {
    this.#of(socket).goneListeners.push(listener);
  }

  /** Whether a connection has no pending request and no pending refusal. */
  isIdle(socket: Duplex): boolean {
    const { requests, refuse } = this.#of(socket);
    return requests.size === 0 && refuse === undefined;
  }

  /**
   * Refuses input that cannot be parsed, once for each connection, after the responses to the complete
   * requests before it.
   * @param refuse - its argument is true if a response is still being written
   */
  afterPending(socket: Duplex, refuse: (isWritingResponse: boolean) => void): void {
    const connection = this.#of(socket);
    if (connection.refuse) return;
    connection.refuse = () => {
      const { latest } = connection;
      refuse(latest?.headersSent === true && !latest.writableEnded);
    };
    const all = [...connection.requests];
    if (all.length === 0 || !all.every(({ complete }) => complete)) connection.refuse();
  }

  #of(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection: Connection = {
      requests: new Set(),
      latest: undefined,
      refuse: undefined,
      isPausing: false,
      isPaused: false,
      goneMs: undefined,
      goneListeners: [],
    };
    this.#connections.set(socket, connection);
    return connection;
  }
}

interface Connection {
  readonly requests: Set<IncomingMessage>;
  latest: ServerResponse | undefined;
  /** Refuses the input after the pending requests. */
  refuse: (() => void) | undefined;
  /** Whether it will be paused in the next tick. */
  isPausing: boolean;
  isPaused: boolean;
  goneMs: number | undefined;
  goneListeners: (() => void)[];
}
