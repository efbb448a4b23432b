import { readFileSync } from "node:fs";
import type { SweepReport } from "../../journal/sweep-report.ts";
import { quoted, SetupError } from "../../rules/errors.ts";
import { Catalogue } from "../../scenarios/catalogue.ts";
import type { Inputs, SandboxOptions } from "../create-sandbox.ts";
import { keyQuotaOf, readDialect } from "../dialect-option.ts";
import { readDefaultFixtures, readFixtures, readScenarios, readShippedScenarios } from "../input-files.ts";

/**
 * Reads the files of the options once, so that an edit changes no cell. Each sandbox has its own catalogue, because a
 * catalogue keeps its listeners.
 * @throws SetupError if a file cannot be read or is invalid, or the scenario is unknown
 */
export function inputsOf(options: SandboxOptions): () => Inputs {
  const { fixtures, scenarios, scenario } = options;
  const dialect = readDialect(options);
  const world = fixtures === undefined ? readDefaultFixtures() : readFixtures(fixtures, keyQuotaOf(dialect));
  const own = scenarios === undefined ? [] : readScenarios(scenarios);
  const catalogue = () => new Catalogue(readShippedScenarios, own);
  if (scenario !== undefined) catalogue().required(scenario);
  return () => ({ fixtures: world, dialect, catalogue: catalogue(), files: [] });
}

/**
 * Reads the cells of a JSON report.
 * @param option - for the error message
 * @throws SetupError if the file cannot be read or is no report of a sweep
 */
export function readBaseline(option: string, file: string): Pick<SweepReport, "cells"> {
  let report: Partial<SweepReport> | null;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new SetupError(`${option}: cannot read ${quoted(file)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const cells = report?.format === 1 && report.cells;
  if (!Array.isArray(cells) || !cells.every((cell) => typeof cell?.id === "string" && cell.verdict)) {
    throw new SetupError(
      `${option}: ${quoted(file)} is not a report of a sweep. Write one with --report FILE.json.`,
    );
  }
  return { cells };
}
