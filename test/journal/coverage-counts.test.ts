import { describe, expect, test } from "vitest";
import { Coverage } from "../../src/journal/coverage.ts";
import type { Exchange } from "../../src/journal/exchange.ts";

const caller = (company: number) => ({
  companyId: `company ${company}`,
  companySlug: `company-${company}`,
  environment: "sandbox",
});

/** A coverage that was told of an exchange of each company, in this order. */
function coverageOf(companies: Iterable<number>): Coverage {
  const coverage = new Coverage();
  let id = 0;
  for (const company of companies) {
    const exchange = {
      method: "POST",
      path: `/of/${company}`,
      operation: "orderPhysicalCard",
      point: "order.created",
      caller: caller(company),
      atMs: 0,
    };
    coverage.record(exchange as Exchange, ++id);
  }
  return coverage;
}

function created(coverage: Coverage, company?: number) {
  const { points } = coverage.report(company === undefined ? {} : { company: `company ${company}` });
  const { times, first } = points.find(({ id }) => id === "order.created") ?? {};
  return { times, first: first?.request_id };
}

const many = Array.from({ length: 5000 }, (_, n) => n);

describe("the coverage of thousands of companies", () => {
  test("forgets no request", () => {
    const coverage = coverageOf([...many, ...many]);
    expect(created(coverage)).toEqual({ times: 10_000, first: "1" });
    expect(coverage.report().by_operation.orderPhysicalCard.met).toBe(1);
  });

  test("tells those apart that called last, and whoever never ceased to call", () => {
    const coverage = coverageOf(many.flatMap((n) => [n, 0]));
    expect(created(coverage, 0)).toEqual({ times: 5001, first: "1" });
    expect(created(coverage, 4999).times).toBe(1);
    expect(created(coverage, 4751).times).toBe(1);
    expect(created(coverage, 1).times).toBe(0);
  });

  test("clear forgets all of them", () => {
    const coverage = coverageOf(many);
    coverage.clear();
    expect(created(coverage)).toEqual({ times: 0, first: undefined });
  });
});
