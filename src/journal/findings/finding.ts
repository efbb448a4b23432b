import type { RuleId } from "./rules.ts";

/** From what costs money or leaks a secret to what is only worth knowing. */
export const severities = ["critical", "high", "warn", "info"] as const;
export type Severity = (typeof severities)[number];

/** Whether a severity is as grave as another, or graver. */
export function isAsGrave(severity: Severity, as: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(as);
}

/** A request that bears a finding out; it is told here, since the journal may keep it no longer. */
export interface RequestSeen {
  /** Its id in the journal. */
  readonly id: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Null where no answer was delivered. */
  readonly status: number | null;
  /** By the clock that the company goes by. */
  readonly time: string;
}

/** One time that the client was seen making the mistake. */
export interface Occurrence {
  /** What was seen, in a sentence; it holds no secret. */
  readonly seen: string;
  /** The slug of the company that it was for; null where nobody knew who called. */
  readonly company: string | null;
  /** The requests in their order; none where it was seen elsewhere, as at a webhook's receiver. */
  readonly requests: readonly RequestSeen[];
}

/** A mistake of the client's that the real service would punish later. */
export interface Finding {
  readonly id: RuleId;
  readonly severity: Severity;
  readonly title: string;
  /** Why it matters in production. */
  readonly why: string;
  /** How to mend it. */
  readonly mend: string;
  /** The section of the specification that it goes by. */
  readonly spec: string;
  /** How often it was seen. */
  readonly times: number;
  /** The first five. */
  readonly occurrences: readonly Occurrence[];
}

/** What the client did wrong: the gravest first. */
export interface FindingsReport {
  /** How many findings there are of each severity. */
  readonly totals: Readonly<Record<Severity, number>>;
  readonly findings: readonly Finding[];
}

export interface FindingsFilter {
  /** Those of one company alone: its id, its slug, or `live/SLUG`. */
  readonly company?: string | undefined;
  /** Whether nothing is to follow any more, so that what was left undone counts; default false. */
  readonly final?: boolean | undefined;
}
