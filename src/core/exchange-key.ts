import type { Environment } from "../contract/identifiers.ts";
import { accessTokenLifetimeMs, type TokenExchangeResponse } from "../contract/token-exchange.ts";
import { environmentOfKey } from "./api-key.ts";
import { SandboxError } from "./errors.ts";
import { hashOfSecret, opaqueTokenOf } from "./random.ts";
import type { Services } from "./services.ts";

const endpointOf: Readonly<Record<Environment, string>> = {
  sandbox: "POST /auth/v1/sandbox/token",
  live: "POST /auth/v1/token",
};

/** A new access token, and the lead of the time that it goes by. */
export interface Exchanged {
  readonly token: TokenExchangeResponse;
  readonly clockOffsetMs: number;
}

/**
 * Exchanges an API key for an access token (spec §4, §5). Each exchange makes a new token; older ones stay
 * valid until they expire.
 * @throws SandboxError `token.*`
 */
export function exchangeKey(
  { database, store, clock, random }: Services,
  endpoint: Environment,
  apiKey: string,
): Exchanged {
  const environment = environmentOfKey(apiKey);
  if (environment && environment !== endpoint) {
    throw new SandboxError(
      "token.environment_mismatch",
      `API key is not valid here: it is a ${environment} key, and this is the ${endpoint} endpoint; exchange it at ${endpointOf[environment]}`,
    );
  }
  return database.transaction(() => {
    const key = store.apiKeys.byHash(hashOfSecret(apiKey));
    if (!key) {
      throw new SandboxError("token.key_unknown", "API key is not valid: no key with this secret exists");
    }
    if (key.status === "revoked") {
      throw new SandboxError(
        "token.key_revoked",
        "API key is not valid: it was revoked; create another in the dashboard",
      );
    }
    if (key.memberStatus !== "active") {
      throw new SandboxError(
        "token.member_inactive",
        "API key is not valid: the member who owns it is no longer active in the company",
      );
    }
    const { caller } = key;
    const n = store.nextNumber(caller.companyPk, "access_tokens");
    const accessToken = opaqueTokenOf(random.block("access_token", caller.companyId, n));
    const expiresAtMs = clock.now() + caller.clockOffsetMs + accessTokenLifetimeMs;
    store.accessTokens.insert({
      hash: hashOfSecret(accessToken),
      companyPk: caller.companyPk,
      apiKeyPk: caller.apiKeyPk,
      membershipPk: key.membershipPk,
      expiresAtMs,
    });
    return {
      token: { access_token: accessToken, expires_at: new Date(expiresAtMs).toISOString() },
      clockOffsetMs: caller.clockOffsetMs,
    };
  });
}
