/** Money in minor units (hundredths), exact at any length. */
export type Minor = bigint;

/**
 * A JSON number carries about 15 significant digits through a double, and is written without an exponent up
 * to 21; beyond either, two clients may mean different amounts by one number.
 */
const numberDigits = { significant: 15, integer: 21 } as const;

/** Reads `12`, `12.3` or `12.34`; nothing else, and no sign, space, exponent or separator. */
export function parseDecimal(text: string): Minor | undefined {
  const parts = /^([0-9]+)(?:\.([0-9]{1,2}))?$/.exec(text);
  return parts ? BigInt(`${parts[1]}${(parts[2] ?? "").padEnd(2, "0")}`) : undefined;
}

/**
 * Reads a JSON number by the characters that were sent (`10`, `10.5`, `1e2`), never through a double.
 * `undefined` where its value is negative, has more than two decimals, or has more digits than a JSON number
 * carries safely.
 */
export function parseJsonNumber(token: string): Minor | undefined {
  const parts = /^([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(token);
  if (!parts) return undefined;
  const fraction = parts[2] ?? "";
  const digits = `${parts[1]}${fraction}`.replace(/^0+/, "");
  const coefficient = digits.slice(0, significantLength(digits));
  if (coefficient === "") return 0n;
  // The value is coefficient × 10^exponent.
  const exponent = Number(parts[3] ?? 0) - fraction.length + (digits.length - coefficient.length);
  if (exponent < -2 || coefficient.length > numberDigits.significant) return undefined;
  if (coefficient.length + exponent > numberDigits.integer) return undefined;
  return BigInt(coefficient) * 10n ** BigInt(exponent + 2);
}

/** The length of a text of digits without the zeros at its end. A regular expression would take quadratic time. */
function significantLength(digits: string): number {
  let length = digits.length;
  while (digits[length - 1] === "0") length--;
  return length;
}

/** Writes minor units as the service does: two decimals, no separators. `1010` → `"10.10"`, `-5` → `"-0.05"`. */
export function formatMinor(minor: Minor | number): string {
  if (minor < 0) return `-${formatMinor(-minor)}`;
  const digits = minor.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
