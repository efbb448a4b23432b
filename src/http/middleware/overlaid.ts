import type { MiddlewareHandler } from "hono";
import type { HttpEnv, HttpServices } from "../http-services.ts";

/** What is forced on the request, before anything is decided. */
export function overlaid(services: HttpServices): MiddlewareHandler<HttpEnv> {
  return (c, next) => {
    c.set("overlay", services.overlayOf(c.req.raw));
    return next();
  };
}
