/** The part of autocannon's interface that load.ts uses. */
declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  interface Request {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Called before each request is sent. */
    readonly setupRequest?: autocannon.SetupRequest;
  }

  interface Options {
    readonly url: string;
    readonly connections: number;
    /** In seconds. */
    readonly duration?: number;
    /** The number of requests, instead of a duration. */
    readonly amount?: number;
    /** How often it checks whether the run is over, in milliseconds. */
    readonly sampleInt: number;
    readonly requests: readonly Request[];
  }

  interface Result {
    readonly errors: number;
    readonly timeouts: number;
  }

  function autocannon(options: Options, done: (error: Error | null, result: Result) => void): EventEmitter;
  namespace autocannon {
    type SetupRequest = (request: Request) => Request;
  }
  export = autocannon;
}
