import type { FindingRequest, FindingsReport } from "./findings/finding.ts";
import { shellWords } from "./formats/escape.ts";

/** The command that shows the world at the last of these requests, by id; nothing without a tape or requests. */
export function replayed(
  tape: string | undefined,
  requests: readonly Pick<FindingRequest, "id">[],
): { readonly replay?: string } {
  if (tape === undefined || requests.length === 0) return {};
  const last = Math.max(...requests.map(({ id }) => Number(id)));
  return { replay: shellWords(["card-sandbox", "replay", tape, "--until", String(last)]) };
}

/** The findings, whose occurrences name the command that shows them on the tape. */
export function withReplay(report: FindingsReport, tape: string | undefined): FindingsReport {
  if (tape === undefined) return report;
  return {
    ...report,
    findings: report.findings.map((finding) => ({
      ...finding,
      occurrences: finding.occurrences.map((each) => ({ ...each, ...replayed(tape, each.requests) })),
    })),
  };
}
