import { type Finding, type FindingsReport, isAsGrave, type Severity } from "../findings/finding.ts";
import { ruleIds, rules } from "../findings/rules.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import { findingTotals, placeOf, timesSeen } from "./finding-words.ts";
import { type Formatted, formatted, type ReportFormat } from "./formatted.ts";
import { htmlBadge, htmlPage } from "./html.ts";
import { type JunitCase, type JunitSuite, junit } from "./junit.ts";
import { markdownPage } from "./markdown.ts";

/** What the client did wrong, alone. */
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
 * A rule is a test case: it fails where it was broken.
 * @param failing - the least severity that fails; what is less grave is skipped, as is everything where it is absent
 */
export function findingsSuite({ findings }: FindingsReport, failing: Severity | undefined): JunitSuite {
  const found = new Set(findings.map(({ id }) => id));
  const kept = ruleIds
    .filter((id) => !found.has(id))
    .map((id): JunitCase => ({ name: `${id} ${rules[id].title}`, classname: "findings" }));
  const broken = findings.map((finding): JunitCase => {
    const { id, severity, title } = finding;
    const said = saidOf(finding);
    const fails = failing !== undefined && isAsGrave(severity, failing);
    return {
      name: `${id} ${title}`,
      classname: `findings.${severity}`,
      ...(fails ? { failure: said } : { skipped: said }),
    };
  });
  return { name: "findings", cases: [...broken, ...kept] };
}

function saidOf({ severity, times, occurrences: [first], mend }: Finding): string {
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
