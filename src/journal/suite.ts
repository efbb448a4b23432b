import type { AnyScenarioName } from "../scenarios/shipped.ts";
import { type CoverageReport, type PointCoverage, percent, pointTest } from "./coverage.ts";
import { type FindingRequest, type FindingsReport, isAsSevere, type Severity } from "./findings/finding.ts";
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
}

/** The conditions under which a run passes, in addition to the exit code of its command. */
export interface Gates {
  /** The minimum percentage of contract points that the run must meet; excluded points do not count. */
  readonly minCoverage: number | undefined;
  /** Patterns of the points that the run must meet, as far as its dialect lets them be met; excluded points do not count. */
  readonly require: readonly string[];
  /** The lowest severity of a finding that fails the run; undefined: findings do not fail it. */
  readonly failOn: Severity | undefined;
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

/** The results of a suite that ran against the sandbox. */
export interface SuiteReport {
  readonly version: string;
  /** The command's exit code; if that is 0: 1 if a gate failed, 3 if a report could not be written. */
  readonly exit_code: number;
  /** The path of the tape of the run; absent if none was recorded. */
  readonly tape?: string;
  readonly gates: readonly GateResult[];
  /** The number of requests that the service received. */
  readonly requests: number;
  readonly findings: FindingsReport;
  readonly unused_scenarios: readonly UnusedScenario[];
  readonly coverage: CoverageReport;
}

type Results = Pick<
  SuiteReport,
  "version" | "requests" | "findings" | "unused_scenarios" | "coverage" | "tape"
>;

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

/**
 * @param program - the command without its arguments, which may contain secrets
 * @param exitCode - the command's exit code; 128 plus the signal's number if a signal ended it
 */
export function suiteReport(
  program: string,
  exitCode: number,
  gates: Gates,
  { version, tape, ...results }: Results,
  evidence: GateEvidence = noEvidence,
): SuiteReport {
  const gateResults = [
    {
      ...{ name: program, passed: exitCode === 0, message: `exit code ${exitCode}` },
      evidence: () => evidence.latest(undefined, null),
    },
    ...resultsOf(gates, results, evidence),
  ].map((gate) => withEvidence(gate, tape));
  const isGood = gateResults.every(({ passed }) => passed);
  return {
    version,
    exit_code: exitCode || (isGood ? 0 : 1),
    ...(tape !== undefined && { tape }),
    gates: gateResults,
    ...results,
    findings: withReplay(results.findings, tape),
  };
}

/** A gate whose evidence is only looked for if it failed. */
type JudgedGate = Omit<GateResult, "evidence"> & { readonly evidence?: () => readonly FindingRequest[] };

function withEvidence({ evidence, ...gate }: JudgedGate, tape: string | undefined): GateResult {
  const requests = gate.passed ? [] : (evidence?.() ?? []).slice(-mostRequests);
  return requests.length === 0 ? gate : { ...gate, evidence: requests, ...replayed(tape, requests) };
}

function resultsOf(gates: Gates, results: Omit<Results, "version">, evidence: GateEvidence): JudgedGate[] {
  const { minCoverage, require, failOn, allowUnused, allowNoRequests } = gates;
  return [
    requestsGate(results.requests, allowNoRequests),
    ...(minCoverage === undefined ? [] : [coverageGate(minCoverage, results.coverage, evidence)]),
    ...(require.length === 0 ? [] : [requiredGate(require, results.coverage, evidence)]),
    ...(failOn === undefined ? [] : [findingsGate(failOn, results.findings)]),
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
  const isRequired = pointTest(patterns);
  const required = counted.filter(({ id }) => isRequired(id));
  const missing = required.filter(isMissing);
  const unreachable = patterns.filter((pattern) => !counted.some(({ id }) => pointTest([pattern])(id)));
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

function findingsGate(failOn: Severity, { findings }: FindingsReport): JudgedGate {
  const failing = findings.filter(({ severity }) => isAsSevere(severity, failOn));
  const threshold = failOn === "critical" ? "severity critical" : `severity ${failOn} or higher`;
  const ids = [...new Set(failing.map(({ id }) => id))].join(", ");
  return {
    name: `--fail-on ${failOn}`,
    passed: failing.length === 0,
    message: failing.length === 0 ? `no findings of ${threshold}` : `findings of ${threshold}: ${ids}`,
    evidence: () => inOrder(failing.flatMap(({ occurrences }) => occurrences[0]?.requests ?? [])),
  };
}

/** Each request once, by id. */
function inOrder(requests: readonly FindingRequest[]): FindingRequest[] {
  const byId = new Map(requests.map((request) => [Number(request.id), request]));
  return [...byId].sort(([one], [other]) => one - other).map(([, request]) => request);
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
