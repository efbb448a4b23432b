import type { History } from "./history.ts";
import { claimStep } from "./scenarios.ts";
import type { Company, Key, Token } from "./world.ts";

const tokenLifetimeMs = 15 * 60_000;
export const endpoints = { sandbox: "/auth/v1/sandbox/token", live: "/auth/v1/token" } as const;
const operations = { sandbox: "exchangeSandboxKey", live: "exchangeLiveKey" } as const;

/** Exchanges a key at an endpoint; undefined if it is refused. */
export async function exchange(
  history: History,
  company: Company,
  key: Key,
  at: "sandbox" | "live" = company.environment,
): Promise<Token | undefined> {
  const meet = (status: number, point: string, more: object = {}) =>
    history.expectReply({ status, point, ...more }, "POST", endpoints[at], { body: { api_key: key.secret } });
  if (at !== company.environment) {
    await meet(401, "token.environment_mismatch");
    return undefined;
  }
  const claim = claimStep(history.world, company, operations[at]);
  const { refuses, tokenLifetimeMs: forcedMs } = claim?.effect ?? {};
  const isForcedRevoked = refuses === "token.key_revoked";
  if (refuses && !isForcedRevoked) {
    claim?.take();
    await meet(503, refuses, { scenario: claim?.name });
    return undefined;
  }
  if (key.status === "revoked" || isForcedRevoked) {
    if (isForcedRevoked) claim?.take();
    await meet(401, "token.key_revoked", { scenario: isForcedRevoked ? claim?.name : undefined });
    return undefined;
  }
  claim?.take();
  const expiresMs = history.nowMs(company) + (forcedMs ?? tokenLifetimeMs);
  const body = { expires_at: new Date(expiresMs).toISOString() };
  const { json } = await meet(200, "token.issued", { body, scenario: claim?.name });
  const token = {
    value: json.access_token,
    companyId: company.id,
    memberId: key.memberId,
    expiresMs,
  };
  history.world.tokens.push(token);
  history.tokensEver.push(token.value);
  return token;
}
