import { breaks } from "../journal/contrary-report.ts";
import type { FindingRequest } from "../journal/findings/finding.ts";
import type { Verdict } from "../journal/sweep-report.ts";

/** In characters, as JSON: what all cells keep until the report is written. */
const mostKept = 24_000_000;
/** The part of it that cells which the client survives leave to the others. */
const leftToOthers = 20_000_000;

/** The requests of the cells, of which a sweep keeps only as many as its memory allows. */
export class CellEvidence {
  #left = mostKept;

  /** The requests of one cell; without headers and bodies if all cells have too many. */
  kept(verdict: Verdict, requests: readonly FindingRequest[]): readonly FindingRequest[] {
    const size = JSON.stringify(requests).length;
    if (size > this.#left - (breaks({ verdict }) ? 0 : leftToOthers)) {
      return requests.map(({ request, response, ...plain }) => plain);
    }
    this.#left -= size;
    return requests;
  }
}
