import type { PointId } from "../contract/points.ts";
import type { CoverageReport } from "./coverage.ts";
import { type FindingsReport, isAsSevere, type Severity } from "./findings/finding.ts";

/** A scenario that was armed and never fired: the test that armed it does not test it. */
export interface UnusedScenario {
  readonly name: string;
  /** A slug, or `live/SLUG`; null: armed for all companies. */
  readonly company: string | null;
  /** Replaces the operations in the scenario; null: they apply. */
  readonly operation: string | null;
  readonly api_key_id: string | null;
  readonly times: number | null;
  /** By the sandbox's clock. */
  readonly armed_at: string;
}

/** The conditions under which a run passes, in addition to its own exit code. */
export interface Gates {
  /** The minimum percentage of contract points that it must meet; excluded points do not count. */
  readonly minCoverage: number | undefined;
  /** The points that it must meet. */
  readonly require: readonly PointId[];
  /** The least severity of a finding that fails the run; undefined: findings do not fail it. */
  readonly failOn: Severity | undefined;
  /** Whether a run passes with armed scenarios that never fired. */
  readonly allowUnused: boolean;
  /** Whether a run without any request to the service passes. */
  readonly allowNoRequests: boolean;
}

/** Whether the run passed one of its gates. */
export interface GateResult {
  /** The gate as the command line gives it. */
  readonly name: string;
  readonly passed: boolean;
  /** A sentence without its full stop. */
  readonly message: string;
}

/** The results of a suite that ran against the sandbox. */
export interface SuiteReport {
  readonly version: string;
  /** The command's own exit code; if that is 0, 1 if a check failed, or 3 if a report could not be written. */
  readonly exit_code: number;
  readonly checks: readonly GateResult[];
  /** The number of requests that the service received. */
  readonly requests: number;
  readonly findings: FindingsReport;
  readonly unfired: readonly UnusedScenario[];
  readonly coverage: CoverageReport;
}

type Results = Pick<SuiteReport, "version" | "requests" | "findings" | "unfired" | "coverage">;

/**
 * @param program - the command without its arguments, which may hold secrets
 * @param exitCode - the command's; 128 plus the signal's number if a signal ended it
 */
export function suiteReport(program: string, exitCode: number, gates: Gates, results: Results): SuiteReport {
  const checks = [
    { name: program, passed: exitCode === 0, message: `ended with ${exitCode}` },
    ...checksOf(gates, results),
  ];
  const isGood = checks.every(({ passed }) => passed);
  const { version, ...others } = results;
  return { version, exit_code: exitCode || (isGood ? 0 : 1), checks, ...others };
}

function checksOf(gates: Gates, results: Results): GateResult[] {
  const { minCoverage, require, failOn, allowUnused, allowNoRequests } = gates;
  return [
    requestsCheck(results.requests, allowNoRequests),
    ...(minCoverage === undefined ? [] : [coverageCheck(minCoverage, results.coverage)]),
    ...(require.length === 0 ? [] : [requiredCheck(require, results.coverage)]),
    ...(failOn === undefined ? [] : [findingsCheck(failOn, results.findings)]),
    unusedCheck(results.unfired, allowUnused),
  ];
}

/** A run without any request fails by default, because it tests nothing. */
function requestsCheck(requests: number, isNoneAllowed: boolean): GateResult {
  const none = isNoneAllowed
    ? "the sandbox received no request, which --allow-no-requests allows"
    : "the sandbox received no request: make the client use CARD_SANDBOX_URL, or allow this with --allow-no-requests";
  return {
    name: "requests",
    passed: requests > 0 || isNoneAllowed,
    message:
      requests === 0 ? none : `the sandbox received ${requests === 1 ? "1 request" : `${requests} requests`}`,
  };
}

function coverageCheck(minimum: number, { total: { points, met } }: CoverageReport): GateResult {
  return {
    name: `--min-coverage ${minimum}`,
    passed: met * 100 >= minimum * points,
    message: `${met} of ${points} contract points were met, and ${Math.ceil((minimum * points) / 100)} are asked for`,
  };
}

function requiredCheck(required: readonly PointId[], { points }: CoverageReport): GateResult {
  const met = new Set(points.filter(({ times }) => times > 0).map(({ id }) => id));
  const missing = required.filter((id) => !met.has(id));
  return {
    name: "--require",
    passed: missing.length === 0,
    message:
      missing.length === 0
        ? `${required.length === 1 ? "the required point was" : `all ${required.length} required points were`} met`
        : `not met: ${missing.join(", ")}`,
  };
}

function findingsCheck(failOn: Severity, { findings }: FindingsReport): GateResult {
  const grave = findings.filter(({ severity }) => isAsSevere(severity, failOn));
  const threshold = failOn === "critical" ? "critical" : `${failOn} or graver`;
  return {
    name: `--fail-on ${failOn}`,
    passed: grave.length === 0,
    message:
      grave.length === 0
        ? `no finding is ${threshold}`
        : `${threshold}: ${[...new Set(grave.map(({ id }) => id))].join(", ")}`,
  };
}

function unusedCheck(unused: readonly UnusedScenario[], isAllowed: boolean): GateResult {
  const names = [...new Set(unused.map(({ name }) => name))].join(", ");
  return {
    name: "armed scenarios",
    passed: unused.length === 0 || isAllowed,
    message:
      unused.length === 0
        ? "none was armed in vain"
        : `never fired: ${names}${isAllowed ? ", as --allow-unfired lets them" : " (--allow-unfired lets that pass)"}`,
  };
}
