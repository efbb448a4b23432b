import type { FindingsReport } from "../journal/findings/finding.ts";
import { rules } from "../journal/findings/rules.ts";
import type { SweepCell, Verdict } from "../journal/sweep-report.ts";
import type { RecordedCall, Recording } from "./recording.ts";
import type { Exit } from "./subject.ts";
import {
  type CardState,
  differencesBetween,
  type LeftOut,
  labelsWithMoreCards,
  leftOutOf,
  unnamed,
  type World,
  worldLabelOf,
} from "./world.ts";

/** A finding about the requests of one company. */
interface CompanyFinding {
  readonly id: string;
  readonly label: string;
  /** The id, the severity and the title. */
  readonly text: string;
  readonly isCritical: boolean;
}

/** One run of a client, after it has ended. */
export interface Run {
  readonly exit: Exit;
  readonly recording: Recording;
  readonly world: World;
  readonly findings: readonly CompanyFinding[];
  /** A request that stayed silent until the end of the patience. */
  readonly hanging: RecordedCall | undefined;
  readonly durationMs: number;
}

/** The runs without faults, with which each cell is compared. */
export interface Reference {
  readonly run: Run;
  /** The labels that both reference runs have. The others depend on the run, as random slugs do, and are compared as one. */
  readonly labels: ReadonlySet<string>;
  readonly world: World;
  readonly leftOut: LeftOut;
  /** The ids and labels of the findings of either reference run. */
  readonly findings: ReadonlySet<string>;
  /** The larger number of cards, by label, that the client was never told of. */
  readonly untold: ReadonlyMap<string, number>;
}

export function referenceOf(first: Run, second: Run): Reference {
  const labels = new Set([...first.world.keys()].filter((label) => second.world.has(label)));
  const [one, two] = [comparable(first, labels), comparable(second, labels)];
  const untold = new Map(one.untold);
  for (const [label, count] of two.untold) untold.set(label, Math.max(count, untold.get(label) ?? 0));
  return {
    run: first,
    labels,
    world: one.world,
    leftOut: leftOutOf(one.world, two.world),
    findings: new Set([...one.findings.keys(), ...two.findings.keys()]),
    untold,
  };
}

/** The cards and findings that a run leaves, with all labels that depend on the run as one. */
function comparable({ world, findings, recording }: Run, labels: Reference["labels"]) {
  const nameOf = (label: string) => (labels.has(label) ? label : unnamed);
  const cards = new Map<string, readonly CardState[]>();
  for (const [label, own] of world) cards.set(nameOf(label), [...(cards.get(nameOf(label)) ?? []), ...own]);
  const untold = new Map<string, number>();
  for (const [label, count] of recording.untold()) {
    untold.set(nameOf(label), count + (untold.get(nameOf(label)) ?? 0));
  }
  // The client can repeat a mistake in another company.
  const byCompany = new Map(findings.map((each) => [`${each.id} ${nameOf(each.label)}`, each]));
  return { world: cards, untold, findings: byCompany };
}

export function findingsByCompany({ findings }: FindingsReport): CompanyFinding[] {
  return findings.flatMap(({ id, severity, title, occurrences }) =>
    occurrences.map(({ company }) => ({
      id,
      label: worldLabelOf(company ?? ""),
      text: `${id} (${severity}): ${title}`,
      isCritical: severity === "critical",
    })),
  );
}

/** A client that orders thousands of cards can fail before its first one, in many cells. */
const mostDifferences = 100;

export type Judgement = Pick<SweepCell, "verdict" | "reason" | "differences" | "findings">;

/** How a run differs from the reference runs. */
interface Comparison {
  readonly differences: SweepCell["differences"];
  /** Findings that neither reference run has. */
  readonly fresh: readonly Pick<CompanyFinding, "text" | "isCritical">[];
  /** What the client left behind that the reference runs did not, although it may report a failure. */
  readonly damage: string | undefined;
}

/** @param leftOut - fields of cards that are not compared */
export function compare(
  run: Run,
  { labels, ...known }: Reference,
  leftOut: LeftOut = known.leftOut,
): Comparison {
  const { world, untold, findings } = comparable(run, labels);
  const fresh = [...findings].filter(([name]) => !known.findings.has(name)).map(([, finding]) => finding);
  const [more] = labelsWithMoreCards(known.world, world, leftOut);
  const hasUntold = [...untold].some(([label, count]) => count > (known.untold.get(label) ?? 0));
  return {
    differences: differencesBetween(known.world, world, leftOut),
    fresh,
    damage:
      (more && moreCardsReason(more, run.recording)) ??
      (hasUntold ? "a card exists of which the client was never told" : undefined) ??
      fresh.find(({ isCritical }) => isCritical)?.text,
  };
}

/** Decides on a run with these differences. */
export function judgement(
  verdict: Verdict,
  reason: string,
  { differences, fresh }: Pick<Comparison, "differences" | "fresh">,
): Judgement {
  return {
    ...{ verdict, reason, differences: differences.slice(0, mostDifferences) },
    findings: [...new Set(fresh.map(({ text }) => text))],
  };
}

/**
 * How the client fared. The first that matches decides: hung, crashed, damaged, failed, not reached, survived.
 */
export function judge(
  run: Run,
  reference: Reference,
  faults: readonly string[],
  patienceMs: number,
): Judgement {
  const { exit, recording } = run;
  const { differences, damage, ...compared } = compare(run, reference);
  const fresh = [...compared.fresh];
  if (faults.length === 1 && isRefusedAndRepeated(recording, reference.run.recording)) {
    // The rule itself needs more attempts than a fault that acts once can refuse.
    const { severity, title } = rules["RETRY-3"];
    fresh.push({ text: `RETRY-3 (${severity}): ${title}`, isCritical: false });
  }
  const decide = (verdict: Verdict, reason: string) => judgement(verdict, reason, { differences, fresh });
  if (exit.outcome === "stopped") return decide("hung", hangingReason(run, patienceMs));
  if (exit.outcome === "crashed") return decide("crashed", exit.message);

  // Both faults can have the same name.
  const isReached = recording.calls.filter(({ hasFired }) => hasFired).length === faults.length;
  const decideOn = (verdict: Verdict, reason: string) =>
    decide(verdict, isReached ? reason : `${reason}, although the fault did not act`);
  if (damage !== undefined) return decideOn("damaged", damage);
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
  const { hitCall } = run;
  if (!hitCall || !final.has(hitCall.status)) return false;
  const [here, there] = [run, reference].map(({ calls }) => callsLike(hitCall, calls).length) as [
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
export function hangingReason({ hanging, recording }: Run, patienceMs: number): string {
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
  const { hitCall, calls } = recording;
  const created = hitCall ? callsLike(hitCall, calls).filter(({ cardId }) => cardId !== undefined).length : 0;
  if (hitCall?.cardId !== undefined && created > 1 && created - 1 === actual - expected) {
    return `${created} cards for one order`;
  }
  return `${actual} cards, ${expected} in the reference run`;
}
