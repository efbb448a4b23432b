/** Money in minor units (hundredths): exact up to `greatestMinor` of contract/amount.ts; larger input is refused. */
export type Minor = number;

/**
 * Reads `12`, `12.3` or `12.34`; nothing else, and no sign, space, exponent or separator.
 * @returns minor units; an amount above `greatestMinor` gives some number above it, possibly `Infinity`
 */
export function parseDecimal(text: string): Minor | undefined {
  const parts = /^([0-9]+)(?:\.([0-9]{1,2}))?$/.exec(text);
  return parts ? Number(`${parts[1]}${(parts[2] ?? "").padEnd(2, "0")}`) : undefined;
}

/**
 * Reads a JSON number from its characters (`10`, `10.5`, `1e2`), never through a double.
 * @returns as `parseDecimal`; `undefined` for a negative value or one with more than two decimals
 */
export function parseJsonNumber(token: string): Minor | undefined {
  const parts = /^([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(token);
  if (!parts) return undefined;
  const fraction = parts[2] ?? "";
  const digits = `${parts[1]}${fraction}`.replace(/^0+/, "");
  const coefficient = digits.slice(0, significantLength(digits));
  if (coefficient === "") return 0;
  // The value is coefficient × 10^exponent.
  const exponent = Number(parts[3] ?? 0) - fraction.length + (digits.length - coefficient.length);
  return exponent < -2 ? undefined : Number(coefficient) * 10 ** (exponent + 2);
}

/** The length of a string of digits without its trailing zeros. A regular expression would take quadratic time. */
function significantLength(digits: string): number {
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  return length;
}

/** Formats minor units with two decimals and no separators. `1010` → `"10.10"`, `-5` → `"-0.05"`. */
export function formatMinor(minor: Minor): string {
  if (minor < 0) return `-${formatMinor(-minor)}`;
  const digits = minor.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
