const daySeconds = 86_400;
const units = [
  ["day", daySeconds],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** How far a clock is ahead, in up to two units, from a week on in days: "1 hour 15 minutes ahead", "31 days ahead". */
export function offsetInWords(offsetMs: number): string {
  const seconds = Math.round(offsetMs / 1000);
  // A month that the change to summer time shortens by an hour has 31 days for a reader.
  let left = seconds < 7 * daySeconds ? seconds : Math.round(seconds / daySeconds) * daySeconds;
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
  }
  return parts.length === 0 ? "less than a second ahead" : `${parts.slice(0, 2).join(" ")} ahead`;
}
