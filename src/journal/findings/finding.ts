import type { OperationId } from "../../contract/operations.ts";
import type { ContractPointId } from "../../contract/points.ts";
import type { JournalMessage } from "../journal-entry.ts";
import type { FindingId } from "./rules.ts";

/** From mistakes that cost money or leak a secret to hints. */
export const severities = ["critical", "high", "warn", "info"] as const;
export type Severity = (typeof severities)[number];

export function isAsSevere(severity: Severity, as: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(as);
}

/**
 * A request that is evidence: of an occurrence, of a gate that failed, or of a cell of a sweep. It is a copy because the
 * journal may drop the request. Secrets are masked.
 */
export interface FindingRequest {
  /** Its id in the journal. */
  readonly id: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With the question mark; empty if the URL has no query. */
  readonly query: string;
  /** Null if no response was delivered. */
  readonly status: number | null;
  /** The contract point of the response; null if the connection was dropped before a decision. */
  readonly point: ContractPointId | null;
  /** By the company's clock. */
  readonly time: string;
  /** Absent without evidence, and if the sandbox no longer has the request. */
  readonly request?: JournalMessage;
  /** Null if no response was delivered; absent as `request`. */
  readonly response?: JournalMessage | null;
  /** In a merged report: the report or the sandbox that has the request. */
  readonly source?: string;
}

/** One instance of the mistake. */
export interface Occurrence {
  /** A sentence of fact, without secrets. */
  readonly observed: string;
  /** The slug of the company; null if the caller was not identified. */
  readonly company: string | null;
  /** In order; empty if the mistake was not in a request but, for example, in a receiver of webhooks. */
  readonly requests: readonly FindingRequest[];
  /** The command that shows it, if a tape was recorded: `card-sandbox replay FILE --until ID`. */
  readonly replay?: string;
}

/** Where a mistake was made. */
type FindingOperation = OperationId | "none";

/** A client mistake that would cause harm with the real service. */
export interface Finding {
  readonly id: FindingId;
  readonly severity: Severity;
  readonly title: string;
  /** Why it matters in production. */
  readonly why: string;
  /** How to fix it. */
  readonly fix: string;
  /** The section of the specification that the rule is based on. */
  readonly spec: string;
  /** The number of occurrences. */
  readonly times: number;
  /** The occurrences by the operation of their last request; `none`: no request of an operation makes the mistake. */
  readonly by_operation: Readonly<ByOperation>;
  /** The first five. */
  readonly occurrences: readonly Occurrence[];
}

/** What a JSON report leaves out to stay below 2 MB. */
export interface LeftOut {
  /** The number of requests without headers and bodies; absent: none. */
  readonly evidence_left_out?: number;
  /** The number of findings; absent: none. */
  readonly findings_left_out?: number;
}

/** The client's mistakes, most severe first. */
export interface FindingsReport extends LeftOut {
  /** The number of findings of each severity. */
  readonly totals: Readonly<Record<Severity, number>>;
  readonly findings: readonly Finding[];
}

/** The report of these findings, which are in their order. */
export function findingsOf(findings: readonly Finding[]): FindingsReport {
  const count = (severity: Severity) => findings.filter((each) => each.severity === severity).length;
  return {
    totals: { critical: count("critical"), high: count("high"), warn: count("warn"), info: count("info") },
    findings,
  };
}

/** Occurrences by operation. */
export type ByOperation = Partial<Record<FindingOperation, number>>;

/** Adds the occurrences of another count to a count, and returns it. */
export function addAll(sums: ByOperation, others: Readonly<ByOperation>): ByOperation {
  for (const operation of Object.keys(others) as FindingOperation[]) {
    sums[operation] = (sums[operation] ?? 0) + (others[operation] ?? 0);
  }
  return sums;
}

export interface FindingsFilter {
  /** Only findings of one company: its id, its slug, or `live/SLUG`. */
  readonly company?: string | undefined;
  /** Whether the client sends no more requests, so that omissions count; default false. */
  readonly final?: boolean | undefined;
  /** Whether the requests have their headers and bodies; default true. */
  readonly evidence?: boolean | undefined;
}
