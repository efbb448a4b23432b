import type { AnyScenarioName } from "../scenarios/shipped.ts";
import { type CoverageReport, percent, pointTest } from "./coverage.ts";
import { type FindingsReport, isAsSevere, type Severity } from "./findings/finding.ts";

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
}

/** The results of a suite that ran against the sandbox. */
export interface SuiteReport {
  readonly version: string;
  /** The command's exit code; if that is 0: 1 if a gate failed, 3 if a report could not be written. */
  readonly exit_code: number;
  readonly gates: readonly GateResult[];
  /** The number of requests that the service received. */
  readonly requests: number;
  readonly findings: FindingsReport;
  readonly unused_scenarios: readonly UnusedScenario[];
  readonly coverage: CoverageReport;
}

type Results = Pick<SuiteReport, "version" | "requests" | "findings" | "unused_scenarios" | "coverage">;

/**
 * @param program - the command without its arguments, which may contain secrets
 * @param exitCode - the command's exit code; 128 plus the signal's number if a signal ended it
 */
export function suiteReport(program: string, exitCode: number, gates: Gates, results: Results): SuiteReport {
  const gateResults = [
    { name: program, passed: exitCode === 0, message: `exit code ${exitCode}` },
    ...resultsOf(gates, results),
  ];
  const isGood = gateResults.every(({ passed }) => passed);
  const { version, ...others } = results;
  return { version, exit_code: exitCode || (isGood ? 0 : 1), gates: gateResults, ...others };
}

function resultsOf(gates: Gates, results: Results): GateResult[] {
  const { minCoverage, require, failOn, allowUnused, allowNoRequests } = gates;
  return [
    requestsGate(results.requests, allowNoRequests),
    ...(minCoverage === undefined ? [] : [coverageGate(minCoverage, results.coverage)]),
    ...(require.length === 0 ? [] : [requiredGate(require, results.coverage)]),
    ...(failOn === undefined ? [] : [findingsGate(failOn, results.findings)]),
    unusedGate(results.unused_scenarios, allowUnused),
  ];
}

/** A run without requests fails by default, because it tests nothing. */
function requestsGate(requests: number, isNoneAllowed: boolean): GateResult {
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

function coverageGate(minimum: number, { total }: CoverageReport): GateResult {
  const required = Math.ceil((minimum * total.points) / 100);
  return {
    name: `--min-coverage ${minimum}`,
    passed: total.met * 100 >= minimum * total.points,
    message: `${total.met} of ${total.points} contract points met (${percent(total)}), at least ${required} required`,
  };
}

function requiredGate(patterns: readonly string[], { points }: CoverageReport): GateResult {
  const counted = points.filter(({ excluded }) => !excluded);
  const isRequired = pointTest(patterns);
  const required = counted.filter(({ id }) => isRequired(id));
  const missing = required.filter(({ times }) => times === 0).map(({ id }) => id);
  const unreachable = patterns.filter((pattern) => !counted.some(({ id }) => pointTest([pattern])(id)));
  const problems = [
    ...(missing.length === 0 ? [] : [`contract points not met: ${missing.join(", ")}`]),
    ...(unreachable.length === 0 ? [] : [`unreachable under the dialect: ${unreachable.join(", ")}`]),
  ];
  return {
    name: "--require",
    passed: problems.length === 0,
    message: problems.join("; ") || `${required.length} of ${required.length} required contract points met`,
  };
}

function findingsGate(failOn: Severity, { findings }: FindingsReport): GateResult {
  const failing = findings.filter(({ severity }) => isAsSevere(severity, failOn));
  const threshold = failOn === "critical" ? "severity critical" : `severity ${failOn} or higher`;
  const ids = [...new Set(failing.map(({ id }) => id))].join(", ");
  return {
    name: `--fail-on ${failOn}`,
    passed: failing.length === 0,
    message: failing.length === 0 ? `no findings of ${threshold}` : `findings of ${threshold}: ${ids}`,
  };
}

function unusedGate(unused: readonly UnusedScenario[], isAllowed: boolean): GateResult {
  const names = [...new Set(unused.map(({ name }) => name))].join(", ");
  const never = isAllowed
    ? `armed but never fired: ${names} (allowed by --allow-unused-scenarios)`
    : `armed but never fired: ${names}. Remove unused scenarios, or add --allow-unused-scenarios.`;
  return {
    name: "unused scenarios",
    passed: unused.length === 0 || isAllowed,
    message: unused.length === 0 ? "none" : never,
  };
}
