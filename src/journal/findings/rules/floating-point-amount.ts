import { limitOf } from "../request.ts";
import type { Rule } from "../rule.ts";

/** The maximum error of floating-point arithmetic. */
const tolerance = 1e-6;
/** The minimum number of digits of a floating-point error; amounts that people write have fewer. */
const minDigits = 15;
/** 0.1 + 0.2: the textbook example, which a test of the refusal may send. */
const textbook = "0.30000000000000004";

export const floatingPointAmount: Rule = {
  severity: "high",
  title: "Amount with a floating-point error",
  why: "The service refuses more than two decimal places. The order fails for some amounts only, for example when 19.99 becomes 19.990000000000002.",
  fix: "Calculate in minor units or with a decimal type, and send the amount as a string with two decimal places.",
  spec: "§2, SpendingLimitInput",
  operations: ["orderPhysicalCard", "orderVirtualCard", "setSpendingLimit"],
  watch: (report) => ({
    onRequest(request) {
      const amount = limitOf(request)?.amount;
      if (typeof amount !== "number" && typeof amount !== "string") return;
      const written = String(amount);
      const intended = written === textbook ? undefined : intendedAmount(written);
      if (intended === undefined) return;
      report({ observed: `The amount ${written} was sent instead of ${intended}`, requests: [request] });
    },
  }),
};

/** The amount with two decimal places that was intended; undefined if there is no floating-point error. */
function intendedAmount(written: string): string | undefined {
  if (!/^[0-9]{1,15}\.[0-9]{3,60}$/.test(written) || /\.[0-9]{2}0+$/.test(written)) return undefined;
  if (written.replace(".", "").replace(/^0+/, "").length < minDigits) return undefined;
  const amount = Number(written);
  const intended = amount.toFixed(2);
  return Math.abs(amount - Number(intended)) < tolerance ? intended : undefined;
}
