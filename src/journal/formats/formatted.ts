export const reportFormats = ["json", "markdown", "junit", "html"] as const;
export type ReportFormat = (typeof reportFormats)[number];

const mediaTypes: Readonly<Record<ReportFormat, string>> = {
  json: "application/json",
  markdown: "text/markdown; charset=utf-8",
  junit: "application/xml; charset=utf-8",
  html: "text/html; charset=utf-8",
};

/** A report as text, and its media type. */
export interface Formatted {
  readonly text: string;
  readonly type: string;
}

export function formatted(
  format: ReportFormat,
  writers: Readonly<Record<ReportFormat, () => string>>,
): Formatted {
  return { text: writers[format](), type: mediaTypes[format] };
}

/** @param rows - cells are Markdown without line breaks */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** The sections that are not empty, separated by empty lines. */
export function markdownPage(...sections: readonly string[]): string {
  return `${markdownParts(...sections)}\n`;
}

/** The parts of a section that are not empty, separated by empty lines. */
export function markdownParts(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

export function timesText(times: number): string {
  return times === 1 ? "once" : `${times} times`;
}
