import type { IsolatedCompany } from "../control/isolated-company.ts";
import { type Finding, isAsSevere, type Occurrence, type Severity } from "../journal/findings/finding.ts";
import { escapeControls } from "../journal/formats/escape.ts";
import { timesText } from "../journal/formats/formatted.ts";
import { withReplay } from "../journal/replay-command.ts";
import { setImmediate } from "./real-timers.ts";

const maxRequests = 10;

/**
 * Resolves when the sandbox has noticed the connections that clients of this process have closed, which takes a turn of
 * the event loop: it records a request without a response only then.
 */
export async function connectionsClosed(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * For the end of a company's test.
 * @param tape - the path of the sandbox's tape, if it records one
 * @throws Error with the story of each finding of at least this severity, if there is one
 */
export function refuseFindings(
  { findings, slug }: IsolatedCompany,
  failOn: Severity,
  tape: string | undefined,
): void {
  const report = withReplay(findings({ final: true, evidence: false }), tape);
  const failing = report.findings.filter(({ severity }) => isAsSevere(severity, failOn));
  if (failing.length === 0) return;
  const count = failing.length === 1 ? "1 finding" : `${failing.length} findings`;
  const threshold = failOn === "critical" ? "severity critical" : `severity ${failOn} or higher`;
  const stories = [
    `${count} of ${threshold} in the requests of company ${slug}`,
    ...failing.map((each) => linesOf(each).map(escapeControls).join("\n")),
    "Send the header Sandbox-Test: negative with requests that are wrong on purpose: findings ignore them.",
  ];
  const error = new Error(stories.join("\n\n"));
  error.name = "FindingsError";
  // The mistake is in the requests above. Frames of this package would hide that.
  error.stack = String(error);
  throw error;
}

function linesOf({ id, severity, title, times, occurrences, why, fix }: Finding): string[] {
  const more = times - occurrences.length;
  return [
    `${severity} ${id}: ${title} (${timesText(times)})`,
    ...occurrences.flatMap(occurrenceLines),
    ...(more > 0 ? [`And ${more} more.`] : []),
    `Why it matters: ${why}`,
    `How to fix it: ${fix}`,
  ];
}

function occurrenceLines({ observed, requests, replay }: Occurrence): string[] {
  const more = requests.length - maxRequests;
  return [
    `Observed: ${observed}`,
    ...requests
      .slice(0, maxRequests)
      .map(
        ({ id, method, path, status }) => `  request ${id}: ${method} ${path}, ${status ?? "no response"}`,
      ),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(replay === undefined ? [] : [`  ${replay}`]),
  ];
}
