import type { FindingRequest } from "../findings/finding.ts";
import { type DetailsLeftOut, type SweepCell, verdicts } from "../sweep-report.ts";
import { evidenceJson, jsonBytes } from "./evidence.ts";
import { byteLength, leftOutText, type Room } from "./room.ts";

/** A cell of a sweep or of `contrary`. */
type Cell = Pick<SweepCell, "id" | "verdict" | "differences" | "evidence" | "output"> & {
  readonly story?: SweepCell["story"];
};

function worstFirst<Each extends Cell>(cells: readonly Each[]): Each[] {
  return verdicts.flatMap((verdict) => cells.filter((cell) => cell.verdict === verdict));
}

function countOf(cells: readonly Cell[], isCounted: (request: FindingRequest) => boolean): number {
  return cells.flatMap(({ evidence = [] }) => evidence).filter(isCounted).length;
}

/** A larger report is written on one line. */
const mostIndented = 1000;

/**
 * A report as JSON. It has all cells, because it can be a baseline. A client's output has times, ports and process ids,
 * so it is left out.
 */
export function reportJson(report: { readonly cells: readonly Cell[] }, room: Room): string {
  const indent = report.cells.length > mostIndented ? 0 : 2;
  const whole = { ...report, output: null, ...cellsJson(report.cells, room) };
  return `${JSON.stringify(whole, null, indent)}\n`;
}

/** Cells without room lose their stories, differences and evidence, the mildest first. */
function cellsJson<Each extends Cell>(
  cells: readonly Each[],
  room: Room,
): DetailsLeftOut & { readonly cells: Each[] } {
  const write = (cell: Each, own?: Room): Each => ({
    ...cell,
    output: null,
    ...(cell.evidence && { evidence: evidenceJson(cell.evidence, own) }),
  });
  const bytesOf = ({ story, differences, evidence }: Each) => jsonBytes({ story, differences, evidence });
  const whole = new Map(room.fill(worstFirst(cells), write, bytesOf).map((cell) => [cell.id, cell]));
  const bare = { output: null, differences: [], evidence: [] };
  const shown = cells.map(
    (cell): Each => whole.get(cell.id) ?? { ...cell, ...bare, ...(cell.story && { story: [] }) },
  );
  const missing = countOf(cells, () => true) - countOf(shown, ({ request }) => request !== undefined);
  return {
    ...(missing > 0 && { evidence_left_out: missing }),
    ...(room.itemsLeftOut > 0 && { details_left_out: room.itemsLeftOut }),
    cells: shown,
  };
}

/** Details of cells that have room, by id, the worst cells first. */
export function cellDetails<Each extends Cell>(
  cells: readonly Each[],
  room: Room,
  write: (cell: Each, own?: Room) => string,
  bytesOf: (text: string) => number = byteLength,
): ReadonlyMap<string, string> {
  const written = (cell: Each, own?: Room) => [cell.id, write(cell, own)] as const;
  return new Map(room.fill(worstFirst(cells), written, ([, text]) => bytesOf(text)));
}

/** A sentence about what has no room, once the report is made; empty: everything has. */
export function cellsLeftOut(cells: readonly Cell[], { itemsLeftOut, evidenceLeftOut }: Room): string {
  const notKept = countOf(cells, ({ request }) => request === undefined);
  const all = { itemsLeftOut, evidenceLeftOut: evidenceLeftOut + notKept };
  return leftOutText(all, ["cell's details", "cells' details"]);
}
