import { type Command, InvalidArgumentError, Option } from "commander";
import { behaviours, pointTest } from "../../journal/coverage.ts";
import { type Severity, severities } from "../../journal/findings/finding.ts";
import type { Gates } from "../../journal/suite.ts";
import { SetupError } from "../../rules/errors.ts";
import { nearest } from "../../rules/nearest.ts";
import { commaSeparated, wholeNumber } from "../commands/command.ts";

/** The gates of a suite, and the files of its report. */
export interface SuiteOptions {
  readonly gates: Gates;
  /** Patterns of contract points that do not count; `*` matches anything. */
  readonly exclude: readonly string[];
  /** Names of report files. */
  readonly reports: readonly string[];
}

/** Adds the options that only `exec` has. */
export function addSuiteOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--min-coverage <percent>", "how much of the contract has to be met, in percent").argParser(
        wholeNumber(100),
      ),
    )
    .addOption(
      new Option(
        "--require <points>",
        "contract points that have to be met, parted by commas; * stands for anything",
      ).argParser(points),
    )
    .addOption(
      new Option("--exclude <points>", "contract points that do not count, written likewise").argParser(
        points,
      ),
    )
    .addOption(
      new Option("--fail-on <severity>", "the least severity of a finding that fails").choices(severities),
    )
    .addOption(new Option("--allow-no-requests", "do not fail when the command sends no request"))
    .addOption(new Option("--allow-unfired", "let pass what is armed and never fires"))
    .addOption(
      new Option(
        "--report <file>",
        "write the report, by the file's ending: .md, .json, .xml (JUnit), .html; may be repeated",
      ).argParser((name: string, before: readonly string[] = []) => [...before, name]),
    );
}

/**
 * Reads the parsed options. A pattern with an asterisk does not require excluded points.
 * @throws SetupError if the options exclude everything that they require
 */
export function suiteOptions(command: Command): SuiteOptions {
  const flags = command.opts<{
    minCoverage?: number;
    require?: string[];
    exclude?: string[];
    failOn?: Severity;
    allowUnfired?: boolean;
    allowNoRequests?: boolean;
    report?: string[];
  }>();
  const { minCoverage, require = [], exclude = [], failOn, report = [] } = flags;
  const { allowUnfired = false, allowNoRequests = false } = flags;
  const isExcluded = pointTest(exclude);
  const counted = behaviours.filter((id) => !isExcluded(id));
  if (minCoverage !== undefined && counted.length === 0) {
    throw new SetupError("--min-coverage has nothing to go by: --exclude leaves no contract point");
  }
  const vain = require.find((pattern) => !counted.some(pointTest([pattern])));
  if (vain !== undefined) {
    throw new SetupError(`--require ${vain} asks for nothing: --exclude takes out all that it names`);
  }
  return {
    gates: {
      minCoverage,
      require: counted.filter(pointTest(require)),
      failOn,
      allowUnused: allowUnfired,
      allowNoRequests,
    },
    exclude,
    reports: report,
  };
}

function points(text: string, before: readonly string[] = []): string[] {
  const patterns = commaSeparated(text);
  const vain = patterns.find((pattern) => !behaviours.some(pointTest([pattern])));
  if (vain === undefined) return [...before, ...patterns];
  const meant = nearest(vain, behaviours);
  throw new InvalidArgumentError(
    `"${vain}" is no contract point: ${meant === undefined ? "" : `did you mean ${meant}? `}card-sandbox contract lists them all.`,
  );
}
