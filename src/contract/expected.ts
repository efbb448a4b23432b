import * as z from "zod";

/**
 * A value as an error message shows it. Text is quoted, and cut to 100 characters. Four digits are not shown: they may be
 * a PIN that a client sent in the wrong place.
 */
export function shownValue(value: unknown): string {
  if (isLikePin(value)) return "four digits";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}

function isLikePin(value: unknown): boolean {
  return (typeof value === "string" || typeof value === "number") && /^\s*[0-9]{4}\s*$/.test(String(value));
}

/**
 * The error of a field of the wrong form, such as `must be a UUID, but is "abc"`; `is required` if the field is missing.
 * Not for secrets: it shows the value.
 */
export function mustBe(expected: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? "is required" : `must be ${expected}, but is ${shownValue(input)}`,
  };
}

/** A field with a fixed set of values. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, mustBe(`one of ${values.join(", ")}`));
