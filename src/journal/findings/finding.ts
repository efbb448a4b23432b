import type { RuleId } from "./rules.ts";

/** From mistakes that cost money or leak a secret to mere information. */
export const severities = ["critical", "high", "warn", "info"] as const;
export type Severity = (typeof severities)[number];

export function isAsSevere(severity: Severity, as: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(as);
}

/** A request of an occurrence. It is copied here because the journal may not keep it any more. */
export interface RequestSeen {
  /** Its id in the journal. */
  readonly id: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Null if no response was delivered. */
  readonly status: number | null;
  /** By the company's clock. */
  readonly time: string;
}

/** One time that the client made the mistake. */
export interface Occurrence {
  /** The observation, in a sentence without secrets. */
  readonly seen: string;
  /** The slug of the company; null if the caller was not identified. */
  readonly company: string | null;
  /** In their order; empty if the mistake was not made in a request, but for example by a receiver of webhooks. */
  readonly requests: readonly RequestSeen[];
}

/** A mistake of the client that the real service would punish later. */
export interface Finding {
  readonly id: RuleId;
  readonly severity: Severity;
  readonly title: string;
  /** Why it matters in production. */
  readonly why: string;
  /** How to fix it. */
  readonly mend: string;
  /** The section of the specification that the rule is based on. */
  readonly spec: string;
  /** The number of occurrences. */
  readonly times: number;
  /** The first five. */
  readonly occurrences: readonly Occurrence[];
}

/** The client's mistakes, the most severe first. */
export interface FindingsReport {
  /** The number of findings of each severity. */
  readonly totals: Readonly<Record<Severity, number>>;
  readonly findings: readonly Finding[];
}

export interface FindingsFilter {
  /** Only findings of one company: its id, its slug, or `live/SLUG`. */
  readonly company?: string | undefined;
  /** Whether the client sends nothing more, so that omissions count; default false. */
  readonly final?: boolean | undefined;
}
