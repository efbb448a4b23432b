let londonDay: Intl.DateTimeFormat | undefined;
let today: { readonly hour: number; readonly date: string } | undefined;

/**
 * The date in the UK.
 * @param nowMs - milliseconds since the epoch
 * @returns an ISO date
 */
export function londonDate(nowMs: number): string {
  // As with the month below: it changes on the hour only.
  const hour = Math.floor(nowMs / 3_600_000);
  if (today?.hour !== hour) {
    londonDay ??= new Intl.DateTimeFormat("en-GB", {
      timeZone: "Europe/London",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    const [day, month, year] = londonDay.format(nowMs).split("/");
    today = { hour, date: `${year}-${month}-${day}` };
  }
  return today.date;
}

let londonMonth: Intl.DateTimeFormat | undefined;
let latest: { readonly hour: number; readonly date: string } | undefined;

/**
 * A new card's `expiry_date`: the last day of the month five years on, by the UK calendar (assumed).
 * @param nowMs - milliseconds since the epoch
 * @returns an ISO date
 */
export function expiryDate(nowMs: number): string {
  // The UK's month changes, and its offset too, on the hour only: one reading of the calendar serves it.
  const hour = Math.floor(nowMs / 3_600_000);
  if (latest?.hour !== hour) latest = { hour, date: readExpiryDate(nowMs) };
  return latest.date;
}

function readExpiryDate(nowMs: number): string {
  londonMonth ??= new Intl.DateTimeFormat("en-GB", {
    timeZone: "Europe/London",
    year: "numeric",
    month: "numeric",
  });
  const parts = londonMonth.formatToParts(nowMs);
  const numberOf = (type: "year" | "month") => Number(parts.find((part) => part.type === type)?.value);
  // Day 0 of the month after is the month's last.
  return new Date(Date.UTC(numberOf("year") + 5, numberOf("month"), 0)).toISOString().slice(0, 10);
}
