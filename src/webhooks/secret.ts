import { base64 } from "@scure/base";
import type { CompanyId } from "../contract/identifiers.ts";
import type { Random } from "../rules/random.ts";
import type { PreviousSecret } from "../store/webhooks.ts";

/**
 * The n-th secret of a company's webhooks, as Standard Webhooks has it: `whsec_` and 32 bytes in base64. Signing needs
 * it in clear: it is made anew each time, and its number alone is kept.
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
