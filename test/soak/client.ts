import { Agent, type IncomingMessage, request } from "node:http";

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the soak reads what it knows to be there
  readonly json: any;
}

/** Calls one sandbox over connections that are kept alive; `fetch` would take more time than what it asks. */
export class Client {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #streams: IncomingMessage[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = body === undefined ? "" : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#url + path,
        {
          method,
          agent: this.#agent,
          headers: {
            ...headers,
            ...(body !== undefined && {
              "Content-Type": "application/json",
              "Content-Length": Buffer.byteLength(text),
            }),
          },
        },
        (response) => {
          let read = "";
          response.setEncoding("utf8").on("data", (chunk: string) => {
            read += chunk;
          });
          response.on("error", reject);
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, json: read === "" ? undefined : JSON.parse(read) }),
          );
        },
      );
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // The server closed a connection that was idle, just as it was taken up again.
        if (sent.reusedSocket && error.code === "ECONNRESET") {
          resolve(this.call(method, path, body, headers));
        } else reject(error);
      });
      sent.end(text);
    });
  }

  /** Follows the journal, and reads what comes. */
  async follow(query: string): Promise<void> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${this.#url}/_sandbox/requests/stream${query}`, { agent: false }, resolve)
        .on("error", reject)
        .end();
    });
    response.on("error", () => {}).resume();
    this.#streams.push(response);
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#agent.destroy();
  }
}
