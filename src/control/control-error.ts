import type { ContentfulStatusCode } from "hono/utils/http-status";

/** A refusal of the sandbox's own API, answered as `{error}`. */
export class ControlError extends Error {
  readonly status: ContentfulStatusCode;

  constructor(status: ContentfulStatusCode, message: string) {
    super(message);
    this.name = "ControlError";
    this.status = status;
  }
}
