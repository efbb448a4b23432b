import { type SweepReport, type Verdict, verdicts } from "../journal/sweep-report.ts";

interface Judged {
  readonly id: string;
  readonly verdict: Verdict;
}

/** How many cells have each verdict. */
export function totalsOf(cells: readonly Judged[]): SweepReport["totals"] {
  const counted = verdicts.map((verdict) => [
    verdict,
    cells.filter((cell) => cell.verdict === verdict).length,
  ]);
  return Object.fromEntries(counted) as Record<Verdict, number>;
}

/**
 * Compares bad cells with those of an earlier report, by id and verdict.
 * @param isDecided - whether the cell ran, or would have run if it still existed
 * @returns the ids of those that both have, and of those that only the earlier report has
 */
export function againstBaseline(
  cells: readonly Judged[],
  earlier: readonly Judged[] = [],
  isBad: (cell: Judged) => boolean,
  isDecided: (id: string) => boolean,
): { readonly accepted: string[]; readonly no_longer: string[] } {
  const nameOf = ({ id, verdict }: Judged) => `${id} ${verdict}`;
  const known = new Set(earlier.filter(isBad).map(nameOf));
  const found = new Set(cells.map(nameOf));
  return {
    accepted: cells.filter((cell) => isBad(cell) && known.has(nameOf(cell))).map(({ id }) => id),
    no_longer: [...known]
      .filter((name) => !found.has(name))
      .map((name) => name.slice(0, name.lastIndexOf(" ")))
      .filter(isDecided),
  };
}
