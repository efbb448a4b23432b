/** @param sorted - in ascending order */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** The mean of the two middle values if their number is even; NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return (quantile(sorted, 0.5) + (sorted[Math.ceil(half) - 1] ?? Number.NaN)) / 2;
}

/** NaN if there are no values. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A table in Markdown: text in the first column, figures in the others. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, column) => (column === 0 ? "---" : "--:"));
  return `${[head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}
