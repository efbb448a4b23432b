import { globTest } from "../rules/glob.ts";
import type { AnyScenarioName } from "../scenarios/shipped.ts";
import { type CoverageReport, type PointCoverage, percent } from "./coverage.ts";
import {
  type Finding,
  type FindingRequest,
  type FindingsReport,
  isAsSevere,
  type LeftOut,
  type Severity,
} from "./findings/finding.ts";
import { replayed, withReplay } from "./replay-command.ts";

/** A scenario that was armed and never fired, so the test that armed it does not test it. */
export interface UnusedScenario {
  readonly name: AnyScenarioName;
  /** A slug, or `live/SLUG`; null: armed for all companies. */
  readonly company: string | null;
  /** The operation that it was armed for; null: those of the scenario. */
  readonly operation: string | null;
  readonly api_key_id: string | null;
  readonly times: number | null;
  /** By the sandbox's clock. */
  readonly armed_at: string;
  /** Whether the option `--scenario` armed it, not a test. */
  readonly from_start: boolean;
}

/** Everything that a verdict about the clients of a sandbox needs, as in `GET /_sandbox/report`. */
export interface RunReport {
  /** Of card-sandbox. */
  readonly version: string;
  /** The behaviors that the dialect switches, with their alternatives. */
  readonly dialect: Readonly<Record<string, string>>;
  /** The path of the tape of the run; absent if none was recorded. */
  readonly tape?: string;
  /** The scenario of the option `--scenario`. */
  readonly scenario: string | null;
  /** The number of requests that the service received. */
  readonly requests: number;
  readonly findings: FindingsReport;
  readonly unused_scenarios: readonly UnusedScenario[];
  readonly coverage: CoverageReport;
}

/** A command that ran against the sandbox. */
export interface CommandResult {
  /** The program without its arguments, which may contain secrets. */
  readonly name: string;
  /** 128 plus the signal's number if a signal ended it. */
  readonly exit_code: number;
  /** In a merged report: the report of this command. */
  readonly source?: string;
}

/** The conditions under which a run passes, in addition to the exit code of its command. */
export interface Gates {
  /** The minimum percentage of contract points that the run must meet; excluded points do not count. */
  readonly minCoverage: number | undefined;
  /** Patterns of the points that the run must meet, as far as its dialect lets them be met; excluded points do not count. */
  readonly require: readonly string[];
  /** The lowest severity of a finding that fails the run; undefined: findings do not fail it. */
  readonly failOn: Severity | undefined;
  /** The names of findings that do not fail the run; undefined: there is no baseline. */
  readonly baseline: readonly string[] | undefined;
  /** Whether a run with unused scenarios passes. */
  readonly allowUnused: boolean;
  /** Whether a run without requests to the service passes. */
  readonly allowNoRequests: boolean;
}

/** Whether the run passed one of its gates. */
export interface GateResult {
  /** The option, the program, `requests` or `unused scenarios`. */
  readonly name: string;
  readonly passed: boolean;
  /** A sentence without its period. */
  readonly message: string;
  /** If it failed: the requests that show why, in order. */
  readonly evidence?: readonly FindingRequest[];
  /** The command that shows the last of these requests, if a tape was recorded. */
  readonly replay?: string;
}

/** The verdict about one or more runs. */
export interface SuiteReport extends RunReport, LeftOut {
  readonly format: 1;
  /** Of `exec`: the command's exit code; if that is 0, or without a command: 1 if a gate failed, 3 if a file could not be written. */
  readonly exit_code: number;
  readonly gates: readonly GateResult[];
  /** Empty if running sandboxes are judged. */
  readonly commands: readonly CommandResult[];
  /** The reports and the base URLs that `report` judged; empty in a report of `exec`. */
  readonly sources: readonly string[];
  /** The names of the findings that would fail the run without the baseline. */
  readonly accepted: readonly string[];
  /** The names of the findings that only the baseline has. */
  readonly no_longer: readonly string[];
}

/** Results, and where they come from. */
export type Judged = RunReport & Pick<SuiteReport, "commands" | "sources">;

