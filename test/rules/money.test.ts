import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { greatestAmount, greatestMinor } from "../../src/contract/amount.ts";
import { type CardLimitsMinor, capViolation } from "../../src/rules/limits.ts";
import { formatMinor, parseDecimal, parseJsonNumber } from "../../src/rules/money.ts";

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: min, maxLength: max });

/** An oracle of another make: digit by digit, with no number in it. */
function compareDecimals(a: string, b: string): number {
  const plain = (text: string) => {
    const [whole = "", fraction = ""] = text.split(".");
    return [whole.replace(/^0+/, ""), fraction.padEnd(2, "0")] as const;
  };
  const [wholeA, fractionA] = plain(a);
  const [wholeB, fractionB] = plain(b);
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1;
  return fractionA < fractionB ? -1 : fractionA > fractionB ? 1 : 0;
}

describe("decimals", () => {
  const decimal = fc
    .tuple(digits(1, 40), fc.option(digits(1, 2)))
    .map(([whole, fraction]) => (fraction === null ? whole : `${whole}.${fraction}`));

  test("a decimal up to the largest amount is shown as it was written, with two places and no leading zeros", () => {
    fc.assert(
      fc.property(fc.tuple(digits(1, 13), fc.option(digits(1, 2))), ([whole, fraction]) => {
        const text = fraction === null ? whole : `${whole}.${fraction}`;
        const expected = `${whole.replace(/^0+(?=.)/, "")}.${(fraction ?? "").padEnd(2, "0")}`;
        expect(formatMinor(parseDecimal(text) ?? Number.NaN)).toBe(expected);
      }),
    );
    expect(formatMinor(greatestMinor)).toBe(greatestAmount);
  });

  test("a negative amount has a sign, and zero has none", () => {
    expect([-1, -100, -123456, 0].map(formatMinor)).toEqual(["-0.01", "-1.00", "-1234.56", "0.00"]);
  });

  test("a number with many zeros before its last digit is refused in linear time", () => {
    const startedMs = performance.now();
    expect(parseJsonNumber(`1.${"0".repeat(60_000)}1`)).toBeUndefined();
    expect(parseJsonNumber(`${"0".repeat(60_000)}10`)).toBe(1000);
    expect(performance.now() - startedMs).toBeLessThan(500);
  });

  test("a decimal of any length compares correctly with the largest amount", () => {
    const near = fc.constantFrom(
      "9999999999999.99",
      "10000000000000",
      "10000000000000.00",
      "9999999999999.9",
    );
    fc.assert(
      fc.property(fc.oneof(near, decimal), (text) => {
        const isBeyond = (parseDecimal(text) ?? 0) > greatestMinor;
        expect(isBeyond).toBe(compareDecimals(text, greatestAmount) > 0);
      }),
    );
  });

  test("any other text is refused", () => {
    const allowed = new Set("0123456789.");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const dots = text.split(".");
        const isOne =
          [...text].every((char) => allowed.has(char)) &&
          dots.length <= 2 &&
          dots.every((part) => part !== "") &&
          (dots[1] ?? "").length <= 2;
        expect(parseDecimal(text) !== undefined).toBe(isOne);
      }),
    );
  });
});

describe("JSON numbers", () => {
  test("numbers with at most 15 digits and two decimals are read exactly", () => {
    const minor = fc.maxSafeNat().filter((value) => value < 10 ** 15);
    fc.assert(
      fc.property(minor, (value) => {
        const text = String(value / 100);
        expect(parseJsonNumber(text)).toBe(value);
      }),
    );
  });

  test("all notations of a value are equal", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 13 }), fc.nat(6), fc.nat(6), (minor, zeros, shift) => {
        const plain = formatMinor(minor);
        const [whole = "", fraction = ""] = plain.split(".");
        const shifted = `${whole}${fraction}${"0".repeat(shift)}e-${2 + shift}`;
        expect(parseJsonNumber(`${plain}${"0".repeat(zeros)}`)).toBe(minor);
        expect(parseJsonNumber(shifted.replace(/^0+(?=[0-9])/, ""))).toBe(minor);
      }),
    );
  });

  test("a third decimal other than zero is refused, and a sixteenth digit exceeds the largest amount", () => {
    fc.assert(
      fc.property(fc.nat(10 ** 9), fc.integer({ min: 1, max: 9 }), (whole, last) => {
        expect(parseJsonNumber(`${whole}.00${last}`)).toBeUndefined();
        expect(parseJsonNumber(`1${String(whole).padStart(14, "0")}${last}`)).toBeGreaterThan(greatestMinor);
      }),
    );
  });

  test("any number is read in linear time", () => {
    const zeros = "0".repeat(60_000);
    const before = performance.now();
    for (const text of [
      "1e999999999",
      `1e${"9".repeat(400)}`,
      "9".repeat(60_000),
      `1${zeros}`,
      `1${zeros}1`,
    ]) {
      expect(parseJsonNumber(text)).toBeGreaterThan(greatestMinor);
    }
    for (const text of ["1e-999999999", "-1", `1.${zeros}1`, `0.${zeros}1`]) {
      expect(parseJsonNumber(text)).toBeUndefined();
    }
    expect(parseJsonNumber(`0.${zeros}`)).toBe(0);
    expect(performance.now() - before).toBeLessThan(500);
  });
});

describe("caps (spec §2)", () => {
  const caps: CardLimitsMinor = {
    maxPerPurchaseMinor: 1_000_000,
    dailyMinor: 1_000_000,
    rolling32DaysMinor: 5_000_000,
  };
  const capOf = { daily: "10000.00", weekly: "50000.00", monthly: "50000.00" } as const;
  const near = fc
    .tuple(fc.integer({ min: 0, max: 60_000 }), fc.nat(99))
    .map(([whole, cents]) => `${whole}.${String(cents).padStart(2, "0")}`);
  const far = fc.tuple(digits(9, 13), digits(2, 2)).map(([whole, cents]) => `${whole}.${cents}`);

  test("a daily, weekly or monthly limit is at most its cap, at any size; equal is allowed", () => {
    const period = fc.constantFrom("daily", "weekly", "monthly");
    const amount = fc.oneof(near, far, fc.constantFrom("10000.00", "10000.01", "50000.00", "50000.01"));
    fc.assert(
      fc.property(period, amount, (period, amount) => {
        const violation = capViolation({ period, amountMinor: parseDecimal(amount) ?? 0 }, caps);
        expect(violation !== undefined).toBe(compareDecimals(amount, capOf[period]) > 0);
      }),
      { numRuns: 500 },
    );
  });

  test("a lifetime limit has no cap", () => {
    fc.assert(
      fc.property(far, (amount) => {
        expect(capViolation({ period: "lifetime", amountMinor: parseDecimal(amount) ?? 0 }, caps)).toBe(
          undefined,
        );
      }),
    );
  });
});
