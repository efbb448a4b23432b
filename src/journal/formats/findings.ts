import {
  type Finding,
  type FindingsReport,
  isAsSevere,
  type Occurrence,
  type Severity,
  severities,
} from "../findings/finding.ts";
import { ruleIds, rules } from "../findings/rules.ts";
import { isAccepted } from "../suite.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import { type Formatted, formatted, markdownPage, type ReportFormat, timesText } from "./formatted.ts";
import { htmlBadge, htmlPage } from "./html.ts";
import { type JunitCase, type JunitSuite, junit } from "./junit.ts";

export function formatFindings(report: FindingsReport, format: ReportFormat): Formatted {
  return formatted(format, {
    json: () => JSON.stringify(report),
    markdown: () => markdownPage("# Findings", ...findingsMarkdown(report, "##")),
    junit: () => junit([findingsSuite(report, "warn")]),
    html: () => htmlPage("Findings", findingsHtml(report, "h2")),
  });
}

export function findingsMarkdown(report: FindingsReport, heading: "##" | "###"): string[] {
  return [
    `${findingTotals(report)}.`,
    ...report.findings.map(
      ({ id, severity, title, why, fix, spec, times, occurrences }) =>
        `${heading} ${severity}: ${id} ${escapeMarkdown(title)}

Observed ${timesText(times)}${occurrences.length < times ? ` (first ${occurrences.length} shown)` : ""}:

${occurrences.map((each) => `- ${escapeMarkdown(each.observed)} (${escapeMarkdown(placeOf(each))})`).join("\n")}

Why it matters: ${escapeMarkdown(why)} (spec ${escapeMarkdown(spec)})

How to fix it: ${escapeMarkdown(fix)}`,
    ),
  ];
}

/**
 * Each finding is a test case that fails or is skipped; each rule without findings is one that passes.
 * @param failing - the lowest severity that fails; all findings are skipped if it is undefined
 * @param accepted - the names of findings that are skipped, because a baseline has them
 */
export function findingsSuite(
  { findings }: FindingsReport,
  failing: Severity | undefined,
  accepted: readonly string[] = [],
): JunitSuite {
  const found = new Set(findings.map(({ id }) => id));
  const passed = ruleIds
    .filter((id) => !found.has(id))
    .map((id): JunitCase => ({ name: `${id} ${rules[id].title}`, classname: "findings" }));
  const failedOrSkipped = findings.map((finding): JunitCase => {
    const { id, severity, title } = finding;
    const message = messageOf(finding);
    const start = { name: `${id} ${title}`, classname: `findings.${severity}` };
    if (failing === undefined || !isAsSevere(severity, failing)) return { ...start, skipped: message };
    return isAccepted(finding, accepted)
      ? { ...start, skipped: `accepted by the baseline: ${message}` }
      : { ...start, failure: message };
  });
  return { name: "findings", cases: [...failedOrSkipped, ...passed] };
}

function messageOf({ severity, times, occurrences: [first], fix }: Finding): string {
  const observed = first ? ` ${first.observed} (${placeOf(first)}).` : "";
  return `${severity}, ${timesText(times)}.${observed} ${fix}`;
}

export function findingsHtml(report: FindingsReport, heading: "h2" | "h3"): string[] {
  return [
    `<p>${findingTotals(report)}.</p>`,
    ...report.findings.map(({ id, severity, title, why, fix, spec, times, occurrences }) => {
      const items = occurrences.map(
        (each) => `<li>${escapeMarkup(each.observed)} <small>(${escapeMarkup(placeOf(each))})</small></li>`,
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
    }),
  ];
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
