import type { CompanyId, Environment } from "../contract/identifiers.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { looksLikeApiKey } from "../rules/api-key.ts";
import { companyNow } from "../rules/clock.ts";
import { SandboxError } from "../rules/errors.ts";
import type { FactsOverlay } from "../rules/overlay.ts";
import type { Services } from "../runtime/services.ts";
import { type Caller, callerInCompany } from "../store/callers.ts";
import { leewayMs, tokenEndpoints } from "./exchange-key.ts";

/**
 * The caller behind an access token (spec §5).
 * @param accessToken - the credentials after `Bearer`; undefined if there are none
 * @param served - the environments that the base URL serves
 * @throws SandboxError `auth.*`
 */
export function authenticate(
  { callers, clock, dialects }: Services,
  accessToken: string | undefined,
  served: readonly Environment[],
): Caller {
  if (!accessToken) {
    throw new SandboxError(
      "auth.token_missing",
      `Authorization: must be "Bearer ACCESS_TOKEN". Exchange an API key for an access token at ${endpointsOf(served)}.`,
    );
  }
  if (looksLikeApiKey(accessToken)) {
    throw new SandboxError(
      "auth.api_key_as_bearer",
      `Authorization: must be an access token, but is an API key. Exchange the API key at ${endpointsOf(served)}.`,
    );
  }
  const token = callers.byAccessToken(accessToken);
  if (!token) throw refused();
  const { companyPk, clockOffsetMs } = token.caller;
  const lateMs = companyNow(clock, clockOffsetMs) - token.expiresAtMs;
  if (lateMs >= 0 && lateMs >= leewayMs(dialects.of(companyPk).choices)) {
    throw expired(` at ${new Date(token.expiresAtMs).toISOString()}`);
  }
  if (!served.includes(token.caller.environment)) {
    throw new SandboxError(
      "auth.environment_mismatch",
      `Authorization: the access token belongs to the ${token.caller.environment} environment, but this base URL serves ${served.join(" and ")}. Use the base URL of the ${token.caller.environment} environment.`,
    );
  }
  return token.caller;
}

function endpointsOf(served: readonly Environment[]): string {
  return served.map((environment) => tokenEndpoints[environment]).join(" or ");
}

/**
 * Refuses a valid token if a scenario forces it.
 * @throws SandboxError `auth.token_invalid`, `auth.token_expired`
 */
export function refuseToken({ token }: FactsOverlay): void {
  if (token === "refused") throw refused();
  if (token === "expired") throw expired("");
}

function refused(): SandboxError {
  return new SandboxError(
    "auth.token_invalid",
    "Authorization: the access token is not valid. Exchange the API key again.",
  );
}

function expired(when: string): SandboxError {
  return new SandboxError(
    "auth.token_expired",
    `Authorization: the access token expired${when}. Exchange the API key again. To avoid this error, exchange it before expires_at.`,
  );
}

/**
 * The caller as a member of the company that it acts for (spec §5.7, a variant).
 * @throws SandboxError `notAMember`
 */
export function actFor(
  { database }: Services,
  caller: Caller,
  companyId: CompanyId,
  notAMember: ErrorPointId,
): Caller {
  if (companyId === caller.companyId) return caller;
  const acting = callerInCompany(database, caller, companyId);
  if (!acting) {
    throw new SandboxError(
      notAMember,
      `X-On-Behalf-Of: the member who owns the API key does not belong to company ${companyId}. Send the id of one of the member's companies.`,
    );
  }
  return acting;
}
