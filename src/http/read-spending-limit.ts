import type * as z from "zod";
import { amountExpected, amountTooLarge, greatestMinor } from "../contract/amount.ts";
import type { ErrorPointId } from "../contract/points.ts";
import type { spendingLimitInput } from "../contract/spending-limit.ts";
import { SandboxError } from "../rules/errors.ts";
import type { SpendingLimit } from "../rules/limits.ts";
import { parseDecimal, parseJsonNumber } from "../rules/money.ts";

/** The contract points for a refused amount. */
interface AmountPoints {
  /** Not above 0, or not a decimal with at most two places. */
  readonly invalid: ErrorPointId;
  readonly tooLarge: ErrorPointId;
}

/**
 * The limit in a body (spec §2, SpendingLimitInput), whose amount is read exactly.
 * @param text - the body as it was sent
 * @param path - the path to the limit in the body; empty if the body is the limit
 * @throws SandboxError one of `points`
 */
export function readSpendingLimit(
  { period, amount }: z.output<typeof spendingLimitInput>,
  text: string,
  path: readonly string[],
  points: AmountPoints,
): SpendingLimit {
  const amountPath = [...path, "amount"];
  const amountMinor =
    typeof amount === "string" ? parseDecimal(amount) : parseJsonNumber(numberAsSent(text, amountPath));
  const field = amountPath.join(".");
  if (amountMinor === undefined || amountMinor === 0) {
    throw new SandboxError(points.invalid, `${field}: ${amountExpected}`);
  }
  // Every other period has a lower cap (spec §2).
  if (period === "lifetime" && amountMinor > greatestMinor)
    throw new SandboxError(points.tooLarge, `${field}: ${amountTooLarge}`);
  return { period, amountMinor };
}

/** Names with their colon, brackets, and numbers. String values match too, and are skipped. */
const jsonToken = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]|-?[0-9][-+.0-9eE]*/g;

/**
 * The characters of a number, which a double may not keep: `1.0000000000000001` is not 1. It is a loop and not a
 * recursion, so ignored members may be nested to any depth.
 * @param text - valid JSON
 * @returns the last number at the path: if a member occurs twice, the last one counts, as in JSON.parse
 */
function numberAsSent(text: string, path: readonly string[]): string {
  let sent = "";
  let depth = 0;
  /** The length of the part of the path that leads to the current position. */
  let matched = 0;
  for (const [token, name, colon] of text.matchAll(jsonToken)) {
    if (colon !== undefined && name !== undefined) {
      if (matched < depth - 1) continue;
      matched = JSON.parse(name) === path[depth - 1] ? depth : depth - 1;
    } else if (token === "{" || token === "[") {
      depth += 1;
    } else if (token === "}" || token === "]") {
      depth -= 1;
      matched = Math.min(matched, depth);
    } else if (name === undefined && matched === path.length && depth === path.length) {
      sent = token;
    }
  }
  return sent;
}
