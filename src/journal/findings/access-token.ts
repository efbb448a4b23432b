import type { Seen } from "./seen.ts";

/** An access token as an exchange was answered with it. */
export interface TokenIssued {
  /** A secret: it is shown to nobody. */
  readonly token: string;
  /** By the clock that the company goes by. */
  readonly expiresAtMs: number;
}

/** The access token that an exchange brought; undefined where it brought none that arrived. */
export function tokenIssued(request: Seen): TokenIssued | undefined {
  if (request.exchange.point !== "token.issued") return undefined;
  const { access_token: token, expires_at } = (request.answered ?? {}) as Record<string, unknown>;
  if (typeof token !== "string" || typeof expires_at !== "string") return undefined;
  return { token, expiresAtMs: Date.parse(expires_at) };
}

/** What a request was sent with as its access token; a secret. */
export function tokenSent({ sender }: Seen): string | undefined {
  return sender.token;
}

/** Whether it is a request of a token endpoint. */
export function isExchange({ exchange: { operation } }: Seen): boolean {
  return operation === "exchangeSandboxKey" || operation === "exchangeLiveKey";
}
