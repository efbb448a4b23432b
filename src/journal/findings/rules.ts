import type { Rule } from "./rule.ts";
import { auth1 } from "./rules/api-key-outside-exchange.ts";
import { state1 } from "./rules/change-repeated.ts";
import { idem3 } from "./rules/constant-key.ts";
import { page2 } from "./rules/cursor-with-other-filters.ts";
import { val5 } from "./rules/delivery-method-not-offered.ts";
import { auth4 } from "./rules/expired-token-again.ts";
import { val1 } from "./rules/floating-point-amount.ts";
import { hook2 } from "./rules/forged-webhook-accepted.ts";
import { idem6 } from "./rules/improper-key.ts";
import { idem2 } from "./rules/key-reused-for-another-order.ts";
import { page1 } from "./rules/list-without-further-pages.ts";
import { auth2 } from "./rules/live-key-sent.ts";
import { val3 } from "./rules/misspelt-field.ts";
import { idem4 } from "./rules/parallel-requests-with-one-key.ts";
import { val2 } from "./rules/pin-as-number.ts";
import { retry3 } from "./rules/refused-request-unchanged.ts";
import { retry1 } from "./rules/retries-without-backoff.ts";
import { retry2 } from "./rules/retry-before-retry-after.ts";
import { idem1 } from "./rules/retry-with-new-key.ts";
import { auth5 } from "./rules/rush-of-exchanges.ts";
import { page3 } from "./rules/same-cursor-again.ts";
import { auth7 } from "./rules/secret-in-url.ts";
import { time2 } from "./rules/timestamp-without-offset.ts";
import { auth3 } from "./rules/token-for-each-request.ts";
import { idem5 } from "./rules/unknown-outcome-left-alone.ts";
import { hook5 } from "./rules/webhook-not-acknowledged.ts";

/** The rules by their ids. */
export const rules = {
  "IDEM-1": idem1,
  "IDEM-2": idem2,
  "IDEM-3": idem3,
  "IDEM-4": idem4,
  "IDEM-5": idem5,
  "IDEM-6": idem6,
  "RETRY-1": retry1,
  "RETRY-2": retry2,
  "RETRY-3": retry3,
  "AUTH-1": auth1,
  "AUTH-2": auth2,
  "AUTH-3": auth3,
  "AUTH-4": auth4,
  "AUTH-5": auth5,
  "AUTH-7": auth7,
  "VAL-1": val1,
  "VAL-2": val2,
  "VAL-3": val3,
  "VAL-5": val5,
  "PAGE-1": page1,
  "PAGE-2": page2,
  "PAGE-3": page3,
  "HOOK-2": hook2,
  "HOOK-5": hook5,
  "STATE-1": state1,
  "TIME-2": time2,
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof rules;
export const ruleIds = Object.keys(rules) as RuleId[];
