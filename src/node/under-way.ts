import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * The most requests of one connection that may wait for their responses; then the server stops reading from it. Node
 * parses each chunk to its end, so up to 64 KiB of further requests may be in memory.
 */
const mostWaiting = 100;

/**
 * The unanswered requests of each connection. If a client pipelines more than `mostWaiting`, the server does not read
 * from it until half of them are answered. During that time it does not notice when the client closes the connection.
 */
export class UnderWay {
  readonly #connections = new WeakMap<Duplex, Connection>();

  enter(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const connection = this.#of(incoming.socket);
    connection.requests.add(incoming);
    connection.latest = outgoing;
    if (connection.requests.size >= mostWaiting) this.#pause(incoming.socket, connection);
  }

  /** Pauses it later, because Node resumes the socket after it has parsed the request, and at other times too. */
  #pause(socket: Socket, connection: Connection): void {
    if (connection.isPausing) return;
    connection.isPausing = true;
    process.nextTick(() => {
      connection.isPausing = false;
      if (connection.requests.size < mostWaiting) return;
      connection.isPaused = true;
      socket.pause();
    });
  }

  isPaused(socket: Duplex): boolean {
    return this.#of(socket).isPaused;
  }

  leave(incoming: IncomingMessage): void {
    const connection = this.#of(incoming.socket);
    const { requests, whenWhole } = connection;
    requests.delete(incoming);
    if (connection.isPaused && requests.size <= mostWaiting / 2) {
      connection.isPaused = false;
      incoming.socket.resume();
    }
    // The adapter writes the response before that.
    if (requests.size === 0 && whenWhole) setImmediate(whenWhole);
  }

  /** The client closed a connection, or its side of it. */
  close(socket: Duplex): void {
    this.#of(socket).goneMs ??= performance.now();
  }

  /** When the client closed the connection of a request, in the milliseconds of `performance.now()`. */
  goneMs({ socket }: IncomingMessage): number | undefined {
    return this.#connections.get(socket)?.goneMs;
  }

  /** Whether no request of a connection waits for its response or refusal. */
  isIdle(socket: Duplex): boolean {
    const { requests, whenWhole } = this.#of(socket);
    return requests.size === 0 && whenWhole === undefined;
  }

  /**
   * Refuses unreadable input on a connection, once, after the responses to the complete requests before it.
   * @param refuse - gets true while a response without an end is being written
   */
  afterWhole(socket: Duplex, refuse: (isAmidResponse: boolean) => void): void {
    const connection = this.#of(socket);
    if (connection.whenWhole) return;
    connection.whenWhole = () => {
      const { latest } = connection;
      refuse(latest?.headersSent === true && !latest.writableEnded);
    };
    const all = [...connection.requests];
    if (all.length === 0 || !all.every(({ complete }) => complete)) connection.whenWhole();
  }

  #of(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection: Connection = {
      requests: new Set(),
      latest: undefined,
      whenWhole: undefined,
      isPausing: false,
      isPaused: false,
      goneMs: undefined,
    };
    this.#connections.set(socket, connection);
    return connection;
  }
}

interface Connection {
  readonly requests: Set<IncomingMessage>;
  latest: ServerResponse | undefined;
  whenWhole: (() => void) | undefined;
  /** It is about to be paused. */
  isPausing: boolean;
  isPaused: boolean;
  goneMs: number | undefined;
}
