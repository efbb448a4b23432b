import { type SweepCell, type SweepReport, type Verdict, verdicts } from "../sweep-report.ts";

/** The heading of a scenario's column, and what it does to a call. Scenarios with the same heading share a column. */
const faults: Readonly<Record<string, readonly [heading: string, words: string]>> = {
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
  "token-expired": ["401", "access token expired"],
  unauthorized: ["bad-token", "access token unknown"],
  "key-revoked": ["bad-key", "API key revoked"],
  "issuer-rejected": ["rejected", "rejected by the issuer"],
  "invalid-request": ["400", "request invalid"],
  forbidden: ["403", "permission missing"],
  "not-entitled": ["no-cards", "company not entitled to cards"],
  "account-not-found": ["404", "account not found"],
  "account-closed": ["closed", "account closed"],
  conflict: ["409", "another change in progress"],
  "quota-reached": ["quota", "quota reached"],
  "company-inactive": ["inactive", "company suspended"],
  "company-details-missing": ["company", "company details missing"],
  "cardholder-details-missing": ["holder", "cardholder details missing"],
  "country-undeliverable": ["country", "country not deliverable"],
  "webhook-duplicate": ["twice", "webhook event delivered twice"],
  "webhook-reordered": ["reordered", "webhook events reordered"],
  "webhook-stale": ["stale", "webhook event with an old timestamp"],
  "webhook-bad-signature": ["signature", "webhook event with an invalid signature"],
};

const columnOrder = [...new Set(Object.values(faults).map(([heading]) => heading))];

/** With a second fault, a cell counts for the column of the first. */
function headingOf(fault: string): string {
  const [first = ""] = fault.split("+", 1);
  return ownFault(first)?.[0] ?? first;
}

function ownFault(name: string): readonly [string, string] | undefined {
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

/** For a call and a fault that cannot strike it. */
export const noCell = "–";

export function markWords(mark: Mark): string {
  return mark.replace("_", " ");
}

/** The cells of one operation and one column. */
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
 */
export function gridOf(report: SweepReport, mostRows: number): Grid {
  const labels = new Set([...report.calls, ...report.cells].map(({ label }) => label));
  const rowOf = (byLabel: boolean) => (at: Place) =>
    byLabel && labels.size > 1 ? `${at.label}/${at.operation}` : at.operation;
  const places = placesOf(report);
  const sumsLabels = labels.size > 1 && new Set(places.map(rowOf(true))).size > mostRows;
  const nameOf = rowOf(!sumsLabels);

  const columns = new Map<string, Set<string>>();
  const rows = new Map<string, Map<string, { cells: SweepCell[]; notRun: number }>>();
  for (const place of places) {
    const heading = headingOf(place.fault);
    const known = columns.get(heading) ?? new Set();
    columns.set(heading, known.add(place.fault.split("+", 1)[0] ?? ""));
    const row = rows.get(nameOf(place)) ?? new Map();
    rows.set(nameOf(place), row);
    const field = row.get(heading) ?? { cells: [], notRun: 0 };
    row.set(heading, field);
    if (place.cell) field.cells.push(place.cell);
    else field.notRun++;
  }
  const rank = (heading: string) => (columnOrder.indexOf(heading) + columnOrder.length) % columnOrder.length;
  const isKnown = (heading: string) => columnOrder.includes(heading);
  const headings = [
    ...[...columns.keys()].filter(isKnown).sort((a, b) => rank(a) - rank(b)),
    ...[...columns.keys()].filter((heading) => !isKnown(heading)),
  ].slice(0, mostColumns);
  return {
    columns: headings.map((heading) => ({ heading, faults: [...(columns.get(heading) ?? [])] })),
    rows: [...rows].slice(0, mostRows).map(([name, row]) => ({
      name,
      fields: headings.map((heading) => {
        const field = row.get(heading);
        return field && { ...field, mark: worst(field.cells) };
      }),
    })),
    moreRows: Math.max(0, rows.size - mostRows),
    sumsLabels,
  };
}

interface Place {
  readonly label: string;
  readonly operation: string;
  readonly fault: string;
  /** undefined: it was not run. */
  readonly cell: SweepCell | undefined;
}

/** The cells by label and operation, in the order of the reference run's calls. */
function placesOf({ calls, cells, not_run }: SweepReport): Place[] {
  const callOf = new Map(calls.map((call) => [call.id, call]));
  const places = [
    ...cells.map((cell): Place => ({ ...cell, cell })),
    ...not_run.flatMap((id): Place[] => {
      const end = id.lastIndexOf(":");
      const call = callOf.get(id.slice(0, end));
      return call ? [{ ...call, fault: id.slice(end + 1), cell: undefined }] : [];
    }),
  ];
  const order = new Map<string, number>();
  const put = (key: string) => order.has(key) || order.set(key, order.size);
  for (const { label } of [...calls, ...places]) put(label);
  for (const { label, operation } of [...calls, ...places]) put(`${label}/${operation}`);
  const at = (key: string) => order.get(key) ?? 0;
  return places.sort(
    (a, b) => at(a.label) - at(b.label) || at(`${a.label}/${a.operation}`) - at(`${b.label}/${b.operation}`),
  );
}

function worst(cells: readonly SweepCell[]): Mark {
  const found = new Set(cells.map(({ verdict }) => verdict));
  return verdicts.find((verdict) => found.has(verdict)) ?? "not_run";
}
