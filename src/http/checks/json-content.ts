import type { ErrorPointId } from "../../contract/points.ts";
import { quoted, SandboxError } from "../../rules/errors.ts";
import type { Check } from "../in-order.ts";
import { sentHeader } from "../sent-header.ts";

/** 400: the body is declared as `application/json`, with or without parameters (spec §4). */
export function jsonContent(point: ErrorPointId): Check {
  return (c) => {
    const contentType = sentHeader(c, "Content-Type");
    if (contentType === undefined || !/^application\/json[ \t]*(;|$)/i.test(contentType)) {
      throw new SandboxError(
        point,
        `Content-Type: must be application/json; got ${contentType === undefined ? "none" : quoted(contentType)}`,
      );
    }
  };
}
