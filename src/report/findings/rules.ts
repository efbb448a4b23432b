import type { Rule } from "./rule.ts";
import { auth2 } from "./rules/auth-2.ts";
import { idem2 } from "./rules/idem-2.ts";

/** The rules by their ids. */
export const rules = {
  "IDEM-2": idem2,
  "AUTH-2": auth2,
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof rules;
export const ruleIds = Object.keys(rules) as RuleId[];