/** Finds the requests that show why a gate failed. */
export interface GateEvidence {
  /** The latest requests to these operations, in order; undefined: to any operation; null: of any company. */
  latest(operations: readonly string[] | undefined, company: string | null): readonly FindingRequest[];
  /** The operations on which a scenario fires. */
  operationsOf(scenario: AnyScenarioName): readonly string[];
}

const noEvidence: GateEvidence = { latest: () => [], operationsOf: () => [] };

/** The most requests that are the evidence of one gate. */
const mostRequests = 20;

/** The verdict of the gates. */
export function suiteReport(
  gates: Gates,
  { version, tape, ...judged }: Judged,
  evidence: GateEvidence = noEvidence,
): SuiteReport {
  const gateResults = [
    ...judged.commands.map((each) => commandGate(each, evidence)),
    ...resultsOf(gates, judged, evidence),
  ].map((gate) => withEvidence(gate, tape));
  const { requests, findings, unused_scenarios, coverage, ...others } = judged;
  const found = new Set(namesIn(findings));
  return {
    format: 1,
    version,
    exit_code: gateResults.every(({ passed }) => passed) ? 0 : 1,
    ...(tape !== undefined && { tape }),
    gates: gateResults,
    ...others,
    accepted: namesOf(failing(gates, findings)).filter((name) => gates.baseline?.includes(name)),
    no_longer: (gates.baseline ?? []).filter((name) => !found.has(name)),
    requests,
    findings: withReplay(findings, tape),
    unused_scenarios,
    coverage,
  };
}

/** A gate whose evidence is only looked for if it failed. */
type JudgedGate = Omit<GateResult, "evidence"> & { readonly evidence?: () => readonly FindingRequest[] };

function commandGate({ name, exit_code, source }: CommandResult, evidence: GateEvidence): JudgedGate {
  return {
    name,
    passed: exit_code === 0,
    message: `exit code ${exit_code}${source === undefined ? "" : ` in ${source}`}`,
    evidence: () => evidence.latest(undefined, null),
  };
}

function withEvidence({ evidence, ...gate }: JudgedGate, tape: string | undefined): GateResult {
  const requests = gate.passed ? [] : (evidence?.() ?? []).slice(-mostRequests);
  return requests.length === 0 ? gate : { ...gate, evidence: requests, ...replayed(tape, requests) };
}

/**
 * The names by which a baseline knows the findings: rule, severity and operation, such as `IDEM-1 critical
 * orderPhysicalCard`. The sentences of a finding differ from run to run, the operation does not, and the same mistake in
 * another operation has another name.
 */
export function namesIn({ findings }: FindingsReport): string[] {
  return namesOf(findings);
}

/** Whether the baseline accepts each place of a finding. */
export function isAccepted(finding: Finding, accepted: readonly string[]): boolean {
  return namesOf([finding]).every((name) => accepted.includes(name));
}

function namesOf(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ id, severity, by_operation }) =>
    Object.keys(by_operation)
      .sort()
      .map((operation) => `${id} ${severity}${operation === "none" ? "" : ` ${operation}`}`),
  );
}

/** The findings that fail the run without a baseline. */
function failing({ failOn }: Gates, { findings }: FindingsReport): Finding[] {
  return failOn === undefined ? [] : findings.filter(({ severity }) => isAsSevere(severity, failOn));
}

function resultsOf(gates: Gates, results: Omit<RunReport, "version">, evidence: GateEvidence): JudgedGate[] {
  const { minCoverage, require, failOn, allowUnused, allowNoRequests } = gates;
  return [
    requestsGate(results.requests, allowNoRequests),
    ...(minCoverage === undefined ? [] : [coverageGate(minCoverage, results.coverage, evidence)]),
    ...(require.length === 0 ? [] : [requiredGate(require, results.coverage, evidence)]),
    ...(failOn === undefined ? [] : [findingsGate(failOn, gates, results.findings)]),
    unusedGate(results.unused_scenarios, allowUnused, evidence),
  ];
}

/** A run without requests fails by default, because it tests nothing. */
function requestsGate(requests: number, isNoneAllowed: boolean): JudgedGate {
  const none = isNoneAllowed
    ? "the sandbox received no requests (allowed by --allow-no-requests)"
    : "the sandbox received no requests. Make the client use CARD_SANDBOX_URL, or add --allow-no-requests.";
  return {
    name: "requests",
    passed: requests > 0 || isNoneAllowed,
    message:
      requests === 0 ? none : `the sandbox received ${requests === 1 ? "1 request" : `${requests} requests`}`,
  };
}

