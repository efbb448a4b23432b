import type { Rule } from "./rule.ts";
import { auth2 } from "./rules/auth-2.ts";
import { idem1 } from "./rules/idem-1.ts";
import { idem2 } from "./rules/idem-2.ts";
import { idem3 } from "./rules/idem-3.ts";
import { idem4 } from "./rules/idem-4.ts";
import { idem5 } from "./rules/idem-5.ts";
import { idem6 } from "./rules/idem-6.ts";
import { retry1 } from "./rules/retry-1.ts";
import { retry3 } from "./rules/retry-3.ts";
import { state1 } from "./rules/state-1.ts";
import { time2 } from "./rules/time-2.ts";

/** The rules by their ids. */
export const rules = {
  "IDEM-1": idem1,
  "IDEM-2": idem2,
  "IDEM-3": idem3,
  "IDEM-4": idem4,
  "IDEM-5": idem5,
  "IDEM-6": idem6,
  "RETRY-1": retry1,
  "RETRY-3": retry3,
  "AUTH-2": auth2,
  "STATE-1": state1,
  "TIME-2": time2,
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof rules;
export const ruleIds = Object.keys(rules) as RuleId[];
