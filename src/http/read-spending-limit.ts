import { isLosslessNumber, parse as parseLossless } from "lossless-json";
import type * as z from "zod";
import type { ErrorPointId } from "../contract/points.ts";
import type { spendingLimitInput } from "../contract/spending-limit.ts";
import { SandboxError } from "../core/errors.ts";
import { parseDecimal, parseJsonNumber } from "../core/money.ts";
import type { SpendingLimit } from "../core/spending-limit.ts";

/**
 * The limit in a body (spec §2, SpendingLimitInput), whose amount is read exactly.
 * @param text - the body as it was sent
 * @param path - the body's member that holds the limit; none where the body is the limit
 * @throws SandboxError the point, where the amount is no decimal above 0 with at most two places
 */
export function readSpendingLimit(
  { period, amount }: z.output<typeof spendingLimitInput>,
  text: string,
  path: readonly string[],
  point: ErrorPointId,
): SpendingLimit {
  const amountPath = [...path, "amount"];
  const amountMinor =
    typeof amount === "string" ? parseDecimal(amount) : parseJsonNumber(numberAsSent(text, amountPath));
  if (amountMinor === undefined || amountMinor === 0n) {
    throw new SandboxError(
      point,
      `${amountPath.join(".")}: ${
        typeof amount === "string"
          ? 'must be a decimal above 0 with at most two places, such as "250.00"'
          : "must be above 0 with at most two decimals, and as a number have at most 15 significant digits; a string may have more"
      }`,
    );
  }
  return { period, amountMinor };
}

/** A number's own characters, which a double may not keep: `1.0000000000000001` is not 1. */
function numberAsSent(text: string, path: readonly string[]): string {
  try {
    // Of a member that occurs twice the last counts, as with JSON.parse.
    const body = parseLossless(text, null, { onDuplicateKey: ({ newValue }) => newValue });
    const sent = path.reduce<unknown>((within, name) => (within as Record<string, unknown>)?.[name], body);
    return isLosslessNumber(sent) ? sent.value : "";
  } catch {
    return ""; // Nested too deeply to be read digit by digit, and so to be trusted.
  }
}
