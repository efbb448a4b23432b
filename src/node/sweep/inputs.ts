import type { Dialect } from "../../contract/dialect.ts";
import type { ContraryReport } from "../../journal/contrary-report.ts";
import type { SweepReport } from "../../journal/sweep-report.ts";
import { quoted, SetupError } from "../../rules/errors.ts";
import { Catalogue } from "../../scenarios/catalogue.ts";
import type { Inputs, SandboxOptions } from "../create-sandbox.ts";
import { keyQuotaOf, readDialect } from "../dialect-option.ts";
import { readJson } from "../exec/report-files.ts";
import { readDefaultFixtures, readFixtures, readScenarios, readShippedScenarios } from "../input-files.ts";

/** The contents of the files for one sandbox; with another dialect than that of the options if one is given. */
export type ReadInputs = (dialect?: Dialect) => Inputs;

/**
 * Reads the files of the options once, so that an edit changes no cell. Each sandbox has its own catalogue, because a
 * catalogue keeps its listeners.
 * @throws SetupError if a file cannot be read or is invalid, or the scenario is unknown
 */
export function inputsOf(options: SandboxOptions): ReadInputs {
  const { fixtures, scenarios, scenario } = options;
  const base = readDialect(options);
  const world = fixtures === undefined ? readDefaultFixtures() : readFixtures(fixtures, keyQuotaOf(base));
  const own = scenarios === undefined ? [] : readScenarios(scenarios);
  const catalogue = () => new Catalogue(readShippedScenarios, own);
  if (scenario !== undefined) catalogue().required(scenario);
  return (dialect = base) => ({ fixtures: world, dialect, catalogue: catalogue(), files: [] });
}

/**
 * Reads the cells of a JSON report.
 * @param option - for the error message
 * @param kind - the report that is expected
 * @throws SetupError if the file cannot be read or is another report
 */
export function readBaseline<Report extends SweepReport | ContraryReport = SweepReport>(
  option: string,
  file: string,
  kind: "sweep" | "contrary" = "sweep",
): Pick<Report, "cells"> {
  const report = readJson(option, file) as Partial<Report> | null;
  const cells = report?.format === 1 && report.cells;
  const isExpected = report !== null && "dependencies" in report === (kind === "contrary");
  if (
    !isExpected ||
    !Array.isArray(cells) ||
    !cells.every((cell) => typeof cell?.id === "string" && cell.verdict)
  ) {
    throw new SetupError(
      `${option}: ${quoted(file)} is not a report of ${kind === "sweep" ? "a sweep" : "contrary"}. Write one with --report FILE.json.`,
    );
  }
  return { cells } as Pick<Report, "cells">;
}
