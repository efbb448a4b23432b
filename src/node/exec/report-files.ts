import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import type { ReportFormat } from "../../journal/formats/formatted.ts";
import { formatSuite } from "../../journal/formats/suite.ts";
import type { GateResult, Gates, SuiteReport } from "../../journal/suite.ts";
import { CouldNotRun, SetupError } from "../../rules/errors.ts";
import { exitCodes } from "../exit-codes.ts";

const formats: Readonly<Record<string, ReportFormat>> = {
  ".md": "markdown",
  ".json": "json",
  ".xml": "junit",
  ".html": "html",
};

/** A file for a report. */
export interface ReportFile {
  readonly path: string;
  readonly format: ReportFormat;
}

/**
 * Checks the name of a report file before the suite runs, which may take an hour.
 * @throws SetupError if its ending names no format; CouldNotRun if it cannot be written
 */
export function reportFile(name: string): ReportFile {
  const format = formats[extname(name).toLowerCase()];
  if (!format) {
    throw new SetupError(`--report ${name}: its ending tells the format, one of ${Object.keys(formats)}`);
  }
  const path = resolve(name);
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) {
    throw new CouldNotRun(`--report ${name} cannot be written: it is there, and no file`);
  }
  try {
    accessSync(existing ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw new CouldNotRun(`--report ${name} cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return { path, format };
}

/**
 * Writes a report to its files. If one cannot be written after all, the others say so and the run fails.
 * @returns the report as it was last written
 */
export function writeReports(report: SuiteReport, gates: Gates, files: readonly ReportFile[]): SuiteReport {
  const written = files.map((file) => ({
    file,
    failure: write(file, formatSuite(report, gates, file.format).text),
  }));
  const failed = written.flatMap(({ failure = [] }) => failure);
  if (failed.length === 0) return report;
  const told: SuiteReport = {
    ...report,
    exit_code: report.exit_code || exitCodes.notRun,
    checks: [...report.checks, ...failed],
  };
  return writeReports(
    told,
    gates,
    written.filter(({ failure }) => !failure).map(({ file }) => file),
  );
}

function write({ path }: ReportFile, text: string): GateResult | undefined {
  try {
    writeFileSync(path, text);
    return undefined;
  } catch (error) {
    const message = `cannot be written: ${(error as Error).message}`;
    return { name: `--report ${path}`, passed: false, message };
  }
}
