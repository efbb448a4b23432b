import { accessSync, constants, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import type { Finding, FindingsReport } from "../../journal/findings/finding.ts";
import type { ReportFormat } from "../../journal/formats/formatted.ts";
import { formatSuite } from "../../journal/formats/suite.ts";
import { type GateResult, type Gates, namesIn, type SuiteReport } from "../../journal/suite.ts";
import { CouldNotRun, quoted, SetupError } from "../../rules/errors.ts";
import { exitCodes } from "../exit-codes.ts";

const formats: Readonly<Record<string, ReportFormat>> = {
  ".md": "markdown",
  ".json": "json",
  ".xml": "junit",
  ".html": "html",
};

/** A report file that can be written. */
export interface ReportFile {
  readonly path: string;
  readonly format: ReportFormat;
}

/**
 * Checks a report file before the suite runs, which may take an hour.
 * @throws SetupError if its extension is unknown; CouldNotRun if it cannot be written
 */
export function reportFile(name: string): ReportFile {
  const format = formats[extname(name).toLowerCase()];
  if (!format) {
    throw new SetupError(
      `--report: must end in one of ${Object.keys(formats).join(", ")}, but is ${quoted(name)}`,
    );
  }
  return { path: writablePath("--report", name), format };
}

/** A file that a suite writes when it ends. */
export interface SuiteFile {
  readonly option: string;
  readonly path: string;
  textOf(report: SuiteReport, gates: Gates): string;
}

/** @throws as `reportFile` */
export function suiteFile(name: string): SuiteFile {
  const { path, format } = reportFile(name);
  return { option: "--report", path, textOf: (report, gates) => formatSuite(report, gates, format).text };
}

/** @throws CouldNotRun if the file cannot be written */
export function baselineFile(name: string): SuiteFile {
  const option = "--write-baseline";
  return {
    option,
    path: writablePath(option, name),
    textOf: ({ version, findings }) =>
      `${JSON.stringify({ format: 1, version, findings: namesIn(findings) }, null, 2)}\n`,
  };
}

/**
 * Reads the names of the findings in a file of `--write-baseline`, or in a JSON report.
 * @throws SetupError if it cannot be read, or is another file
 */
export function readBaseline(file: string): readonly string[] {
  const option = "--baseline";
  const { format, findings } = (readJson(option, file) ?? {}) as Partial<SuiteReport>;
  const isReport = Array.isArray(findings?.findings) && findings.findings.every(hasName);
  const names: unknown = isReport ? namesIn(findings as FindingsReport) : findings;
  if (format !== 1 || !Array.isArray(names) || !names.every((name) => typeof name === "string")) {
    throw new SetupError(
      `${option}: ${quoted(file)} has no findings of exec or report. Write it with --write-baseline FILE.`,
    );
  }
  return names;
}

function hasName(finding: Partial<Finding> | null): boolean {
  const places: unknown = finding?.by_operation;
  return typeof places === "object" && places !== null;
}

/** @throws SetupError if the file of an option cannot be read, or is not JSON */
export function readJson(option: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new SetupError(`${option}: cannot read ${quoted(file)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** @throws CouldNotRun if the file of an option cannot be written */
export function writablePath(option: string, name: string): string {
  const path = resolve(name);
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) {
    throw new CouldNotRun(
      `${option}: cannot write ${quoted(name)}: it exists, but is not a file. Use another file name.`,
    );
  }
  try {
    accessSync(existing ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw new CouldNotRun(`${option}: cannot write ${quoted(name)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return path;
}

/**
 * Writes a report to its files. If one cannot be written, the run fails, and the other files say so.
 * @returns the report, with the failures to write it
 */
export function writeReports(report: SuiteReport, gates: Gates, files: readonly SuiteFile[]): SuiteReport {
  const written = files.map((file) => ({
    file,
    failure: failureOf(file, file.textOf(report, gates)),
  }));
  const failed = written.flatMap(({ failure = [] }) => failure);
  if (failed.length === 0) return report;
  const withFailures: SuiteReport = {
    ...report,
    exit_code: report.exit_code || exitCodes.notRun,
    gates: [...report.gates, ...failed],
  };
  return writeReports(
    withFailures,
    gates,
    written.filter(({ failure }) => !failure).map(({ file }) => file),
  );
}

function failureOf(file: SuiteFile, text: string): GateResult | undefined {
  const message = writeReport(file, text);
  return message === undefined ? undefined : { name: `${file.option} ${file.path}`, passed: false, message };
}

/** @returns why the file cannot be written; undefined: it is written */
export function writeReport({ path }: Pick<ReportFile, "path">, text: string): string | undefined {
  try {
    writeFileSync(path, text);
    return undefined;
  } catch (error) {
    return `cannot be written: ${(error as Error).message}`;
  }
}
