import { limitOf } from "../request.ts";
import type { Rule } from "../rule.ts";

/** The largest error of floating-point arithmetic. */
const tolerance = 1e-6;
/** An artefact of arithmetic in doubles has at least so many digits; an amount that a person writes has fewer. */
const fewestDigits = 15;
/** 0.1 + 0.2: the example in textbooks, which a test of the refusal may send. */
const textbook = "0.30000000000000004";

export const floatingPointAmount: Rule = {
  severity: "high",
  title: "Amount with a floating-point artefact",
  why: "The service refuses more than two decimals: the order fails for some amounts and not for others, such as 19.99 that became 19.990000000000002.",
  mend: "Calculate in minor units or with a decimal type, and send the amount as a string of two decimals.",
  spec: "§2, SpendingLimitInput",
  operations: ["orderPhysicalCard", "orderVirtualCard", "setSpendingLimit"],
  watch: (report) => ({
    onRequest(request) {
      const amount = limitOf(request)?.amount;
      if (typeof amount !== "number" && typeof amount !== "string") return;
      const written = String(amount);
      const meant = written === textbook ? undefined : amountBehind(written);
      if (meant === undefined) return;
      report({ seen: `The amount ${written} was sent, where ${meant} was meant`, requests: [request] });
    },
  }),
};

/** The amount with two decimals that an artefact stands for; undefined if it is no artefact. */
function amountBehind(written: string): string | undefined {
  if (!/^[0-9]{1,15}\.[0-9]{3,60}$/.test(written) || /\.[0-9]{2}0+$/.test(written)) return undefined;
  if (written.replace(".", "").replace(/^0+/, "").length < fewestDigits) return undefined;
  const amount = Number(written);
  const meant = amount.toFixed(2);
  return Math.abs(amount - Number(meant)) < tolerance ? meant : undefined;
}
