import type { Context } from "hono";
import type { HttpEnv } from "./http-services.ts";

/** A header of a request; undefined where it was not sent. */
export function sentHeader(c: Context<HttpEnv>, name: string): string | undefined {
  return (c.env.arrived?.headers ?? c.req.raw.headers).get(name) ?? undefined;
}
