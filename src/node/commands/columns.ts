import { escapeControls } from "../../journal/formats/escape.ts";

/** Rows with each column as wide as its widest cell, headed. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(escapeControls));
  const widths = head.map((_, c) => Math.max(...all.map((row) => row[c]?.length ?? 0)));
  const lines = all.map((row) => row.map((cell, c) => cell.padEnd(widths[c] ?? 0)).join("  "));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
