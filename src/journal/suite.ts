import type { PointId } from "../contract/points.ts";
import type { CoverageReport } from "./coverage.ts";
import { type FindingsReport, isAsGrave, type Severity } from "./findings/finding.ts";
import type { UnfiredScenario } from "./unfired.ts";

/** What a suite is held to, beside its own outcome. */
export interface Gates {
  /** The least percentage of contract points that it has to meet; those excluded do not count. */
  readonly minCoverage: number | undefined;
  /** The points that it has to meet. */
  readonly require: readonly PointId[];
  /** No finding may be as grave as this, or graver. */
  readonly failOn: Severity | undefined;
  /** Whether what it arms may go without ever firing. */
  readonly allowUnfired: boolean;
  /** Whether a run without any request to the service passes. */
  readonly allowNoRequests: boolean;
}

/** One thing that the suite was held to. */
export interface Check {
  /** As it was asked for. */
  readonly name: string;
  readonly passed: boolean;
  /** What came of it, in a sentence without its full stop. */
  readonly message: string;
}

/** A suite that ran against the sandbox: what it met, what its client did wrong, and whether that is good enough. */
export interface SuiteReport {
  readonly version: string;
  /**
   * With what the whole ends: the command's own exit code; where that is 0, 1 if a check failed, or else 3 if a report
   * could not be written.
   */
  readonly exit_code: number;
  readonly checks: readonly Check[];
  /** How many requests the service received. */
  readonly requests: number;
  readonly findings: FindingsReport;
  readonly unfired: readonly UnfiredScenario[];
  readonly coverage: CoverageReport;
}

type Seen = Pick<SuiteReport, "version" | "requests" | "findings" | "unfired" | "coverage">;

/**
 * @param program - what ran, without its arguments: these may hold secrets
 * @param exitCode - its own; 128 and the signal's number where one ended it
 */
export function suiteReport(program: string, exitCode: number, gates: Gates, seen: Seen): SuiteReport {
  const checks = [
    { name: program, passed: exitCode === 0, message: `ended with ${exitCode}` },
    ...checksOf(gates, seen),
  ];
  const isGood = checks.every(({ passed }) => passed);
  const { version, ...results } = seen;
  return { version, exit_code: exitCode || (isGood ? 0 : 1), checks, ...results };
}

function checksOf(gates: Gates, seen: Seen): Check[] {
  const { minCoverage, require, failOn, allowUnfired, allowNoRequests } = gates;
  return [
    requestsCheck(seen.requests, allowNoRequests),
    ...(minCoverage === undefined ? [] : [coverageCheck(minCoverage, seen.coverage)]),
    ...(require.length === 0 ? [] : [requiredCheck(require, seen.coverage)]),
    ...(failOn === undefined ? [] : [findingsCheck(failOn, seen.findings)]),
    unfiredCheck(seen.unfired, allowUnfired),
  ];
}

/** A suite whose client never calls the sandbox tests nothing. */
function requestsCheck(requests: number, isNoneAllowed: boolean): Check {
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

function coverageCheck(asked: number, { total: { points, met } }: CoverageReport): Check {
  return {
    name: `--min-coverage ${asked}`,
    passed: met * 100 >= asked * points,
    message: `${met} of ${points} contract points were met, and ${Math.ceil((asked * points) / 100)} are asked for`,
  };
}

function requiredCheck(required: readonly PointId[], { points }: CoverageReport): Check {
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

function findingsCheck(failOn: Severity, { findings }: FindingsReport): Check {
  const grave = findings.filter(({ severity }) => isAsGrave(severity, failOn));
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

function unfiredCheck(unfired: readonly UnfiredScenario[], isAllowed: boolean): Check {
  const names = [...new Set(unfired.map(({ name }) => name))].join(", ");
  return {
    name: "armed scenarios",
    passed: unfired.length === 0 || isAllowed,
    message:
      unfired.length === 0
        ? "none was armed in vain"
        : `never fired: ${names}${isAllowed ? ", as --allow-unfired lets them" : " (--allow-unfired lets that pass)"}`,
  };
}
