import type { Rule } from "./rule.ts";
import { auth1 } from "./rules/auth-1.ts";
import { auth2 } from "./rules/auth-2.ts";
import { auth3 } from "./rules/auth-3.ts";
import { auth4 } from "./rules/auth-4.ts";
import { auth5 } from "./rules/auth-5.ts";
import { auth7 } from "./rules/auth-7.ts";
import { hook2 } from "./rules/hook-2.ts";
import { hook5 } from "./rules/hook-5.ts";
import { idem1 } from "./rules/idem-1.ts";
import { idem2 } from "./rules/idem-2.ts";
import { idem3 } from "./rules/idem-3.ts";
import { idem4 } from "./rules/idem-4.ts";
import { idem5 } from "./rules/idem-5.ts";
import { idem6 } from "./rules/idem-6.ts";
import { page1 } from "./rules/page-1.ts";
import { page2 } from "./rules/page-2.ts";
import { page3 } from "./rules/page-3.ts";
import { retry1 } from "./rules/retry-1.ts";
import { retry2 } from "./rules/retry-2.ts";
import { retry3 } from "./rules/retry-3.ts";
import { state1 } from "./rules/state-1.ts";
import { time2 } from "./rules/time-2.ts";
import { val1 } from "./rules/val-1.ts";
import { val2 } from "./rules/val-2.ts";
import { val3 } from "./rules/val-3.ts";
import { val5 } from "./rules/val-5.ts";

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
