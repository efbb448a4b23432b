import { base64, hex } from "@scure/base";
import type { Choices } from "../contract/behaviours.ts";
import type { CompanyId } from "../contract/identifiers.ts";
import { hmacOf, type Random } from "../rules/random.ts";
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

/** The alternatives that decide the headers of an event. */
export type SigningChoices = Pick<Choices, "webhooks.signature" | "webhooks.header_names">;

/**
 * The headers that sign a message, with one signature for each secret.
 * @param secrets - without any, the signature is wrong
 */
export async function signedHeaders(
  choices: SigningChoices,
  id: string,
  at: Date,
  body: string,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const prefix = choices["webhooks.header_names"];
  const signing = secrets.length > 0 ? secrets : [wrongSecret];
  const seconds = Math.floor(at.getTime() / 1000);
  const inHex = (text: string) => signing.map((secret) => `v1=${hex.encode(hmacOf(secret, text))}`).join(",");
  switch (choices["webhooks.signature"]) {
    case "standard": {
      // Loaded at the first delivery, so that the start does not wait for it.
      const { Webhook } = await import("standardwebhooks");
      return {
        [`${prefix}-id`]: id,
        [`${prefix}-timestamp`]: String(seconds),
        [`${prefix}-signature`]: signing.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
      };
    }
    case "stripe":
      return {
        [`${prefix}-id`]: id,
        [`${prefix}-signature`]: `t=${seconds},${inHex(`${seconds}.${body}`)}`,
      };
    case "revolut":
      return {
        [`${prefix}-id`]: id,
        [`${prefix}-timestamp`]: String(at.getTime()),
        [`${prefix}-signature`]: inHex(`v1.${at.getTime()}.${body}`),
      };
  }
}

/** How far the timestamp of a message may be from the time of its receiver, as in the libraries of Standard Webhooks. */
const toleranceMs = 5 * 60 * 1000;

/**
 * Checks a message as its receiver would.
 * @param secrets - all secrets of the webhook that are valid now
 * @param nowMs - the time of the receiver
 * @returns why it must be refused; null if it is genuine
 */
export async function signatureProblem(
  choices: SigningChoices,
  headers: Headers,
  body: string,
  secrets: readonly string[],
  nowMs: number,
): Promise<string | null> {
  const prefix = choices["webhooks.header_names"];
  const kind = choices["webhooks.signature"];
  const signature = headers.get(`${prefix}-signature`) ?? "";
  const sentAt = kind === "stripe" ? signature.slice(2).split(",")[0] : headers.get(`${prefix}-timestamp`);
  const at = new Date(Number(sentAt) * (kind === "revolut" ? 1 : 1000));
  const expected = await signedHeaders(choices, headers.get(`${prefix}-id`) ?? "", at, body, secrets);
  if (expected[`${prefix}-signature`] !== signature) {
    return `${prefix}-signature: does not match the secret of the webhook`;
  }
  const offMs = Math.abs(nowMs - at.getTime());
  if (offMs <= toleranceMs) return null;
  return `timestamp: is ${Math.round(offMs / 60_000)} minutes off the time of the receiver, which allows 5 minutes`;
}
