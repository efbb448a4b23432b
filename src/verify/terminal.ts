import { type BehaviourId, behaviours, type Choices } from "../contract/behaviours.ts";
import { oneLine } from "../journal/formats/escape.ts";
import type { Paint } from "../journal/formats/terminal.ts";
import type { Outcome, VerifiedBehaviour, VerifyReport } from "./verify.ts";

/** The report of a comparison as text; the totals come last. */
export function verifyText(report: VerifyReport, choices: Choices, paint: Paint): string {
  const { specification, behaviours: verified, cards, problem } = report;
  const broken = specification.filter(({ outcome }) => outcome === "contradicted");
  const contradicted = verified.filter(({ outcome }) => outcome === "contradicted");
  const unreachable = [
    ...specification.map(({ id, outcome, problem: reason }) => ({ id, outcome, reason })),
    ...verified,
  ].filter(({ outcome }) => outcome === "unreachable");
  const byReason = new Map<string, string[]>();
  for (const { id, reason } of unreachable) {
    byReason.set(reason ?? "", [...(byReason.get(reason ?? "") ?? []), id]);
  }
  const sections = [
    section(
      paint("red", `Not as specified (${broken.length})`),
      broken.map((each) => `${each.id}: ${each.problem}`),
    ),
    section(
      paint("yellow", `Contradicted (${contradicted.length})`),
      contradicted.map((each) => contradiction(each, choices)),
    ),
    section(
      paint("bold", `Unreachable (${unreachable.length})`),
      [...byReason].map(([reason, ids]) => `${reason}: ${ids.join(", ")}`),
    ),
    [
      `${report.target}, ${report.date}: ${report.requests} requests${cardsText(cards)}`,
      ...(problem === null ? [] : [paint("red", oneLine(`ended early: ${problem}`))]),
      `specification: ${totals(specification)}`,
      `behaviors:     ${totals(verified)}`,
    ],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${oneLine(line)}`)];
}

function contradiction({ id, alternative, reason }: VerifiedBehaviour, choices: Choices): string {
  const { title } = behaviours[id];
  const expected = `expected: ${titleOf(id, choices[id])}`;
  return alternative === null
    ? `${id}: ${title}: no alternative explains it: ${reason} (${expected})`
    : `${id}: ${alternative}. ${title}: ${titleOf(id, alternative)} (${expected})`;
}

function titleOf(id: BehaviourId, use: string): string {
  return behaviours[id].alternatives.find((each) => each.id === use)?.title ?? use;
}

function cardsText({ ordered, left }: VerifyReport["cards"]): string {
  if (ordered === 0) return "";
  return `, ${ordered} ${ordered === 1 ? "card" : "cards"} ordered${left === 0 ? " and terminated" : `, ${left} of which could not be terminated`}`;
}

function totals(all: readonly { readonly outcome: Outcome }[]): string {
  const count = (wanted: Outcome) => `${all.filter(({ outcome }) => outcome === wanted).length} ${wanted}`;
  return [count("confirmed"), count("contradicted"), count("unreachable")].join(", ");
}
