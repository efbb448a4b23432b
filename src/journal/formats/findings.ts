import {
  type Finding,
  type FindingsReport,
  isAsSevere,
  type Occurrence,
  type Severity,
  severities,
} from "../findings/finding.ts";
import { ruleIds, rules } from "../findings/rules.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import { type Formatted, formatted, markdownPage, type ReportFormat } from "./formatted.ts";
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
      ({ id, severity, title, why, mend, spec, times, occurrences }) =>
        `${heading} ${severity}: ${id} ${escapeMarkdown(title)}

Seen ${timesSeen({ times })}${occurrences.length < times ? `, the first ${occurrences.length}` : ""}:

${occurrences.map((each) => `- ${escapeMarkdown(each.seen)} (${escapeMarkdown(placeOf(each))})`).join("\n")}

Why it matters (${escapeMarkdown(spec)}): ${escapeMarkdown(why)}

How to mend it: ${escapeMarkdown(mend)}`,
    ),
  ];
}

/**
 * Each rule is a test case; each finding of it is one that fails or is skipped.
 * @param failing - the least severity that fails; less severe findings are skipped, all of them if it is undefined
 */
export function findingsSuite({ findings }: FindingsReport, failing: Severity | undefined): JunitSuite {
  const found = new Set(findings.map(({ id }) => id));
  const passed = ruleIds
    .filter((id) => !found.has(id))
    .map((id): JunitCase => ({ name: `${id} ${rules[id].title}`, classname: "findings" }));
  const broken = findings.map((finding): JunitCase => {
    const { id, severity, title } = finding;
    const message = messageOf(finding);
    const fails = failing !== undefined && isAsSevere(severity, failing);
    return {
      name: `${id} ${title}`,
      classname: `findings.${severity}`,
      ...(fails ? { failure: message } : { skipped: message }),
    };
  });
  return { name: "findings", cases: [...broken, ...passed] };
}

function messageOf({ severity, times, occurrences: [first], mend }: Finding): string {
  const seen = first ? ` ${first.seen} (${placeOf(first)}).` : "";
  return `${severity}, ${timesSeen({ times })}.${seen} ${mend}`;
}

export function findingsHtml(report: FindingsReport, heading: "h2" | "h3"): string[] {
  return [
    `<p>${findingTotals(report)}.</p>`,
    ...report.findings.map(({ id, severity, title, why, mend, spec, times, occurrences }) => {
      const items = occurrences.map(
        (each) => `<li>${escapeMarkup(each.seen)} <small>(${escapeMarkup(placeOf(each))})</small></li>`,
      );
      const more = times - occurrences.length;
      if (more > 0) items.push(`<li>and ${more} more</li>`);
      return `<article class="${severity}">
<${heading}>${htmlBadge(severity)}${id} ${escapeMarkup(title)}</${heading}>
<dl>
<dt>Seen ${timesSeen({ times })}</dt>
<dd><ul>${items.join("")}</ul></dd>
<dt>Why it matters</dt>
<dd>${escapeMarkup(why)} (${escapeMarkup(spec)})</dd>
<dt>How to mend it</dt>
<dd>${escapeMarkup(mend)}</dd>
</dl>
</article>`;
    }),
  ];
}

/** `1 critical, 0 high, 2 warn, 0 info` */
export function findingTotals({ totals }: FindingsReport): string {
  return severities.map((severity) => `${totals[severity]} ${severity}`).join(", ");
}

export function timesSeen({ times }: Pick<Finding, "times">): string {
  return times === 1 ? "once" : `${times} times`;
}

/** The last request of an occurrence, and its company. */
export function placeOf({ requests, company }: Occurrence): string {
  const request = requests.at(-1);
  const places = [
    ...(request
      ? [`request ${request.id}: ${request.method} ${request.path}, ${request.status ?? "no answer"}`]
      : []),
    ...(company === null ? [] : [`company ${company}`]),
  ];
  return places.join("; ");
}
