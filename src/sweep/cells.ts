import { operationIds } from "../contract/operations.ts";
import type { SweepCall } from "../journal/sweep-report.ts";
import { SetupError } from "../rules/errors.ts";
import { didYouMean } from "../rules/issues.ts";
import { nearest } from "../rules/nearest.ts";
import type { Catalogue } from "../scenarios/catalogue.ts";
import type { ScenarioName } from "../scenarios/shipped.ts";
import { faultNames, faultsOf } from "./faults.ts";
import type { RecordedCall } from "./recording.ts";
import type { Run } from "./verdict.ts";
import { hasGeneratedSlug } from "./world.ts";

/** A cell before it runs. */
export interface PlannedCell {
  readonly id: string;
  readonly call: RecordedCall;
  readonly callId: string;
  readonly faults: readonly ScenarioName[];
}

/** The calls of the reference run, with what makes them unstable. */
export function describeCalls({ recording: first }: Run, { recording: second }: Run): SweepCall[] {
  const hasLabels = new Set(first.calls.map(({ label }) => label)).size > 1;
  const name = ({ label, operation, ordinal }: RecordedCall) => `${label}/${operation}#${ordinal}`;
  const points = new Map(second.calls.map((call) => [name(call), call.point]));
  const isParallel = (label: string) =>
    hasGeneratedSlug(label) && (first.parallel.has(label) || second.parallel.has(label));
  return first.calls.map((call) => {
    const { label, operation, ordinal, point } = call;
    const repeated = points.get(name(call));
    let unstable: string | null = null;
    if (isParallel(label)) {
      unstable = "companies without a given slug ran at the same time. Give each company a slug.";
    } else if (repeated === undefined) {
      unstable = "the second reference run did not repeat it";
    } else if (repeated !== point) {
      unstable = `the second reference run got ${repeated ?? "no response"} instead of ${point ?? "no response"}`;
    }
    const id = hasLabels ? name(call) : `${operation}#${ordinal}`;
    return { id, label, operation, ordinal, point, unstable };
  });
}

/** The cells of these calls, each operation with each fault first, then the further calls. */
export function planCells(
  calls: readonly RecordedCall[],
  listed: readonly SweepCall[],
  catalogue: Catalogue,
  isIncluded: (call: SweepCall) => boolean,
): PlannedCell[] {
  const occurrences = new Map<string, number>();
  const planned = calls.flatMap((call, i) => {
    const described = listed[i] as SweepCall;
    if (!isIncluded(described)) return [];
    const { id: callId } = described;
    return faultsOf(call, catalogue).map((fault) => {
      const pair = `${call.operation} ${fault}`;
      const occurrence = occurrences.get(pair) ?? 0;
      occurrences.set(pair, occurrence + 1);
      return { occurrence, cell: { id: `${callId}:${fault}`, call, callId, faults: [fault] } };
    });
  });
  return planned.toSorted((a, b) => a.occurrence - b.occurrence).map(({ cell }) => cell);
}

/**
 * The cells that match one name of each kind that is given: operations, faults and labels.
 * @throws SetupError if a name is unknown, or no cell matches
 */
export function selectCells(
  planned: readonly PlannedCell[],
  calls: readonly SweepCall[],
  only: readonly string[],
): PlannedCell[] {
  const kinds = [
    { names: operationIds as readonly string[], of: ({ call }: PlannedCell) => call.operation as string },
    { names: faultNames as readonly string[], of: ({ faults }: PlannedCell) => faults[0] as string },
    { names: calls.map(({ label }) => label), of: ({ call }: PlannedCell) => call.label },
  ];
  const all = [...new Set(kinds.flatMap(({ names }) => names))];
  const unknown = only.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    const labels = [...new Set(calls.map(({ label }) => label))].join(", ");
    throw new SetupError(
      `only: "${unknown}" is no operation, fault or label${meant(unknown, all)} The labels of this client are ${labels}.`,
    );
  }
  const filters = kinds.flatMap(({ names, of }) => {
    const wanted = only.filter((name) => names.includes(name));
    return wanted.length > 0 ? [(planned: PlannedCell) => wanted.includes(of(planned))] : [];
  });
  const selected = planned.filter((each) => filters.every((matches) => matches(each)));
  // A sweep of nothing must not pass.
  if (selected.length > 0) return selected;
  const operations = [...new Set(planned.map(({ call }) => call.operation))].join(", ");
  throw new SetupError(
    `only: no cell matches ${only.join(", ")}. This client can be swept with the operations ${operations}.`,
  );
}

/** The cells of which no earlier one has the same operation and fault. */
export function firstOccurrences(cells: readonly PlannedCell[]): PlannedCell[] {
  const seen = new Set<string>();
  return cells.filter(({ call, faults }) => {
    const pair = `${call.operation} ${faults.join("+")}`;
    return !seen.has(pair) && seen.add(pair);
  });
}

/** The end of a sentence about an unknown name. */
function meant(name: string, all: readonly string[]): string {
  const near = nearest(name, all);
  return near === undefined ? "." : `. Did you mean "${near}"?`;
}

/**
 * A cell by its id, with one fault or two.
 * @throws SetupError if the reference run has no such cell
 */
export function requireCell(id: string, planned: readonly PlannedCell[]): PlannedCell {
  const [first = "", second] = id.split("+");
  const found = planned.find((cell) => cell.id === first);
  const secondFault = faultNames.find((name) => name === second);
  if (!found || (second !== undefined && secondFault === undefined)) {
    const ids = planned.map((each) => each.id);
    const hint = found ? `${didYouMean(second ?? "", faultNames)}.` : meant(first, ids);
    throw new SetupError(
      `cell: the client without faults has no cell "${id}"${hint} List the cells with --list, or read their ids in a report.`,
    );
  }
  return secondFault ? { ...found, id, faults: [...found.faults, secondFault] } : found;
}
