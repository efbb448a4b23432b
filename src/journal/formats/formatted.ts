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

/** Writes a report in one of its formats. */
export function formatted(
  format: ReportFormat,
  forms: Readonly<Record<ReportFormat, () => string>>,
): Formatted {
  return { text: forms[format](), type: mediaTypes[format] };
}
