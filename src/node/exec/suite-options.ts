import { type Command, InvalidArgumentError, Option } from "commander";
import { countedPoints } from "../../journal/coverage.ts";
import { type Severity, severities } from "../../journal/findings/finding.ts";
import type { Gates } from "../../journal/suite.ts";
import { SetupError } from "../../rules/errors.ts";
import { globTest } from "../../rules/glob.ts";
import { nearest } from "../../rules/nearest.ts";
import { commaSeparated, notEmpty, wholeNumber } from "../commands/command.ts";
import { baselineFile, readBaseline, type SuiteFile, suiteFile } from "./report-files.ts";

/** The gates of a suite, and the files of its report. */
export interface SuiteOptions {
  readonly gates: Gates;
  /** Patterns of contract points to exclude from coverage; `*` matches anything. */
  readonly exclude: readonly string[];
  /** The files to write. */
  readonly files: readonly SuiteFile[];
}

/** Adds the options that `exec` and `report` share. */
export function addSuiteOptions(command: Command): Command {
  const gates = [
    new Option("--min-coverage <percent>", "minimum coverage of the contract points, in percent").argParser(
      wholeNumber(100),
    ),
    new Option(
      "--require <points>",
      "comma-separated list of contract points that must be met; * is a wildcard; can be repeated",
    ).argParser(points),
    new Option("--exclude <points>", "contract points to ignore; same form as --require").argParser(points),
    new Option("--fail-on <severity>", "fail on findings of at least this severity").choices(severities),
    baselineOption("findings"),
    new Option("--allow-no-requests", "do not fail when the sandbox receives no requests"),
    new Option("--allow-unused-scenarios", "do not fail when an armed scenario never fired"),
  ];
  for (const gate of gates) command.addOption(gate.helpGroup("Gates:"));
  const written = new Option("--write-baseline <file>", "write the findings of this run, for --baseline");
  for (const each of [reportOption(), written.argParser(notEmpty)]) {
    command.addOption(each.helpGroup("Report:"));
  }
  return command;
}

/**
 * Also an option of `sweep` and `contrary`.
 * @param accepted - what the baseline accepts
 */
export function baselineOption(accepted: string): Option {
  return new Option("--baseline <file>", `earlier JSON report, whose ${accepted} are accepted`).argParser(
    notEmpty,
  );
}

/** Also an option of `sweep` and `contrary`. */
export function reportOption(): Option {
  return new Option(
    "--report <file>",
    "write a report, as .md, .json, .xml (JUnit) or .html; can be repeated",
  ).argParser((name: string, before: readonly string[] = []) => [...before, name]);
}

/**
 * Reads the parsed options. A pattern with a wildcard does not require excluded points.
 * @throws SetupError if the options exclude everything that they require
 */
export function suiteOptions(command: Command): SuiteOptions {
  const flags = command.opts<{
    minCoverage?: number;
    require?: string[];
    exclude?: string[];
    failOn?: Severity;
    allowUnusedScenarios?: boolean;
    allowNoRequests?: boolean;
    report?: string[];
    baseline?: string;
    writeBaseline?: string;
  }>();
  const { minCoverage, require = [], exclude = [], failOn, report = [], baseline, writeBaseline } = flags;
  const { allowUnusedScenarios = false, allowNoRequests = false } = flags;
  const isExcluded = globTest(exclude);
  const counted = countedPoints.filter((id) => !isExcluded(id));
  if (minCoverage !== undefined && counted.length === 0) {
    throw new SetupError("--exclude: must not match every contract point if --min-coverage is set");
  }
  const unmatched = require.find((pattern) => !counted.some(globTest([pattern])));
  if (unmatched !== undefined) {
    throw new SetupError(`--require: "${unmatched}" matches only contract points that --exclude excludes`);
  }
  if (baseline !== undefined && failOn === undefined) {
    throw new SetupError(
      "--baseline: requires --fail-on SEVERITY, because findings fail nothing without it. Example: --fail-on warn",
    );
  }
  return {
    gates: {
      minCoverage,
      require,
      failOn,
      baseline: baseline === undefined ? undefined : readBaseline(baseline),
      allowUnused: allowUnusedScenarios,
      allowNoRequests,
    },
    exclude,
    files: [...report.map(suiteFile), ...(writeBaseline === undefined ? [] : [baselineFile(writeBaseline)])],
  };
}

function points(text: string, before: readonly string[] = []): string[] {
  const patterns = commaSeparated(text);
  const unmatched = patterns.find((pattern) => !countedPoints.some(globTest([pattern])));
  if (unmatched === undefined) return [...before, ...patterns];
  const meant = nearest(unmatched, countedPoints);
  throw new InvalidArgumentError(
    `unknown contract point "${unmatched}". ${meant === undefined ? "" : `Did you mean "${meant}"? `}List them with card-sandbox contract.`,
  );
}
