import type { CompanyId, Environment } from "../contract/identifiers.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { looksLikeApiKey } from "../rules/api-key.ts";
import { companyNow } from "../rules/clock.ts";
import { SandboxError } from "../rules/errors.ts";
import type { FactsOverlay } from "../rules/overlay.ts";
import type { Services } from "../runtime/services.ts";
import { type Caller, callerInCompany } from "../store/callers.ts";

/**
 * The caller behind an access token (spec §5).
 * @param accessToken - the credentials after `Bearer`; undefined if there are none
 * @param served - the environments that the base address serves
 * @throws SandboxError `auth.*`
 */
export function authenticate(
  { callers, clock }: Services,
  accessToken: string | undefined,
  served: readonly Environment[],
): Caller {
  if (!accessToken) {
    throw new SandboxError(
      "auth.token_missing",
      "Send an access token as Authorization: Bearer ACCESS_TOKEN; a token endpoint gives one for an API key",
    );
  }
  if (looksLikeApiKey(accessToken)) {
    throw new SandboxError(
      "auth.api_key_as_bearer",
      "This is an API key, which goes to the token endpoint only: exchange it there and send the access_token",
    );
  }
  const token = callers.byAccessToken(accessToken);
  if (!token) throw refused();
  if (companyNow(clock, token.caller.clockOffsetMs) >= token.expiresAtMs) {
    throw expired(` at ${new Date(token.expiresAtMs).toISOString()}`);
  }
  if (!served.includes(token.caller.environment)) {
    throw new SandboxError(
      "auth.environment_mismatch",
      `The access token is of the ${token.caller.environment} environment, and this base address serves ${served.join(" and ")}`,
    );
  }
  return token.caller;
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
  return new SandboxError("auth.token_invalid", "The access token is not valid: exchange the API key again");
}

function expired(when: string): SandboxError {
  return new SandboxError(
    "auth.token_expired",
    `The access token expired${when}: exchange the API key again before expires_at`,
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
      "X-On-Behalf-Of: the member who owns the API key does not belong to this company",
    );
  }
  return acting;
}
