import type { FindingsReport } from "../journal/findings/finding.ts";
import { rules } from "../journal/findings/rules.ts";
import type { SweepCell, Verdict } from "../journal/sweep-report.ts";
import type { RecordedCall, Recording } from "./recording.ts";
import type { Exit } from "./subject.ts";
import {
  differencesBetween,
  type LeftOut,
  labelsWithMoreCards,
  leftOutOf,
  type World,
  worldLabelOf,
} from "./world.ts";

/** One run of a client, after it has ended. */
export interface Run {
  readonly exit: Exit;
  readonly recording: Recording;
  readonly world: World;
  /** Ids of findings with their severity and title, each with whether it is critical, by company. */
  readonly findings: ReadonlyMap<string, { readonly text: string; readonly isCritical: boolean }>;
  /** A request that stayed silent until the end of the patience. */
  readonly hanging: RecordedCall | undefined;
  readonly durationMs: number;
}

/** What a cell is compared with. */
export interface Reference {
  readonly run: Run;
  readonly leftOut: LeftOut;
  /** The findings of either reference run. */
  readonly findings: ReadonlySet<string>;
  /** The larger number of cards, by label, that the client was never told of. */
  readonly untold: ReadonlyMap<string, number>;
}

export function referenceOf(first: Run, second: Run): Reference {
  const untold = new Map(first.recording.untold());
  for (const [label, count] of second.recording.untold()) {
    untold.set(label, Math.max(count, untold.get(label) ?? 0));
  }
  return {
    run: first,
    leftOut: leftOutOf(first.world, second.world),
    findings: new Set([...first.findings.keys(), ...second.findings.keys()]),
    untold,
  };
}

/** The findings by their ids and companies: a client can repeat a mistake in another company. */
export function findingsByCompany({ findings }: FindingsReport): Run["findings"] {
  return new Map(
    findings.flatMap(({ id, severity, title, occurrences }) =>
      occurrences.map(({ company }) => [
        `${id} ${worldLabelOf(company ?? "")}`,
        { text: `${id} (${severity}): ${title}`, isCritical: severity === "critical" },
      ]),
    ),
  );
}

/** A client that orders thousands of cards can fail before its first one, in many cells. */
const mostDifferences = 100;

type Judgement = Pick<SweepCell, "verdict" | "reason" | "differences" | "findings">;

/**
 * How the client fared. The first that matches decides: hung, crashed, damaged, failed, not reached, survived.
 */
export function judge(
  run: Run,
  { run: reference, leftOut, ...known }: Reference,
  faults: readonly string[],
  patienceMs: number,
): Judgement {
  const { exit, recording } = run;
  const differences = differencesBetween(reference.world, run.world, leftOut);
  const isNew = ([name]: readonly [string, unknown]) => !known.findings.has(name);
  const fresh = [...run.findings].filter(isNew).map(([, finding]) => finding);
  if (faults.length === 1 && isRefusedAndRepeated(recording, reference.recording)) {
    // The rule itself needs more attempts than a fault that acts once can refuse.
    const { severity, title } = rules["RETRY-3"];
    fresh.push({ text: `RETRY-3 (${severity}): ${title}`, isCritical: false });
  }
  const critical = fresh.find(({ isCritical }) => isCritical);
  const decide = (verdict: Verdict, reason: string): Judgement => ({
    ...{ verdict, reason, differences: differences.slice(0, mostDifferences) },
    findings: [...new Set(fresh.map(({ text }) => text))],
  });
  if (exit.outcome === "stopped") return decide("hung", hangingReason(run, patienceMs));
  if (exit.outcome === "crashed") return decide("crashed", exit.message);

  const isReached = faults.every((name) =>
    recording.calls.some((call) => call.fault === name && call.hasFired),
  );
  const decideOn = (verdict: Verdict, reason: string) =>
    decide(verdict, isReached ? reason : `${reason}, although the fault did not act`);
  const [more] = labelsWithMoreCards(reference.world, run.world, leftOut);
  if (more) return decideOn("damaged", moreCardsReason(more, recording));
  if ([...recording.untold()].some(([label, count]) => count > (known.untold.get(label) ?? 0))) {
    return decideOn("damaged", "a card exists of which the client was never told");
  }
  if (critical) return decideOn("damaged", critical.text);
  if (exit.outcome === "passed" && differences.length > 0) {
    return decideOn("damaged", "the client reports success, but leaves other cards than without the fault");
  }
  if (exit.outcome === "failed") return decideOn("failed", exit.message);
  if (!isReached) return decide("not_reached", "the fault did not act");
  return decide("survived", "the client succeeds and leaves the same cards");
}

const final: ReadonlySet<number | null> = new Set([400, 403, 404, 422]);

/** Whether the fault refused a call, and the client sent the same request once more than without the fault. */
function isRefusedAndRepeated(run: Recording, reference: Recording): boolean {
  const { struck } = run;
  if (!struck || !final.has(struck.status)) return false;
  const [here, there] = [run, reference].map(({ calls }) => callsLike(struck, calls).length) as [
    number,
    number,
  ];
  return here > Math.max(1, there);
}

/** The calls with the same path and body, also the call itself. */
function callsLike({ request }: RecordedCall, calls: readonly RecordedCall[]): RecordedCall[] {
  return calls.filter((call) => call.request === request);
}

/** The reason names no measured time: two sweeps give the same reasons. */
function hangingReason({ hanging, recording }: Run, patienceMs: number): string {
  const patience = `${patienceMs / 1000} s`;
  if (hanging) return `the client waited for ${nameOf(hanging)}: no timeout within ${patience}`;
  const waiting = recording.waiting ? `; ${nameOf(recording.waiting)} waited for its response` : "";
  return `the client took longer than three reference runs and ${patience}${waiting}`;
}

function nameOf({ operation, ordinal }: RecordedCall): string {
  return `${operation} #${ordinal}`;
}

function moreCardsReason(
  { expected, actual }: ReturnType<typeof labelsWithMoreCards>[number],
  recording: Recording,
): string {
  const { struck, calls } = recording;
  const created = struck ? callsLike(struck, calls).filter(({ cardId }) => cardId !== undefined).length : 0;
  if (struck?.cardId !== undefined && created > 1 && created - 1 === actual - expected) {
    return `${created} cards for one order`;
  }
  return `${actual} cards, ${expected} in the reference run`;
}
