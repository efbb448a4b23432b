import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { greatestMinor } from "../../src/contract/amount.ts";
import {
  bookable,
  convert,
  costOf,
  currencies,
  exchangeRate,
  hasRate,
} from "../../src/rules/exchange-rates.ts";

const currency = fc.constantFrom(...currencies);
const minor = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 1, max: 10 ** 9 }),
  fc.integer({ min: 1, max: greatestMinor }),
);

/** As a client recalculates it: exact decimal arithmetic on the rate that it was shown, halves up. */
function recalculated(minor: number, rate: string): bigint {
  const [whole = "", places = ""] = rate.split(".");
  const unit = 10n ** BigInt(places.length);
  const product = BigInt(minor) * BigInt(whole + places);
  return product / unit + (2n * (product % unit) >= unit ? 1n : 0n);
}

describe("amounts in another currency", () => {
  test("are the original amount times the rate that is shown, rounded half up, for every pair", () => {
    for (const from of currencies) {
      for (const to of currencies) {
        const rate = exchangeRate(from, to);
        expect(rate === null).toBe(from === to);
        for (const amount of [1, 99, 100, 12_345, 1_000_000, 98_765_432_100]) {
          expect(BigInt(convert(amount, from, to))).toBe(recalculated(amount, rate ?? "1"));
        }
      }
    }
    fc.assert(
      fc.property(minor, currency, currency, (amount, from, to) => {
        const expected = recalculated(amount, exchangeRate(from, to) ?? "1");
        if (expected <= BigInt(greatestMinor)) expect(BigInt(convert(amount, from, to))).toBe(expected);
        else expect(convert(amount, from, to)).toBeGreaterThan(greatestMinor);
      }),
      { numRuns: 2000 },
    );
  });

  test("never decrease when the original amount increases", () => {
    fc.assert(
      fc.property(minor, fc.nat(1000), currency, currency, (amount, more, from, to) => {
        expect(convert(amount + more, from, to)).toBeGreaterThanOrEqual(convert(amount, from, to));
      }),
    );
  });

  test("are bought for the smallest amount that is worth at least as much", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), currency, currency, (wanted, of, inCurrency) => {
        const cost = costOf(wanted, of, inCurrency);
        expect(convert(cost, inCurrency, of)).toBeGreaterThanOrEqual(wanted);
        const rate = BigInt((exchangeRate(inCurrency, of) ?? "1.0000000000").replace(".", ""));
        expect(BigInt(cost - 1) * rate).toBeLessThan(BigInt(wanted) * 10n ** 10n);
      }),
    );
  });

  test.each([
    [100, "GBP", "EUR", 116],
    [1, "EUR", "GBP", 1],
    [1, "HUF", "EUR", 0],
    [250, "EUR", "GBP", 215],
    [1, "EUR", "BGN", 2],
    // By a rate of six decimals, 0.002532, it would be 253200.
    [100_000_000, "HUF", "EUR", 253_165],
  ])("%i of %s are %s: %i", (amount, from, to, expected) => {
    expect(convert(amount, from, to)).toBe(expected);
  });

  test("are refused for a booking if they are 0.00 or exceed the largest amount", () => {
    expect(() => bookable(1, "HUF", "GBP")).toThrow(
      "amount: 0.01 HUF converts to 0.00 GBP. Use at least 2.30 HUF.",
    );
    expect(bookable(230, "HUF", "GBP")).toBe(1);
    expect(() => bookable(229, "HUF", "GBP")).toThrow("Use at least 2.30 HUF");
    expect(() => bookable(greatestMinor, "EUR", "HUF")).toThrow("converts to more than 9999999999999.99 HUF");
  });

  test("all have two decimals", () => {
    expect(["GBP", "JPY", "KWD", "gbp"].map(hasRate)).toEqual([true, false, false, false]);
    expect(() => convert(1, "JPY", "EUR")).toThrow("the sandbox has no exchange rate for JPY");
  });
});
