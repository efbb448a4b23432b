import { base64 } from "@scure/base";
import type { CompanyId } from "../contract/identifiers.ts";
import type { Random } from "../rules/random.ts";
import type { PreviousSecret } from "../store/webhooks.ts";

/**
 * The n-th secret of a company's webhooks in the format of Standard Webhooks: `whsec_` and 32 bytes in base64. It is
 * derived for each signature, so only its number is stored.
 */
export function webhookSecret(random: Random, companyId: CompanyId, n: number): string {
  return `whsec_${base64.encode(random.secret("webhook_secret", companyId, n))}`;
}

/** The earlier secrets of a webhook that still sign. */
export function unexpiredSecrets(
  previous: readonly PreviousSecret[],
  nowMs: number,
): readonly PreviousSecret[] {
  return previous.filter(({ untilMs }) => untilMs > nowMs);
}

/** Matches no webhook, because the secret of each has 32 bytes. */
const wrongSecret = btoa("no webhook's secret");

/**
 * The headers that sign a message (Standard Webhooks), with one signature for each secret.
 * @param secrets - without any, the signature is wrong
 */
export async function signedHeaders(
  id: string,
  at: Date,
  body: string,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  // Loaded at the first delivery, so that the start does not wait for it.
  const { Webhook } = await import("standardwebhooks");
  const signing = secrets.length > 0 ? secrets : [wrongSecret];
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signing.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}