function coverageGate(
  minimum: number,
  { total, points }: CoverageReport,
  evidence: GateEvidence,
): JudgedGate {
  const required = Math.ceil((minimum * total.points) / 100);
  return {
    name: `--min-coverage ${minimum}`,
    passed: total.met * 100 >= minimum * total.points,
    message: `${total.met} of ${total.points} contract points met (${percent(total)}), at least ${required} required`,
    evidence: () => requestsNear(points.filter(isMissing), evidence),
  };
}

function isMissing({ excluded, times }: PointCoverage): boolean {
  return !excluded && times === 0;
}

/** The latest requests to the operations that can meet the points: they show which points they met instead. */
function requestsNear(missing: readonly PointCoverage[], evidence: GateEvidence): readonly FindingRequest[] {
  const operations = [...new Set(missing.flatMap(({ operations }) => operations))];
  return evidence.latest(operations.length === 0 ? undefined : operations, null);
}

function requiredGate(
  patterns: readonly string[],
  { points }: CoverageReport,
  evidence: GateEvidence,
): JudgedGate {
  const counted = points.filter(({ excluded }) => !excluded);
  const isRequired = globTest(patterns);
  const required = counted.filter(({ id }) => isRequired(id));
  const missing = required.filter(isMissing);
  const unreachable = patterns.filter((pattern) => !counted.some(({ id }) => globTest([pattern])(id)));
  const problems = [
    ...(missing.length === 0 ? [] : [`contract points not met: ${missing.map(({ id }) => id).join(", ")}`]),
    ...(unreachable.length === 0 ? [] : [`unreachable under the dialect: ${unreachable.join(", ")}`]),
  ];
  return {
    name: "--require",
    passed: problems.length === 0,
    message: problems.join("; ") || `${required.length} of ${required.length} required contract points met`,
    evidence: () => requestsNear(missing, evidence),
  };
}

function findingsGate(failOn: Severity, gates: Gates, report: FindingsReport): JudgedGate {
  const { baseline } = gates;
  const bad = failing(gates, report).filter((finding) => !isAccepted(finding, baseline ?? []));
  const kind = baseline === undefined ? "findings" : "new findings";
  const threshold = failOn === "critical" ? "severity critical" : `severity ${failOn} or higher`;
  const names =
    baseline === undefined
      ? new Set(bad.map(({ id }) => id))
      : namesOf(bad).filter((name) => !baseline.includes(name));
  return {
    name: `--fail-on ${failOn}`,
    passed: bad.length === 0,
    message:
      bad.length === 0 ? `no ${kind} of ${threshold}` : `${kind} of ${threshold}: ${[...names].join(", ")}`,
    evidence: () => inOrder(bad.flatMap(({ occurrences }) => occurrences[0]?.requests ?? [])),
  };
}

/** Each request once, by source and id. */
function inOrder(requests: readonly FindingRequest[]): FindingRequest[] {
  const each = new Map(requests.map((request) => [`${request.id} ${request.source}`, request]));
  const sources = [...new Set(requests.map(({ source }) => source))];
  return sources.flatMap((source) =>
    [...each.values()]
      .filter((request) => request.source === source)
      .sort((one, other) => Number(one.id) - Number(other.id)),
  );
}

function unusedGate(
  unused: readonly UnusedScenario[],
  isAllowed: boolean,
  { latest, operationsOf }: GateEvidence,
): JudgedGate {
  const names = [...new Set(unused.map(({ name }) => name))].join(", ");
  const never = isAllowed
    ? `armed but never fired: ${names} (allowed by --allow-unused-scenarios)`
    : `armed but never fired: ${names}. Remove unused scenarios, or add --allow-unused-scenarios.`;
  return {
    name: "unused scenarios",
    passed: unused.length === 0 || isAllowed,
    message: unused.length === 0 ? "none" : never,
    evidence: () =>
      inOrder(
        unused.flatMap(({ name, company, operation }) =>
          latest(operation === null ? operationsOf(name) : [operation], company),
        ),
      ),
  };
}
