import { type BehaviourId, behaviours } from "../contract/behaviours.ts";
import { conflictIn, type Dialect, type Selection } from "../contract/dialect.ts";
import type { VerifiedBehaviour, VerifiedPoint, VerifyReport } from "./verify.ts";

/** The parts of an earlier report that are compared. Another version may have written it, with other behaviors. */
export interface EarlierReport {
  readonly behaviours: readonly (Pick<VerifiedBehaviour, "outcome" | "alternative" | "reason"> & {
    readonly id: string;
  })[];
  readonly specification: readonly (Pick<VerifiedPoint, "outcome" | "problem"> & { readonly id: string })[];
}

/** How the target differs from an earlier report, in one line each. Only what both have observed is compared. */
export function driftSince(before: EarlierReport, after: VerifyReport): readonly string[] {
  const pairs = <Then extends { id: string; outcome: string }, Now extends { id: string; outcome: string }>(
    then: readonly Then[],
    now: readonly Now[],
  ) =>
    now.flatMap((each) => {
      const earlier = then.find(({ id, outcome }) => id === each.id && outcome !== "unreachable");
      return earlier && each.outcome !== "unreachable" ? [[earlier, each] as const] : [];
    });
  return [
    ...pairs(before.specification, after.specification).map(
      ([then, now]) => [now.id, then.problem ?? "as specified", now.problem ?? "as specified"] as const,
    ),
    ...pairs(before.behaviours, after.behaviours).map(
      ([then, now]) => [now.id, seenText(then), seenText(now)] as const,
    ),
  ]
    .filter(([, then, now]) => then !== now)
    .map(([id, then, now]) => `${id}: was ${then}, is ${now}`);
}

function seenText({ alternative, reason }: Pick<VerifiedBehaviour, "alternative" | "reason">): string {
  return alternative ?? `unexplained (${reason})`;
}

/**
 * The dialect of the behaviors that were observed and that an alternative explains.
 * @returns also the reasons why an alternative was left out: it cannot be combined with another one
 */
export function observedDialect(
  { behaviours: verified, date }: VerifyReport,
  note: string,
): { readonly dialect: Dialect; readonly leftOut: readonly string[] } {
  const selections: Partial<Record<BehaviourId, Selection>> = {};
  const leftOut: string[] = [];
  for (const { id, alternative } of verified) {
    if (alternative === null) continue;
    const selection = { use: alternative, provenance: "observed", date, note } as Selection;
    const conflict = conflictIn({ ...selections, [id]: selection } as Dialect);
    if (conflict === undefined) selections[id] = selection;
    else leftOut.push(conflict);
  }
  return { dialect: selections as Dialect, leftOut };
}

/** The dialect as a file. Every JSON string is a YAML string. */
export function dialectText(dialect: Dialect): string {
  const lines = Object.entries(dialect).flatMap(([id, selection]) => {
    const { use, provenance, date, note } = selection as Selection;
    const { title, alternatives } = behaviours[id as BehaviourId];
    const chosen = alternatives.find((each) => each.id === use);
    return [
      `# ${title}: ${chosen?.title}`,
      `${id}: { use: ${JSON.stringify(use)}, provenance: ${provenance}, date: ${date}, note: ${JSON.stringify(note)} }`,
    ];
  });
  return `format: 1\n${lines.map((line) => `${line}\n`).join("")}`;
}
