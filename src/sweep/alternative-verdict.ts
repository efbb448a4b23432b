import { type Alternative, type BehaviourId, behaviours } from "../contract/behaviours.ts";
import type { Verdict } from "../journal/sweep-report.ts";
import type { RecordedCall, Recording } from "./recording.ts";
import { withoutIds } from "./story.ts";
import type { Exit } from "./subject.ts";
import { compare, hangingReason, type Judgement, judgement, type Reference, type Run } from "./verdict.ts";

/**
 * The verdict on the client under an alternative. The first that matches decides: hung, crashed, damaged, failed, not reached,
 * survived.
 */
export function judgeAlternative(
  run: Run,
  reference: Reference,
  behaviour: BehaviourId,
  { changesCards = [] }: Alternative,
  patienceMs: number,
): Judgement {
  const { exit } = run;
  const labels = [...reference.world.keys(), ...run.world.keys()];
  // The client is not responsible for fields that the alternative changes, but always for the number of cards.
  const leftOut = new Map(
    labels.map((label) => [label, [...(reference.leftOut.get(label) ?? []), ...changesCards]]),
  );
  const compared = compare(run, reference, leftOut);
  const { damage, differences } = compared;
  const decide = (verdict: Verdict, reason: string) => judgement(verdict, reason, compared);
  if (exit.outcome === "stopped") return decide("hung", hangingReason(run, patienceMs));
  if (exit.outcome === "crashed") return decide("crashed", exit.message);
  if (damage !== undefined) return decide("damaged", damage);
  if (exit.outcome === "passed" && differences.length > 0) {
    return decide("damaged", "the client reports success, but leaves other cards");
  }
  if (exit.outcome === "failed") return decide("failed", exit.message);
  if (isReached(behaviour, run.recording) || isReached(behaviour, reference.run.recording)) {
    return decide("survived", "the client succeeds and leaves the same cards");
  }
  return decide("not_reached", "no response had a contract point that the behavior is about");
}

/** Whether a response could differ. A behavior that is about no contract point may show anywhere. */
function isReached(id: BehaviourId, { calls }: Recording): boolean {
  const { points } = behaviours[id];
  return points.length === 0 || calls.some(({ point }) => point !== null && points.includes(point));
}

/** The beginnings of lines by which test runners report a failure, and the name of an error with its message. */
const failing = /^\s*(?:not ok\b|[✖✗×●]|(?:--- )?FAIL|E {2,})|\b(?:[A-Z]\w*)?(?:Error|Exception)(?::| \[|$)/;

/** The first line about a failure in the output of a client, without its duration; otherwise the last line. */
export function failureOf({ output, message }: Exit): string {
  const lines = (output ?? "").split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((each) => failing.test(each)) ?? lines.at(-1) ?? message;
  return withoutIds(line.trim().replace(/\s*\([0-9.]+ ?m?s\)$/, "")).slice(0, 500);
}

/** The first call whose response has another contract point or status than in the reference run; null: there is none. */
export function firstDifference(run: Recording, reference: Recording): string | null {
  const [different] = differentCalls(run, reference);
  if (!different) return null;
  const [call, before] = different;
  return `${nameOf(call)}: ${outcomeOf(call)} instead of ${outcomeOf(before)}`;
}

/** In a report. */
const mostCalls = 10;

/** The calls of its label from the first different one on, at most ten; if there is none, the last ten calls. */
export function callsFromDifference(run: Recording, reference: Recording): RecordedCall[] {
  const first = differentCalls(run, reference)[0]?.[0];
  if (!first) return run.calls.slice(-mostCalls);
  return run.calls
    .slice(run.calls.indexOf(first))
    .filter(({ label }) => label === first.label)
    .slice(0, mostCalls);
}

/** The calls with another response than in the reference run, each with that of the reference run. */
function differentCalls(run: Recording, reference: Recording): (readonly [RecordedCall, RecordedCall])[] {
  const known = new Map(reference.calls.map((call) => [nameOf(call), call]));
  return run.calls.flatMap((call) => {
    const before = known.get(nameOf(call));
    return before === undefined || outcomeOf(before) === outcomeOf(call) ? [] : [[call, before] as const];
  });
}

function nameOf({ label, operation, ordinal }: RecordedCall): string {
  return `${label}/${operation} #${ordinal}`;
}

function outcomeOf({ status, point }: RecordedCall): string {
  return `${status ?? "no response"} ${point ?? ""}`.trim();
}
