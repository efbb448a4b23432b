import type { MiddlewareHandler } from "hono";
import type { ErrorPointId } from "../../contract/points.ts";
import { SandboxError } from "../../core/errors.ts";
import type { HttpEnv } from "../http-services.ts";

/** 400: the body is declared as `application/json`, with or without parameters (spec §4). */
export function jsonContent(point: ErrorPointId): MiddlewareHandler<HttpEnv> {
  return (c, next) => {
    const contentType = c.req.header("Content-Type");
    if (contentType === undefined || !/^application\/json[ \t]*(;|$)/i.test(contentType)) {
      throw new SandboxError(
        point,
        `Content-Type: must be application/json; got ${contentType === undefined ? "none" : JSON.stringify(contentType)}`,
      );
    }
    return next();
  };
}
