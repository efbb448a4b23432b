import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { SetupError } from "../../core/errors.ts";
import type { ReportFormat } from "../../report/formats/formatted.ts";

const formats: Readonly<Record<string, ReportFormat>> = {
  ".md": "markdown",
  ".json": "json",
  ".xml": "junit",
  ".html": "html",
};

/** A file that a report is to be written to. */
export interface ReportFile {
  readonly path: string;
  readonly format: ReportFormat;
}

/**
 * Takes a file's name for a report's, and looks whether it can be written: who runs a suite for an hour is to hear
 * of it before.
 * @throws SetupError where its ending tells no format, or it cannot be written
 */
export function reportFile(name: string): ReportFile {
  const format = formats[extname(name).toLowerCase()];
  if (!format) {
    throw new SetupError(`--report ${name}: its ending tells the format, one of ${Object.keys(formats)}`);
  }
  const path = resolve(name);
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing && !existing.isFile()) throw new SetupError(`--report ${name}: it is there, and no file`);
  try {
    accessSync(existing ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw new SetupError(`--report ${name} cannot be written: ${(error as Error).message}`, { cause: error });
  }
  return { path, format };
}

/** @returns why it could not be written after all, where it could not */
export function writeReport({ path }: ReportFile, text: string): string[] {
  try {
    writeFileSync(path, text);
    return [];
  } catch (error) {
    return [`the report ${path} cannot be written: ${(error as Error).message}`];
  }
}
