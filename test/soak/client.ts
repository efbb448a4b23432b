import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

interface Response {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: read where the shape is certain
  readonly json: any;
}

/** Calls a sandbox over kept-alive connections; `fetch` would take longer than the sandbox. */
export class Client {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #streams: IncomingMessage[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const json = body !== undefined && { "Content-Type": "application/json" };
    const sent = request(this.#url + path, { method, agent: this.#agent, headers: { ...headers, ...json } });
    sent.end(body === undefined ? "" : JSON.stringify(body));
    try {
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const read = await text(response);
      return { status: response.statusCode ?? 0, json: read === "" ? undefined : JSON.parse(read) };
    } catch (error) {
      // The server closed an idle connection just as it was used again.
      const isIdleClose = sent.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
      if (isIdleClose) return this.call(method, path, body, headers);
      throw error;
    }
  }

  /** Follows the stream of the journal, and discards its entries. */
  async follow(query: string): Promise<void> {
    const sent = request(`${this.#url}/_sandbox/requests/stream${query}`, { agent: false }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.on("error", () => {}).resume();
    this.#streams.push(response);
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#agent.destroy();
  }
}
