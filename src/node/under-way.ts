import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The requests of each connection that are not answered yet. */
export class UnderWay {
  readonly #connections = new WeakMap<Duplex, Connection>();

  enter(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const connection = this.#of(incoming.socket);
    connection.requests.add(incoming);
    connection.latest = outgoing;
  }

  leave(incoming: IncomingMessage): void {
    const { requests, whenWhole } = this.#of(incoming.socket);
    requests.delete(incoming);
    // The adapter writes the answer meanwhile.
    if (requests.size === 0 && whenWhole) setImmediate(whenWhole);
  }

  /** Whether nothing of a connection waits to be answered, nor to be refused. */
  isIdle(socket: Duplex): boolean {
    const { requests, whenWhole } = this.#of(socket);
    return requests.size === 0 && whenWhole === undefined;
  }

  /**
   * Refuses what came on a connection and cannot be read, once, after what came whole before it is answered.
   * @param refuse - is told whether an answer is being written that goes on and on
   */
  afterWhole(socket: Duplex, refuse: (isAmidAnswer: boolean) => void): void {
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
    const connection = { requests: new Set<IncomingMessage>(), latest: undefined, whenWhole: undefined };
    this.#connections.set(socket, connection);
    return connection;
  }
}

interface Connection {
  readonly requests: Set<IncomingMessage>;
  latest: ServerResponse | undefined;
  whenWhole: (() => void) | undefined;
}
