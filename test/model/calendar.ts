import { Temporal } from "temporal-polyfill";
import type { Period } from "./world.ts";

/** Periods follow the calendar of the UK (spec §2). */
const inLondon = (ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO("Europe/London");

export const londonDate = (ms: number): string => inLondon(ms).toPlainDate().toString();

export const later = (ms: number, duration: string): number => inLondon(ms).add(duration).epochMilliseconds;

/** The last day of the month five years later. */
export function expiryDate(ms: number): string {
  const month = inLondon(ms).toPlainDate().toPlainYearMonth().add({ years: 5 });
  return month.toPlainDate({ day: month.daysInMonth }).toString();
}

/** The start of a period; `rolling` is 32 days including today. */
export function startOf(period: Period | "rolling", ms: number): number {
  const now = inLondon(ms);
  const first = {
    daily: now,
    weekly: now.subtract({ days: now.dayOfWeek - 1 }),
    monthly: now.with({ day: 1 }),
    rolling: now.subtract({ days: 31 }),
    lifetime: undefined,
  }[period];
  return first ? first.startOfDay().epochMilliseconds : Number.NEGATIVE_INFINITY;
}
