import type { Choices } from "../contract/behaviours.ts";
import type { Environment } from "../contract/identifiers.ts";
import type { TokenExchangeResponse } from "../contract/token-exchange.ts";
import { environmentOfKey } from "../rules/api-key.ts";
import { companyNow } from "../rules/clock.ts";
import { SandboxError } from "../rules/errors.ts";
import type { Overlay } from "../rules/overlay.ts";
import { hashOfSecret, opaqueTokenOf } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import { type ApiKeyRecord, apiKeyByHash } from "../store/api-keys.ts";
import { type Caller, deleteExpiredTokens, insertAccessToken } from "../store/callers.ts";
import { nextNumber } from "../store/meta.ts";

/** The endpoint that exchanges the API keys of an environment. */
export const tokenEndpoints: Readonly<Record<Environment, string>> = {
  sandbox: "POST /auth/v1/sandbox/token",
  live: "POST /auth/v1/token",
};

/**
 * The member who owns an API key of this environment. `exchangeKey` checks whether the key is revoked.
 * @throws SandboxError `token.*`
 */
export function keyHolder(services: Services, endpoint: Environment, apiKey: string): Caller {
  return findKey(services, endpoint, apiKey).caller;
}

/**
 * Exchanges an API key for an access token (spec §4, §5). Each exchange makes a new token; older tokens stay
 * valid until they expire.
 * @throws SandboxError `token.*`
 */
export function exchangeKey(
  services: Services,
  endpoint: Environment,
  apiKey: string,
  { facts, tokenLifetimeMs }: Overlay,
): TokenExchangeResponse {
  return services.database.transaction(() => {
    const { caller, status, memberStatus } = findKey(services, endpoint, apiKey);
    if (facts.keyRevoked || status === "revoked") throw revoked();
    if (memberStatus !== "active") {
      throw new SandboxError(
        "token.member_inactive",
        "api_key: the member who owns the key is not active in the company. Use the API key of an active member.",
      );
    }
    return issueToken(services, caller, tokenLifetimeMs);
  });
}

/** Makes an access token of the caller's API key. Call it in a transaction, after the key was checked. */
export function issueToken(
  { database, clock, random, dialects }: Services,
  caller: Caller,
  tokenLifetimeMs?: number,
): TokenExchangeResponse {
  const { choices } = dialects.of(caller.companyPk);
  const n = nextNumber(database, caller.companyPk, "access_tokens");
  const accessToken = opaqueTokenOf(random.secret("access_token", caller.companyId, n));
  const lifetimeMs = tokenLifetimeMs ?? Number(choices["token.lifetime"]) * 1000;
  const expiresAtMs = companyNow(clock, caller.clockOffsetMs) + lifetimeMs;
  const pk = insertAccessToken(database, {
    hash: hashOfSecret(accessToken),
    companyPk: caller.companyPk,
    apiKeyPk: caller.apiKeyPk,
    expiresAtMs,
  });
  deleteExpiredTokens(database, pk, clock.now() - leewayMs(choices));
  return { access_token: accessToken, expires_at: new Date(expiresAtMs).toISOString() };
}

/** How long a token is accepted after its expiry. */
export function leewayMs(choices: Choices): number {
  return Number(choices["token.clock_skew"]) * 1000;
}

/** @throws SandboxError 401: the key belongs to the other environment, or does not exist */
function findKey({ database, fixtureKeys }: Services, endpoint: Environment, apiKey: string): ApiKeyRecord {
  const environment = environmentOfKey(apiKey);
  if (environment && environment !== endpoint) {
    throw new SandboxError(
      "token.environment_mismatch",
      `api_key: must be a ${endpoint} key, but is a ${environment} key. Exchange it at ${tokenEndpoints[environment]}.`,
    );
  }
  const key = apiKeyByHash(database, fixtureKeys, hashOfSecret(apiKey));
  if (!key) {
    throw new SandboxError("token.key_unknown", "api_key: no API key with this secret exists");
  }
  return key;
}

function revoked(): SandboxError {
  return new SandboxError(
    "token.key_revoked",
    "api_key: the API key is revoked. Create another API key in the dashboard or with card-sandbox keys create.",
  );
}
