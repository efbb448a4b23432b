import type { Rule } from "./rule.ts";
import { apiKeyOutsideExchange } from "./rules/api-key-outside-exchange.ts";
import { changeRepeated } from "./rules/change-repeated.ts";
import { constantKey } from "./rules/constant-key.ts";
import { cursorWithOtherFilters } from "./rules/cursor-with-other-filters.ts";
import { deliveryMethodNotOffered } from "./rules/delivery-method-not-offered.ts";
import { expiredTokenAgain } from "./rules/expired-token-again.ts";
import { floatingPointAmount } from "./rules/floating-point-amount.ts";
import { forgedWebhookAccepted } from "./rules/forged-webhook-accepted.ts";
import { improperKey } from "./rules/improper-key.ts";
import { keyReusedForAnotherOrder } from "./rules/key-reused-for-another-order.ts";
import { listWithoutFurtherPages } from "./rules/list-without-further-pages.ts";
import { liveKeySent } from "./rules/live-key-sent.ts";
import { misspeltField } from "./rules/misspelt-field.ts";
import { parallelRequestsWithOneKey } from "./rules/parallel-requests-with-one-key.ts";
import { pinAsNumber } from "./rules/pin-as-number.ts";
import { refusedRequestUnchanged } from "./rules/refused-request-unchanged.ts";
import { retriesWithoutBackoff } from "./rules/retries-without-backoff.ts";
import { retryBeforeRetryAfter } from "./rules/retry-before-retry-after.ts";
import { retryWithNewKey } from "./rules/retry-with-new-key.ts";
import { rushOfExchanges } from "./rules/rush-of-exchanges.ts";
import { sameCursorAgain } from "./rules/same-cursor-again.ts";
import { secretInUrl } from "./rules/secret-in-url.ts";
import { timestampWithoutOffset } from "./rules/timestamp-without-offset.ts";
import { tokenForEachRequest } from "./rules/token-for-each-request.ts";
import { unknownOutcomeLeftAlone } from "./rules/unknown-outcome-left-alone.ts";
import { webhookNotAcknowledged } from "./rules/webhook-not-acknowledged.ts";

/** The rules by their ids. */
export const rules = {
  "IDEM-1": retryWithNewKey,
  "IDEM-2": keyReusedForAnotherOrder,
  "IDEM-3": constantKey,
  "IDEM-4": parallelRequestsWithOneKey,
  "IDEM-5": unknownOutcomeLeftAlone,
  "IDEM-6": improperKey,
  "RETRY-1": retriesWithoutBackoff,
  "RETRY-2": retryBeforeRetryAfter,
  "RETRY-3": refusedRequestUnchanged,
  "AUTH-1": apiKeyOutsideExchange,
  "AUTH-2": liveKeySent,
  "AUTH-3": tokenForEachRequest,
  "AUTH-4": expiredTokenAgain,
  "AUTH-5": rushOfExchanges,
  "AUTH-7": secretInUrl,
  "VAL-1": floatingPointAmount,
  "VAL-2": pinAsNumber,
  "VAL-3": misspeltField,
  "VAL-5": deliveryMethodNotOffered,
  "PAGE-1": listWithoutFurtherPages,
  "PAGE-2": cursorWithOtherFilters,
  "PAGE-3": sameCursorAgain,
  "HOOK-2": forgedWebhookAccepted,
  "HOOK-5": webhookNotAcknowledged,
  "STATE-1": changeRepeated,
  "TIME-2": timestampWithoutOffset,
} as const satisfies Record<string, Rule>;

export type FindingId = keyof typeof rules;
export const ruleIds = Object.keys(rules) as FindingId[];
