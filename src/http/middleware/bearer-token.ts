import type { MiddlewareHandler } from "hono";
import { authenticate } from "../../core/authenticate.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";

/** 401: finds the caller behind the access token (spec §5). The scheme is named in any letter case. */
export function bearerToken(services: HttpServices): MiddlewareHandler<HttpEnv> {
  return (c, next) => {
    const credentials = /^bearer +([^ ]+) *$/i.exec(c.req.header("Authorization") ?? "");
    const caller = authenticate(services, credentials?.[1], services.served);
    c.set("caller", caller);
    c.set("clockOffsetMs", caller.clockOffsetMs);
    c.set("generation", services.generations.of(caller.companyPk));
    return next();
  };
}
