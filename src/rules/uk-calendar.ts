const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Remembers the last result of a pure function. Without it, the two dates of a new card cost 3 % of its order. */
function rememberLast<Input, Result>(compute: (input: Input) => Result): (input: Input) => Result {
  let last: { readonly input: Input; readonly result: Result } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, result: compute(input) };
    return last.result;
  };
}

/**
 * A new card's `expiry_date`: the last day of the month five years later, in the UK calendar (assumed).
 * @param nowMs - milliseconds since the epoch
 * @param years - less than ten
 * @returns an ISO date
 */
export function expiryDate(nowMs: number, years = 5): string {
  return expiryDateInHour(Math.floor(nowMs / hourMs) * 10 + years);
}

/** The month and the offset of the UK change on the hour only. The years are the last digit of the input. */
const expiryDateInHour = rememberLast((hourAndYears: number): string => {
  const years = mod(hourAndYears, 10);
  const today = new Date(wallClock(((hourAndYears - years) / 10) * hourMs));
  // Day 0 of the next month is the last day of this month.
  return isoDate(Date.UTC(today.getUTCFullYear() + years, today.getUTCMonth() + 1, 0));
});

/** The start of each current period in the UK calendar (spec §2), in milliseconds since the epoch. */
export interface PeriodStarts {
  readonly dayMs: number;
  /** Weeks start on Monday. */
  readonly weekMs: number;
  readonly monthMs: number;
  /** The last 32 days, today included (assumed). */
  readonly rolling32DaysMs: number;
}

/** The starts of the periods that contain an instant. */
export function periodStarts(nowMs: number): PeriodStarts {
  const today = wallClock(nowMs);
  const midnight = today - mod(today, dayMs);
  const date = new Date(midnight);
  return {
    dayMs: instantOfMidnight(midnight),
    weekMs: instantOfMidnight(midnight - mod(date.getUTCDay() - 1, 7) * dayMs),
    monthMs: instantOfMidnight(midnight - (date.getUTCDate() - 1) * dayMs),
    rolling32DaysMs: instantOfMidnight(midnight - 31 * dayMs),
  };
}

/** The end of each current period: the instant at which what was spent in it no longer counts. */
export function periodEnds(nowMs: number): Omit<PeriodStarts, "rolling32DaysMs"> {
  const today = wallClock(nowMs);
  const midnight = today - mod(today, dayMs);
  const date = new Date(midnight);
  return {
    dayMs: instantOfMidnight(midnight + dayMs),
    weekMs: instantOfMidnight(midnight + (7 - mod(date.getUTCDay() - 1, 7)) * dayMs),
    monthMs: instantOfMidnight(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)),
  };
}

/** The instant at which a payment of this instant leaves the rolling 32 days. */
export function endOf32Days(spentAtMs: number): number {
  const day = wallClock(spentAtMs);
  return instantOfMidnight(day - mod(day, dayMs) + 32 * dayMs);
}

/** The UK's date at an instant, as an ISO date. */
export function londonDate(nowMs: number): string {
  return isoDate(wallClock(nowMs));
}

/** The instant at which a date ends in the UK: 00:00 of the next day. */
export const endOfDay = rememberLast((date: string) => instantOfMidnight(Date.parse(date) + dayMs));

/** The date that is `days` days later. */
export function daysLater(date: string, days: number): string {
  return isoDate(Date.parse(date) + days * dayMs);
}

/** The first and the last day of the month before a date's. */
export function monthBefore(date: string): { readonly first: string; readonly last: string } {
  const given = new Date(Date.parse(date));
  const [year, month] = [given.getUTCFullYear(), given.getUTCMonth()];
  return { first: isoDate(Date.UTC(year, month - 1, 1)), last: isoDate(Date.UTC(year, month, 0)) };
}

/** The UK's local time at an instant, as if it were UTC. */
function wallClock(nowMs: number): number {
  return nowMs + offsetMs(nowMs);
}

/** The instant of a UK midnight; the clocks change after midnight in London and in UTC, so the two agree on the offset. */
function instantOfMidnight(wallMs: number): number {
  return wallMs - offsetMs(wallMs);
}

/** The current rule for the UK's clock changes applies since then. Earlier rules differed from year to year. */
const todaysRuleFromMs = Date.UTC(1996, 0, 1);

/** How far the UK's clocks are ahead of UTC: 0 or 1 hour. */
function offsetMs(atMs: number): number {
  if (atMs < todaysRuleFromMs) return formerOffsetMs(atMs);
  const year = new Date(atMs).getUTCFullYear();
  return atMs >= clockChange(year, 2) && atMs < clockChange(year, 9) ? hourMs : 0;
}

/** The last Sunday of a month of 31 days, at one in UTC. */
function clockChange(year: number, month: 2 | 9): number {
  const lastDay = new Date(Date.UTC(year, month, 31));
  return lastDay.getTime() - lastDay.getUTCDay() * dayMs + hourMs;
}

let londonHour: Intl.DateTimeFormat | undefined;

/** The offset from the engine's calendar, which takes tens of milliseconds to load. */
function formerOffsetMs(atMs: number): number {
  londonHour ??= new Intl.DateTimeFormat("en-GB", {
    timeZone: "Europe/London",
    hour: "numeric",
    hourCycle: "h23",
  });
  const hour = Math.floor(mod(atMs, dayMs) / hourMs);
  return mod(Number(londonHour.format(atMs)) - hour, 24) * hourMs;
}

function isoDate(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

function mod(value: number, modulus: number): number {
  return ((value % modulus) + modulus) % modulus;
}
