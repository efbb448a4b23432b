import type { ContentfulStatusCode } from "hono/utils/http-status";
import { maskSecrets } from "../rules/api-key.ts";
import { shortened } from "../rules/errors.ts";

/** A refusal of the sandbox's own API, answered as `{error}`. What it quotes may be a secret: it is masked. */
export class ControlError extends Error {
  readonly status: ContentfulStatusCode;

  constructor(status: ContentfulStatusCode, message: string) {
    super(shortened(maskSecrets(message)));
    this.name = "ControlError";
    this.status = status;
  }
}
