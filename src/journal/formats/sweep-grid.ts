import { type SweepCell, type SweepReport, type Verdict, verdicts } from "../sweep-report.ts";

/**
 * The heading of a scenario's column, what the scenario does to a call, and the heading in a grid that groups columns.
 * Scenarios with the same heading share a column.
 */
const faults: Readonly<Record<string, readonly [heading: string, words: string, group?: string]>> = {
  "issuer-unavailable": ["503", "503 from the issuer"],
  "token-unavailable": ["503", "503 from the token endpoint"],
  "issuer-bad-gateway": ["502", "502 from the issuer"],
  "lost-response": ["lost", "response lost"],
  "empty-response": ["empty", "response empty"],
  "truncated-response": ["truncated", "response truncated"],
  "created-but-502": ["created-502", "502 although it was done"],
  "slow-response": ["slow", "response slow"],
  "silent-response": ["silent", "no response"],
  "in-flight": ["in-flight", "held in flight"],
  "lost-in-flight": ["lost-in-flight", "connection lost in flight"],
  "dropped-request": ["dropped", "request dropped"],
  "rate-limited": ["429", "429"],
  conflict: ["409", "another change in progress"],
  "token-expired": ["401", "access token expired"],
  unauthorized: ["bad-token", "access token unknown"],
  "key-revoked": ["bad-key", "API key revoked", "refused"],
  "issuer-rejected": ["rejected", "rejected by the issuer", "refused"],
  "invalid-request": ["400", "request invalid", "refused"],
  forbidden: ["403", "permission missing", "refused"],
  "not-entitled": ["no-cards", "company not entitled to cards", "refused"],
  "account-not-found": ["404", "account not found", "refused"],
  "account-closed": ["closed", "account closed", "refused"],
  "quota-reached": ["quota", "quota reached", "refused"],
  "company-inactive": ["inactive", "company suspended", "refused"],
  "company-details-missing": ["company", "company details missing", "refused"],
  "cardholder-details-missing": ["holder", "cardholder details missing", "refused"],
  "country-undeliverable": ["country", "country not deliverable", "refused"],
  "webhook-duplicate": ["twice", "webhook event delivered twice", "webhook"],
  "webhook-reordered": ["reordered", "webhook events reordered", "webhook"],
  "webhook-stale": ["stale", "webhook event with an old timestamp", "webhook"],
  "webhook-bad-signature": ["signature", "webhook event with an invalid signature", "webhook"],
};

const columnOrder = [
  ...new Set(Object.values(faults).flatMap(([heading, , group = heading]) => [heading, group])),
];

function ownFault(name: string): (typeof faults)[string] | undefined {
  return Object.hasOwn(faults, name) ? faults[name] : undefined;
}

/** Such as `response lost, then 503 from the issuer`. */
export function faultWords(fault: string): string {
  return fault
    .split("+", 3)
    .map((name) => ownFault(name)?.[1] ?? name)
    .join(", then ");
}

/** The verdict of a field of the grid. */
export type Mark = Verdict | "not_run";

/** A mark never depends on its colour alone. */
export const symbols: Readonly<Record<Mark, string>> = {
  hung: "✗",
  crashed: "✗",
  damaged: "✗",
  failed: "!",
  survived: "✓",
  not_reached: "~",
  not_run: "…",
};

/** For a call and a fault that cannot hit it. */
export const noCell = "–";

export function markWords(mark: Mark): string {
  return mark.replace("_", " ");
}

/** The cells of one operation and one column. With a second fault, a cell counts for the column of the first. */
export interface GridField {
  /** The worst one. */
  readonly mark: Mark;
  /** In the order of the report, without those that were not run. */
  readonly cells: readonly SweepCell[];
  readonly notRun: number;
}

/** Operations by faults. */
export interface Grid {
  readonly columns: readonly { readonly heading: string; readonly faults: readonly string[] }[];
  readonly rows: readonly { readonly name: string; readonly fields: readonly (GridField | undefined)[] }[];
  /** How many rows are left out. */
  readonly moreRows: number;
  /** Whether the rows sum up the labels. */
  readonly sumsLabels: boolean;
}

/** A sweep has at most as many columns as there are scenarios; a file that somebody made may have any number. */
const mostColumns = 40;

/**
 * Sums the cells up by operation and fault.
 * @param mostRows - with more rows for each label, the rows sum up the labels
 * @param groups - whether all refusals share a column, and all faulty webhooks
 */
export function gridOf(report: SweepReport, mostRows: number, groups = false): Grid {
  const places = placesOf(report);
  const operations = operationsByLabel(report);
  const hasLabels = operations.size > 1;
  const nameBy = (byLabel: boolean) => (at: Omit<Place, "fault">) =>
    byLabel ? `${at.label}/${at.operation}` : at.operation;
  const sumsLabels = hasLabels && new Set(places.map(nameBy(true))).size > mostRows;
  const nameOf = nameBy(hasLabels && !sumsLabels);

  const columns = new Map<string, Set<string>>();
  const rows = new Map<string, Map<string, { cells: SweepCell[]; notRun: number }>>();
  for (const [label, own] of operations) {
    for (const operation of own) rows.set(nameOf({ label, operation }), new Map());
  }
  for (const place of places) {
    const [first = ""] = place.fault.split("+", 1);
    const [own = first, , group = own] = ownFault(first) ?? [];
    const heading = groups ? group : own;
    columns.set(heading, (columns.get(heading) ?? new Set()).add(first));
    const row = rows.get(nameOf(place));
    const field = row?.get(heading) ?? { cells: [], notRun: 0 };
    row?.set(heading, field);
    if (place.cell) field.cells.push(place.cell);
    else field.notRun++;
  }
  const headings = [
    ...columnOrder.filter((heading) => columns.has(heading)),
    ...[...columns.keys()].filter((heading) => !columnOrder.includes(heading)),
  ].slice(0, mostColumns);
  const filled = [...rows].filter(([, row]) => row.size > 0);
  return {
    columns: headings.map((heading) => ({ heading, faults: [...(columns.get(heading) ?? [])] })),
    rows: filled.slice(0, mostRows).map(([name, row]) => ({
      name,
      fields: headings.map((heading) => {
        const field = row.get(heading);
        return field && { ...field, mark: worst(field.cells) };
      }),
    })),
    moreRows: Math.max(0, filled.length - mostRows),
    sumsLabels,
  };
}

interface Place {
  readonly label: string;
  readonly operation: string;
  readonly fault: string;
  /** undefined: it was not run. */
  readonly cell?: SweepCell;
}

function placesOf({ calls, cells, not_run }: SweepReport): Place[] {
  const callOf = new Map(calls.map((call) => [call.id, call]));
  return [
    ...cells.map((cell): Place => ({ ...cell, cell })),
    ...not_run.flatMap((id): Place[] => {
      const end = id.lastIndexOf(":");
      const call = callOf.get(id.slice(0, end));
      return call ? [{ ...call, fault: id.slice(end + 1) }] : [];
    }),
  ];
}

/** In the order of the reference run's calls. */
function operationsByLabel({ calls, cells }: SweepReport): Map<string, Set<string>> {
  const byLabel = new Map<string, Set<string>>();
  for (const { label, operation } of [...calls, ...cells]) {
    byLabel.set(label, (byLabel.get(label) ?? new Set()).add(operation));
  }
  return byLabel;
}

function worst(cells: readonly SweepCell[]): Mark {
  const found = new Set(cells.map(({ verdict }) => verdict));
  return verdicts.find((verdict) => found.has(verdict)) ?? "not_run";
}
