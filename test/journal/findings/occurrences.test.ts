import { describe, expect, test } from "vitest";
import { Occurrences } from "../../../src/journal/findings/occurrences.ts";
import type { CompanyNames } from "../../../src/store/callers.ts";

const companyOf = (n: number) =>
  ({
    companyPk: n,
    companyId: `company ${n}`,
    companySlug: `company-${n}`,
    environment: "sandbox",
  }) as CompanyNames;

/** The findings of HOOK-5 for each company, in this order. */
function foundFor(companies: readonly number[], occurrences = new Occurrences(() => undefined)) {
  const report = occurrences.reporterOf("HOOK-5");
  for (const n of companies) report({ observed: `seen by ${n}`, requests: [], company: companyOf(n) });
  return occurrences.all();
}

const many = Array.from({ length: 5000 }, (_, n) => n);

describe("occurrences of thousands of companies", () => {
  test("counts all of them, and shows the first five", () => {
    const all = foundFor([...many, ...many]);
    expect(all.length).toBeLessThanOrEqual(501);
    expect(all.reduce((sum, { times }) => sum + times, 0)).toBe(10_000);
    const told = all.flatMap(({ occurrences }) => occurrences).slice(0, 5);
    expect(told.map(({ company }) => company)).toEqual([0, 1, 2, 3, 4].map((n) => `company-${n}`));
  });

  test("counts the latest companies separately, and those that occur repeatedly", () => {
    const all = foundFor(many.flatMap((n) => [n, 0]));
    const timesOf = (n: number) => all.find(({ caller }) => caller?.companyId === `company ${n}`)?.times;
    expect(timesOf(0)).toBe(5001);
    expect(timesOf(4999)).toBe(1);
    expect(timesOf(4751)).toBe(1);
    expect(timesOf(1)).toBeUndefined();
  });

  test("counts all companies separately without a limit", () => {
    expect(foundFor(many, new Occurrences(() => undefined, Number.POSITIVE_INFINITY))).toHaveLength(5000);
  });
});
