import type { CompanyId } from "../contract/identifiers.ts";
import type { Services } from "./services.ts";

/** Makes a webhook's secret, as Standard Webhooks has it: `whsec_` and 32 bytes in base64. */
export function makeWebhookSecret(
  { store, random }: Pick<Services, "store" | "random">,
  companyPk: number,
  companyId: CompanyId,
): string {
  const n = store.nextNumber(companyPk, "webhook_secrets");
  return `whsec_${btoa(String.fromCharCode(...random.block("webhook_secret", companyId, n)))}`;
}
