import * as z from "zod";
import { type Coverage, countedPoints } from "../journal/coverage.ts";
import type { FindingsFilter } from "../journal/findings/finding.ts";
import type { Findings } from "../journal/findings/findings.ts";
import { formatCoverage } from "../journal/formats/coverage.ts";
import { formatFindings } from "../journal/formats/findings.ts";
import { reportFormats } from "../journal/formats/formatted.ts";
import type { RunReport } from "../journal/suite.ts";
import { globTest } from "../rules/glob.ts";
import { flag, readQuery } from "./input.ts";
import type { ControlHandlers } from "./operations.ts";
import { entryFilter, unknownPoint } from "./requests.ts";

const { company } = entryFilter;
const format = z.enum(reportFormats).default("json");

const pointPatterns = z.array(z.string()).superRefine((patterns, check) => {
  const unmatched = patterns.find((pattern) => !countedPoints.some(globTest([pattern])));
  if (unmatched !== undefined) check.addIssue(unknownPoint(unmatched));
});

/** Filter of a coverage report for callers in the same process. */
export const coverageFilter = z.lazy(() => z.strictObject({ company, exclude: pointPatterns.optional() }));

export const coverageQuery = z.lazy(() =>
  z.strictObject({
    company,
    exclude: z
      .string()
      .transform((list) => list.split(",").map((pattern) => pattern.trim()))
      .pipe(pointPatterns)
      .optional(),
    format,
  }),
);

/** Filter of a findings report for callers in the same process. */
export const findingsFilter = z.lazy(() =>
  z.strictObject({
    company,
    final: z.boolean("must be true or false").optional(),
    evidence: z.boolean("must be true or false").optional(),
  }),
);

export const findingsQuery = z.lazy(() =>
  z.strictObject({
    company,
    final: flag(),
    evidence: flag(),
    format,
  }),
);

/** Filter of a report for callers in the same process. */
export const reportFilter = z.lazy(() =>
  z.strictObject({ final: z.boolean("must be true or false").optional() }),
);

export const reportQuery = z.lazy(() => z.strictObject({ final: flag() }));

/** @internal */
export function reportHandlers(
  coverage: Coverage,
  findings: Findings,
  report: (filter: FindingsFilter) => RunReport,
): ControlHandlers<"getCoverage" | "getFindings" | "getReport"> {
  return {
    getCoverage: (c) => {
      const { format, ...filter } = readQuery(c, coverageQuery);
      const { text, type } = formatCoverage(coverage.report(filter), format);
      return c.body(text, 200, { "Content-Type": type });
    },
    getFindings: (c) => {
      const { format, ...filter } = readQuery(c, findingsQuery);
      const { text, type } = formatFindings(findings.report(filter), format);
      return c.body(text, 200, { "Content-Type": type });
    },
    getReport: (c) => c.json(report(readQuery(c, reportQuery))),
  };
}
