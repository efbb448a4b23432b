import type { BehaviourId } from "../contract/behaviours.ts";
import { type SweepCell, type SweepReport, type Verdict, verdicts } from "./sweep-report.ts";

/** The run of the client under one alternative of one behavior. */
export interface ContraryCell
  extends Pick<
    SweepCell,
    | "id"
    | "verdict"
    | "reason"
    | "repeat"
    | "evidence"
    | "tape"
    | "replay"
    | "differences"
    | "findings"
    | "output"
    | "duration_ms"
  > {
  /** Such as `replay.status`; `id` is `replay.status=200`. */
  readonly behaviour: BehaviourId;
  /** The id of the alternative. */
  readonly alternative: string;
  /** The alternative, such as "200, because nothing was created". */
  readonly title: string;
  /** Why it is plausible: the standard or the API that does it. */
  readonly plausible: string;
  /** The first line of the client's failure; null: it passed, or says nothing. */
  readonly failure: string | null;
  /** The first call whose response has another contract point or status than in the reference run; null: there is none. */
  readonly first_difference: string | null;
}

/** A behavior on which the client depends. */
export interface Dependency {
  readonly behaviour: BehaviourId;
  /** Such as "Status of a replayed request". */
  readonly title: string;
  /** The id and the title of the alternative with which the client passes. */
  readonly default: string;
  readonly default_title: string;
  /** `damage`: under an alternative, the client leaves other cards; `tests`: it only fails, and so notices. */
  readonly by: "tests" | "damage";
  /** The ids of the alternatives that break it. */
  readonly broken_by: readonly string[];
  /** Such as "green only if `replay.status` is 201". */
  readonly summary: string;
}

/** The mildest verdict that fails the run. */
export type ContraryFailOn = "damaged" | "failed" | "never";

/** On which assumptions of the sandbox a client depends. */
export interface ContraryReport
  extends Pick<
    SweepReport,
    | "format"
    | "version"
    | "client"
    | "exit_code"
    | "problem"
    | "output"
    | "reference"
    | "not_run"
    | "not_run_reason"
    | "left_out"
    | "shortened"
    | "totals"
    | "accepted"
    | "no_longer"
    | "evidence_left_out"
    | "details_left_out"
  > {
  readonly fail_on: ContraryFailOn;
  /** The behaviors that the dialect of the reference runs switches, with their alternatives. */
  readonly dialect: Readonly<Record<string, string>>;
  readonly dependencies: readonly Dependency[];
  readonly cells: readonly ContraryCell[];
  /** The alternatives that cannot be switched alone, because they conflict with another one. */
  readonly conflicting: readonly { readonly id: string; readonly reason: string }[];
}

/** Whether the client does not work under the alternative. */
export function breaks({ verdict }: { readonly verdict: Verdict }): boolean {
  return verdicts.indexOf(verdict) <= verdicts.indexOf("failed");
}
