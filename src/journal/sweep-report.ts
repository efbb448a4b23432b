import type { OperationId } from "../contract/operations.ts";
import type { ContractPointId } from "../contract/points.ts";
import type { FindingRequest } from "./findings/finding.ts";

/** How a client fared with one fault, the worst first. */
export const verdicts = ["hung", "crashed", "damaged", "failed", "survived", "not_reached"] as const;
export type Verdict = (typeof verdicts)[number];

/** One request of the reference run. */
export interface SweepCall {
  /** `operation#ordinal`, such as `orderPhysicalCard#3`; after `label/` if the calls have several labels. */
  readonly id: string;
  /** The slug of the company, or `live/SLUG`. */
  readonly label: string;
  readonly operation: OperationId;
  /** The position among the calls of its label and operation, from 1. */
  readonly ordinal: number;
  /** The contract point of the response in the reference run; null if no response was decided. */
  readonly point: ContractPointId | null;
  /** Why the call is unstable; null: it is stable. An unstable call is swept only with `--unstable`. */
  readonly unstable: string | null;
}

/** One request in the story of a cell. */
export interface StoryRequest {
  /** Such as `POST /developer/cards/physical`. Secrets are masked. */
  readonly request: string;
  readonly label: string;
  readonly operation: OperationId;
  /** Names an Idempotency-Key, in order of first use: A, B, …; null: the request has none. */
  readonly key: string | null;
  /** The status that the client received; null: it received no complete response. */
  readonly status: number | null;
  readonly point: ContractPointId | null;
  /** The scenario that was forced on the request; null: none. */
  readonly fault: string | null;
  /** What happened, in a few words, such as "card created, response lost". */
  readonly outcome: string;
  /** An explanation for the reader, such as "a new key: the first card is a duplicate"; null: none is needed. */
  readonly note: string | null;
}

/** A difference between the state that a cell leaves and that of the reference run. */
export interface WorldDifference {
  readonly label: string;
  /** `only in the reference run` or `only in this run`, as data. */
  readonly only: "reference" | "cell";
  /** How often. */
  readonly times: number;
  /** The card, as `field: value` pairs in a fixed order. */
  readonly card: Readonly<Record<string, string>>;
}

/** One run of the client, with one fault in one call, or with two. */
export interface SweepCell {
  /** `CALL:FAULT`, such as `orderPhysicalCard#3:lost-response`; with a second fault `CALL:FAULT+FAULT`. */
  readonly id: string;
  readonly label: string;
  readonly operation: OperationId;
  /** The id of the call. */
  readonly call: string;
  /** The name of the scenario that is forced on the call, or two names joined by `+`: the second one is forced on the client's next call. */
  readonly fault: string;
  readonly verdict: Verdict;
  /** One sentence without its period, such as "2 cards for one order". */
  readonly reason: string;
  /** The command that runs this cell again; for a sweep in a test process, the option. */
  readonly repeat: string;
  /** The requests of the label from the faulty one on, at most 20. */
  readonly story: readonly StoryRequest[];
  /** The requests of the story with their headers and bodies. */
  readonly evidence?: readonly FindingRequest[];
  /** The path of the tape of this run; absent if none was kept. */
  readonly tape?: string;
  /** The command that shows the last of these requests, if a tape was kept. */
  readonly replay?: string;
  /** At most 100. */
  readonly differences: readonly WorldDifference[];
  /** Findings that the reference run does not have, each with its id, severity and title. */
  readonly findings: readonly string[];
  /** The end of the output or the error of a client that failed; null: there is none. */
  readonly output: string | null;
  readonly duration_ms: number;
}

/** What a JSON report leaves out to stay below 2 MB. */
export interface DetailsLeftOut {
  /** The number of requests without headers and bodies; absent: none. */
  readonly evidence_left_out?: number;
  /** The number of cells without story and differences; absent: none. */
  readonly details_left_out?: number;
}

/** The result of a sweep. */
export interface SweepReport extends DetailsLeftOut {
  readonly format: 1;
  readonly version: string;
  /** The program without its arguments, or the name of the test. */
  readonly client: string;
  readonly exit_code: number;
  /** The mildest verdict that fails the sweep, besides those that are worse. */
  readonly fail_on: "damaged" | "failed";
  /** Why the sweep could not run its cells; null: it could. */
  readonly problem: string | null;
  /** The end of the client's output if it failed without faults. */
  readonly output: string | null;
  readonly reference: { readonly calls: number; readonly operations: number; readonly duration_ms: number };
  readonly calls: readonly SweepCall[];
  readonly cells: readonly SweepCell[];
  /** The ids of cells that were not run, because of the budget or an interruption. */
  readonly not_run: readonly string[];
  /** Why cells were not run; null: all were. */
  readonly not_run_reason: string | null;
  /** Fields of cards that the two reference runs leave different, so that cells are not compared by them. */
  readonly left_out: readonly { readonly label: string; readonly fields: readonly string[] }[];
  /** The waits that were shortened, as sentences. */
  readonly shortened: readonly string[];
  /** How many cells have each verdict. */
  readonly totals: Readonly<Record<Verdict, number>>;
  /** Cells whose verdict the baseline accepts. */
  readonly accepted: readonly string[];
  /** Cells of the baseline that no longer have their verdict. */
  readonly no_longer: readonly string[];
}

/** Whether a cell fails the sweep, unless the baseline accepts it. */
export function isFailing(
  { verdict }: Pick<SweepCell, "verdict">,
  failOn: "damaged" | "failed" | "never",
): boolean {
  if (failOn === "never") return false;
  const least = verdicts.indexOf(failOn);
  return verdicts.indexOf(verdict) <= least;
}
