import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { convert, exchangeRate, hasRate } from "../../src/core/exchange-rates.ts";

const currency = fc.constantFrom("GBP", "EUR", "USD", "HUF", "CHF", "SEK");
const minor = fc.integer({ min: 0, max: 10 ** 12 });

describe("amounts in another currency", () => {
  test("are the nearest minor unit to what the rate says, and never less for more", () => {
    fc.assert(
      fc.property(minor, fc.nat(1000), currency, currency, (amount, more, from, to) => {
        const converted = convert(amount, from, to);
        expect(Number.isSafeInteger(converted)).toBe(true);
        expect(convert(amount + more, from, to)).toBeGreaterThanOrEqual(converted);
        const rate = exchangeRate(from, to);
        // The rate as it is shown has six decimals.
        if (rate === null) expect(converted).toBe(amount);
        else
          expect(Math.abs(converted - amount * Number(rate))).toBeLessThanOrEqual(
            0.5 + amount * 0.000_000_51,
          );
      }),
    );
  });

  test.each([
    [100, "GBP", "EUR", 116],
    [1, "EUR", "GBP", 1],
    [1, "HUF", "EUR", 0],
    [250, "EUR", "GBP", 215],
    [1, "EUR", "BGN", 2],
  ])("%i of %s are %s: %i", (amount, from, to, expected) => {
    expect(convert(amount, from, to)).toBe(expected);
  });

  test("are those of two decimals alone", () => {
    expect(["GBP", "JPY", "KWD", "gbp"].map(hasRate)).toEqual([true, false, false, false]);
    expect(() => convert(1, "JPY", "EUR")).toThrow("the sandbox has no rate for JPY");
  });
});
