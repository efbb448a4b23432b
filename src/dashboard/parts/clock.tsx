const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** How far a clock is ahead, in up to two units: "31 days ahead", "1 hour 15 minutes ahead". */
export function offsetInWords(offsetMs: number): string {
  let left = Math.round(offsetMs / 1000);
  const parts: string[] = [];
  for (const [unit, seconds] of units) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
  }
  return parts.length === 0 ? "less than a second ahead" : `${parts.slice(0, 2).join(" ")} ahead`;
}
