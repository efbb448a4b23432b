/** As much of autocannon as the load is made with. */
declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  interface Request {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  }

  interface Client {
    setRequests(requests: readonly Request[]): void;
  }

  interface Options {
    readonly url: string;
    readonly connections: number;
    /** In seconds. */
    readonly duration?: number;
    /** How many requests, in place of a duration. */
    readonly amount?: number;
    /** How often it looks whether it is over, in milliseconds. */
    readonly sampleInt: number;
    readonly setupClient: (client: Client) => void;
  }

  interface Result {
    readonly errors: number;
    readonly timeouts: number;
  }

  function autocannon(options: Options, done: (error: Error | null, result: Result) => void): EventEmitter;
  export = autocannon;
}
