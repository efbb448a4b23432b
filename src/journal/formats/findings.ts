import {
  type Finding,
  type FindingsReport,
  isAsSevere,
  type LeftOut,
  type Occurrence,
  type Severity,
  severities,
} from "../findings/finding.ts";
import { ruleIds, rules } from "../findings/rules.ts";
import { isAccepted } from "../suite.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import {
  evidenceHtml,
  evidenceJson,
  evidenceLines,
  evidenceMarkdown,
  jsonBytes,
  replayLines,
} from "./evidence.ts";
import {
  type Formatted,
  formatted,
  markdownPage,
  markdownParts,
  type ReportFormat,
  timesText,
} from "./formatted.ts";
import { htmlBadge, htmlNote, htmlPage } from "./html.ts";
import { caseXml, type JunitCase, type JunitSuite, junit } from "./junit.ts";
import { byteLength, fitted, largestMarkdown, leftOutText, type Room } from "./room.ts";

export function formatFindings(report: FindingsReport, format: ReportFormat): Formatted {
  return formatted(format, {
    json: () => fitted((room) => JSON.stringify({ ...findingsJson(report, room), ...leftOut(room) })),
    markdown: () =>
      fitted(
        (room) => markdownPage("# Findings", ...findingsMarkdown(report, "##", room), findingsLeftOut(room)),
        largestMarkdown,
      ),
    junit: () => fitted((room) => junit([findingsSuite(report, "warn", [], room)], findingsLeftOut(room))),
    html: () =>
      fitted((room) =>
        htmlPage("Findings", [...findingsHtml(report, "h2", room), htmlNote(findingsLeftOut(room))]),
      ),
  });
}

/** The findings that have room. */
export function findingsJson(report: FindingsReport, room: Room): FindingsReport {
  const write = (finding: Finding, own?: Room): Finding => ({
    ...finding,
    occurrences: finding.occurrences.map((each) => ({ ...each, requests: evidenceJson(each.requests, own) })),
  });
  return { ...report, findings: room.fill(report.findings, write, jsonBytes) };
}

/** What a JSON report leaves out, once it is made. */
export function leftOut({ itemsLeftOut, evidenceLeftOut }: Room): LeftOut {
  return {
    ...(evidenceLeftOut > 0 && { evidence_left_out: evidenceLeftOut }),
    ...(itemsLeftOut > 0 && { findings_left_out: itemsLeftOut }),
  };
}

/** A sentence about what has no room, once the report is made; empty: everything has. */
export function findingsLeftOut(room: Room): string {
  return leftOutText(room, ["finding", "findings"]);
}

export function findingsMarkdown(report: FindingsReport, heading: "##" | "###", room: Room): string[] {
  const write = (finding: Finding, own?: Room) => {
    const { id, severity, title, why, fix, spec, times, occurrences } = finding;
    const observed = occurrences.map((each) => {
      const lines = [`${each.observed} (${placeOf(each)})`, ...replayLines(each.replay)];
      return `- ${escapeMarkdown(lines.join(". "))}`;
    });
    return markdownParts(
      `${heading} ${severity}: ${id} ${escapeMarkdown(title)}`,
      `Observed ${timesText(times)}${occurrences.length < times ? ` (first ${occurrences.length} shown)` : ""}:`,
      observed.join("\n"),
      evidenceMarkdown(
        occurrences.flatMap(({ requests }) => requests),
        own,
      ),
      `Why it matters: ${escapeMarkdown(why)} (spec ${escapeMarkdown(spec)})`,
      `How to fix it: ${escapeMarkdown(fix)}`,
    );
  };
  return [`${findingTotals(report)}.`, ...room.fill(report.findings, write, byteLength)];
}

/**
 * Each finding is a test case that fails or is skipped; each rule without findings is one that passes.
 * @param failing - the lowest severity that fails; all findings are skipped if it is undefined
 * @param accepted - the names of findings that are skipped, because a baseline has them
 */
export function findingsSuite(
  { findings }: FindingsReport,
  failing: Severity | undefined,
  accepted: readonly string[],
  room: Room,
): JunitSuite {
  const found = new Set(findings.map(({ id }) => id));
  const passed = ruleIds
    .filter((id) => !found.has(id))
    .map((id): JunitCase => ({ name: `${id} ${rules[id].title}`, classname: "findings" }));
  const write = (finding: Finding, own?: Room): JunitCase => {
    const { id, severity, title, occurrences } = finding;
    const message = messageOf(finding);
    const start = {
      name: `${id} ${title}`,
      classname: `findings.${severity}`,
      details: occurrences.flatMap((each) => evidenceLines(each, own)).join("\n"),
    };
    if (failing === undefined || !isAsSevere(severity, failing)) return { ...start, skipped: message };
    return isAccepted(finding, accepted)
      ? { ...start, skipped: `accepted by the baseline: ${message}` }
      : { ...start, failure: message };
  };
  const failedOrSkipped = room.fill(findings, write, (each) => byteLength(caseXml(each)));
  return { name: "findings", cases: [...failedOrSkipped, ...passed] };
}

function messageOf({ severity, times, occurrences: [first], fix }: Finding): string {
  const observed = first ? ` ${first.observed} (${placeOf(first)}).` : "";
  return `${severity}, ${timesText(times)}.${observed} ${fix}`;
}

export function findingsHtml(report: FindingsReport, heading: "h2" | "h3", room: Room): string[] {
  const write = (finding: Finding, own?: Room) => {
    const { id, severity, title, why, fix, spec, times, occurrences } = finding;
    const items = occurrences.map(
      (each) =>
        `<li>${escapeMarkup(each.observed)} <small>(${escapeMarkup(placeOf(each))})</small>${evidenceHtml(each, own)}</li>`,
    );
    const more = times - occurrences.length;
    if (more > 0) items.push(`<li>and ${more} more</li>`);
    return `<article class="${severity}">
<${heading}>${htmlBadge(severity)}${id} ${escapeMarkup(title)}</${heading}>
<dl>
<dt>Observed ${timesText(times)}</dt>
<dd><ul>${items.join("")}</ul></dd>
<dt>Why it matters</dt>
<dd>${escapeMarkup(why)} (spec ${escapeMarkup(spec)})</dd>
<dt>How to fix it</dt>
<dd>${escapeMarkup(fix)}</dd>
</dl>
</article>`;
  };
  return [`<p>${findingTotals(report)}.</p>`, ...room.fill(report.findings, write, byteLength)];
}

/** `1 critical, 0 high, 2 warn, 0 info` */
export function findingTotals({ totals }: FindingsReport): string {
  return severities.map((severity) => `${totals[severity]} ${severity}`).join(", ");
}

/** The last request of an occurrence, and its company. */
export function placeOf({ requests, company }: Occurrence): string {
  const request = requests.at(-1);
  const places = [
    ...(request
      ? [`request ${request.id}: ${request.method} ${request.path}, ${request.status ?? "no response"}`]
      : []),
    ...(company === null ? [] : [`company ${company}`]),
    ...(request?.source === undefined ? [] : [request.source]),
  ];
  return places.join("; ");
}
