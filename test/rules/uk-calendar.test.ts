import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";
import { lastInstantMs, lastYear } from "../../src/rules/clock.ts";
import { daysLater, expiryDate, londonDate, monthBefore, periodStarts } from "../../src/rules/uk-calendar.ts";

const hourMs = 3_600_000;
const inLondon = (ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO("Europe/London");

/** The Sunday on which the clocks change, at one in UTC. */
function clockChange(year: number, month: 3 | 10): number {
  const last = Temporal.PlainDate.from({ year, month, day: 31 });
  return Date.parse(`${last.subtract({ days: last.dayOfWeek % 7 }).toString()}T01:00:00Z`);
}

/** Any instant that the clock can be set to, and often one near a change of the clocks, or near a midnight. */
const instant = fc.oneof(
  fc.integer({ min: 0, max: lastInstantMs }),
  fc
    .tuple(
      fc.integer({ min: 1996, max: 2100 }),
      fc.constantFrom<3 | 10>(3, 10),
      fc.integer({ min: -50 * hourMs, max: 50 * hourMs }),
    )
    .map(([year, month, off]) => clockChange(year, month) + off),
  fc
    .tuple(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: -2, max: 2 }), fc.constantFrom(-1, 0, 1))
    .map(([day, hours, off]) => Math.max(0, day * 24 * hourMs + hours * hourMs + off)),
);

describe("the UK's calendar", () => {
  test("agrees with Temporal on when each period began, at any instant", () => {
    fc.assert(
      fc.property(instant, (nowMs) => {
        const now = inLondon(nowMs);
        const startOf = (date: Temporal.ZonedDateTime) => date.startOfDay().epochMilliseconds;
        expect(periodStarts(nowMs)).toEqual({
          dayMs: startOf(now),
          weekMs: startOf(now.subtract({ days: now.dayOfWeek - 1 })),
          monthMs: startOf(now.with({ day: 1 })),
          rolling32DaysMs: startOf(now.subtract({ days: 31 })),
        });
        expect(londonDate(nowMs)).toBe(now.toPlainDate().toString());
        const inFiveYears = now.toPlainDate().with({ day: 1 }).add({ years: 5 });
        expect(expiryDate(nowMs)).toBe(inFiveYears.with({ day: inFiveYears.daysInMonth }).toString());
      }),
      { numRuns: 3000 },
    );
  });

  test("agrees with the engine on the date, late on each day around each clock change", () => {
    const engine = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/London" });
    const wrong: string[] = [];
    for (let year = 1970; year <= lastYear; year++) {
      for (const month of [2, 9]) {
        const lastDay = Date.UTC(year, month, 31);
        // The seven days in which the last Sunday lies, and the one before.
        for (let day = lastDay - 7 * 24 * hourMs; day <= lastDay; day += 24 * hourMs) {
          for (const lateMs of [23 * hourMs - 1, 23 * hourMs, 24 * hourMs - 1]) {
            const at = day + lateMs;
            if (londonDate(at) !== engine.format(at)) wrong.push(new Date(at).toISOString());
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ["2026-03-29T00:30:00Z", "2026-03-29T00:00:00Z", "the day the clocks go forward, before they do"],
    ["2026-03-29T22:59:59Z", "2026-03-29T00:00:00Z", "and its last second: it has 23 hours"],
    ["2026-03-29T23:00:00Z", "2026-03-29T23:00:00Z", "the day after"],
    ["2026-10-25T00:30:00Z", "2026-10-24T23:00:00Z", "the day they go back, before they do"],
    ["2026-10-25T23:59:59Z", "2026-10-24T23:00:00Z", "and its last second: it has 25 hours"],
    ["2026-10-26T00:00:00Z", "2026-10-26T00:00:00Z", "the day after"],
  ])("at %s the day began at %s: %s", (now, start) => {
    expect(periodStarts(Date.parse(now)).dayMs).toBe(Date.parse(start));
  });

  test("computes the previous month and later days", () => {
    const date = fc.integer({ min: 0, max: 100_000 }).map((day) => new Date(day * 24 * hourMs));
    fc.assert(
      fc.property(date, fc.integer({ min: 0, max: 400 }), (given, days) => {
        const text = given.toISOString().slice(0, 10);
        const plain = Temporal.PlainDate.from(text);
        const before = plain.subtract({ months: 1 });
        expect(daysLater(text, days)).toBe(plain.add({ days }).toString());
        expect(monthBefore(text)).toEqual({
          first: before.with({ day: 1 }).toString(),
          last: before.with({ day: before.daysInMonth }).toString(),
        });
      }),
    );
  });
});
