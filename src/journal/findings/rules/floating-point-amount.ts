import type { Rule } from "../rule.ts";
import { limitSent } from "../sent-body.ts";

const furthest = 1e-6;
/** What arithmetic in doubles leaves behind has at least so many digits; what a person writes has fewer. */
const fewestDigits = 15;
/** 0.1 + 0.2: the example of every textbook, and so of a test of the refusal. */
const textbook = "0.30000000000000004";

/** An amount that was calculated in binary floating point is sent as it came out. */
export const val1: Rule = {
  severity: "high",
  title: "Amount with a floating-point artefact",
  why: "The service refuses more than two decimals: the order fails for some amounts and not for others, such as 19.99 that became 19.990000000000002.",
  mend: "Calculate in minor units or with a decimal type, and send the amount as a string of two decimals.",
  spec: "§2, SpendingLimitInput",
  watch(found) {
    return {
      see(request) {
        const amount = limitSent(request)?.amount;
        if (typeof amount !== "number" && typeof amount !== "string") return;
        const written = String(amount);
        const meant = written === textbook ? undefined : meantBy(written);
        if (meant === undefined) return;
        found({ seen: `The amount ${written} was sent, where ${meant} was meant`, requests: [request] });
      },
    };
  },
};

/** The amount of two decimals that a float missed by little. */
function meantBy(written: string): string | undefined {
  if (!/^[0-9]{1,15}\.[0-9]{3,60}$/.test(written) || /\.[0-9]{2}0+$/.test(written)) return undefined;
  if (written.replace(".", "").replace(/^0+/, "").length < fewestDigits) return undefined;
  const amount = Number(written);
  const meant = amount.toFixed(2);
  return Math.abs(amount - Number(meant)) < furthest ? meant : undefined;
}
