import type { Context } from "hono";
import type { HttpEnv } from "./http-services.ts";

/** One check of a request: it throws what it refuses, and returns a promise only where it has to wait. */
export type Check = (c: Context<HttpEnv>) => Promise<void> | void;

/** Answers a request that has passed its checks. */
export type Route = (c: Context<HttpEnv>) => Promise<Response> | Response;

/** Answers a request that was refused. */
type Refusal = (thrown: Error, c: Context<HttpEnv>) => ReturnType<Route>;

/**
 * Checks a request, one check after the other, and answers it or what was thrown. Nothing awaits anything where no
 * check has to wait: what is decided is then taken in one go, and costs less than a chain of Hono's middleware.
 */
export function inOrder(checks: readonly Check[], route: Route, refuse: Refusal): Route {
  const from = (first: number, c: Context<HttpEnv>): ReturnType<Route> => {
    try {
      for (let i = first; i < checks.length; i++) {
        const waiting = checks[i]?.(c);
        if (waiting) return waiting.then(() => from(i + 1, c));
      }
      return route(c);
    } catch (thrown) {
      return refuse(thrown as Error, c);
    }
  };
  return (c) => from(0, c);
}
