import { operationIds } from "../contract/operations.ts";
import { SetupError } from "../rules/errors.ts";
import { globTest } from "../rules/glob.ts";
import { type CoverageReport, countedPoints, coverageOf } from "./coverage.ts";
import {
  addAll,
  type ByOperation,
  type Finding,
  type FindingsReport,
  findingsOf,
  type Occurrence,
  severities,
} from "./findings/finding.ts";
import { shownOccurrences } from "./findings/occurrences.ts";
import { ruleIds } from "./findings/rules.ts";
import { withReplay } from "./replay-command.ts";
import type { CommandResult, GateEvidence, Judged, RunReport, UnusedScenario } from "./suite.ts";

/** The results of one run, and the report or the sandbox that they come from. */
export interface Source {
  readonly name: string;
  readonly report: RunReport;
  /** Empty for a running sandbox. */
  readonly commands: readonly CommandResult[];
  /** Of a running sandbox. */
  readonly evidence?: GateEvidence;
}

/**
 * Merges the results of runs, in their order, to those that one run of all their tests has.
 * @param sources - at least one
 * @param exclude - patterns of contract points that do not count
 * @throws SetupError if the sandboxes had different dialects, so that their contract points differ
 */
export function merged(sources: readonly Source[], exclude: readonly string[]): Judged {
  const [one, ...others] = sources as readonly [Source, ...Source[]];
  const { version, dialect, tape } = one.report;
  const other = others.find(({ report }) => textOf(report.dialect) !== textOf(dialect));
  if (other) {
    throw new SetupError(
      `${other.name}: its sandbox has ${textOf(other.report.dialect)}, but that of ${one.name} has ${textOf(dialect)}. Judge sandboxes with different dialects separately.`,
    );
  }
  const reports = sources.map(({ report }) => report);
  const scenarios = new Set(reports.map(({ scenario }) => scenario));
  return {
    ...{ version, dialect },
    ...(others.length === 0 && tape !== undefined && { tape }),
    scenario: scenarios.size === 1 ? one.report.scenario : null,
    requests: reports.reduce((sum, { requests }) => sum + requests, 0),
    findings: mergedFindings(sources),
    unused_scenarios: mergedUnused(reports),
    coverage: mergedCoverage(sources, exclude),
    commands: mergedCommands(sources),
    sources: sources.map(({ name }) => name),
  };
}

function textOf(dialect: RunReport["dialect"]): string {
  const selected = Object.entries(dialect).map(([behavior, use]) => `${behavior}=${use}`);
  return selected.length === 0 ? "the default dialect" : `the dialect ${selected.join(",")}`;
}

/** The evidence of all sandboxes that are running. */
export function mergedEvidence(sources: readonly Source[]): GateEvidence {
  return {
    latest: (operations, company) =>
      sources.flatMap(({ name, evidence }) =>
        (evidence?.latest(operations, company) ?? []).map((request) => named(sources, name, request)),
      ),
    operationsOf: (scenario) => [
      ...new Set(sources.flatMap(({ evidence }) => evidence?.operationsOf(scenario) ?? [])),
    ],
  };
}

/** Names the source of a request, whose id is unique only there. One source needs no name. */
function named<Part extends { readonly source?: string }>(
  sources: readonly Source[],
  name: string,
  part: Part,
) {
  return sources.length === 1 || part.source !== undefined ? part : { ...part, source: name };
}

function mergedCoverage(sources: readonly Source[], exclude: readonly string[]): CoverageReport {
  const isExcluded = globTest(exclude);
  const points = countedPoints.flatMap((id) => {
    const own = sources.flatMap(({ name, report }) =>
      report.coverage.points
        .filter((point) => point.id === id)
        .map((point) => ({ ...point, first: point.first && named(sources, name, point.first) })),
    );
    const [one] = own;
    if (!one) return [];
    return {
      ...one,
      met_by: operationIds.filter((operation) => own.some(({ met_by }) => met_by.includes(operation))),
      times: own.reduce((sum, { times }) => sum + times, 0),
      first: own.find(({ first }) => first)?.first ?? null,
      excluded: isExcluded(id),
    };
  });
  return coverageOf(points);
}

function mergedFindings(sources: readonly Source[]): FindingsReport {
  const all = sources.flatMap(({ name, report }) =>
    withReplay(report.findings, report.tape).findings.map((finding) => ({
      ...finding,
      occurrences: finding.occurrences.map((occurrence) => ({
        ...occurrence,
        requests: occurrence.requests.map((request) => named(sources, name, request)),
      })),
    })),
  );
  return findingsOf(
    severities.flatMap((severity) =>
      ruleIds.flatMap((id) => {
        const own = all.filter((each) => each.id === id && each.severity === severity);
        const [one] = own;
        return one ? [mergedFinding(one, own)] : [];
      }),
    ),
  );
}

function mergedFinding(one: Finding, own: readonly Finding[]): Finding {
  return {
    ...one,
    times: own.reduce((sum, { times }) => sum + times, 0),
    by_operation: own.reduce<ByOperation>((sums, { by_operation }) => addAll(sums, by_operation), {}),
    occurrences: inOrder(own.flatMap(({ occurrences }) => occurrences)).slice(0, shownOccurrences),
  };
}

/** As one run lists them: those without a company first, then company by company. */
function inOrder(occurrences: readonly Occurrence[]): Occurrence[] {
  const companies = [...new Set([null, ...occurrences.map(({ company }) => company)])];
  return companies.flatMap((company) => occurrences.filter((each) => each.company === company));
}

/**
 * A test runs in one shard, so what it armed must fire there. The scenario of `--scenario` is armed in each shard, and
 * is unused only if it fired in none.
 */
function mergedUnused(reports: readonly RunReport[]): UnusedScenario[] {
  const all = reports.flatMap(({ unused_scenarios }) => unused_scenarios);
  const isUnused = ({ name }: UnusedScenario) =>
    reports
      .filter(({ scenario }) => scenario === name)
      .every(({ unused_scenarios }) => unused_scenarios.some((each) => each.from_start));
  const fromStart = new Map(
    all.filter((each) => each.from_start && isUnused(each)).map((each) => [each.name, each]),
  );
  return [...fromStart.values(), ...all.filter((each) => !each.from_start)];
}

/** Commands that passed once each, commands that failed with the report of each. */
function mergedCommands(sources: readonly Source[]): CommandResult[] {
  const all = sources.flatMap(({ name, commands }) =>
    commands.map((each) => (each.exit_code === 0 ? each : named(sources, name, each))),
  );
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}
