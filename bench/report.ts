import type { Load } from "./load.ts";
import type { Measured } from "./rounds.ts";
import type { Skipped } from "./servers.ts";
import { median, spread } from "./statistics.ts";

/** A table in Markdown, its first column words and the others figures. */
export function markdownTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rule = head.map((_, column) => (column === 0 ? "---" : "--:"));
  return `${[head, rule, ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

/** What the rounds came to: medians, how far the rounds lay apart, and what that is of floor A. */
export function roundsTable(
  measured: readonly Measured[],
  skipped: readonly Skipped[],
  compared: boolean,
): string {
  const floor = measured.find(({ row }) => row === "floor-a");
  if (!floor) throw new Error("floor A was not measured");
  const head = [
    "What",
    ...(compared ? ["Build"] : []),
    "Connections",
    "Requests/s",
    "min–max",
    "of floor A",
    ...(compared ? ["× this"] : []),
    "p50 ms",
    "p99 ms",
    "server CPU µs",
    "× floor A",
    ...(compared ? ["× this"] : []),
  ];
  const rows = measured.map((step) => {
    const first = measured.find(({ row, build }) => row === step.row && build === "this");
    const of = (figure: (load: Load) => number) => paired(step.loads, floor.loads, figure);
    const than = (figure: (load: Load) => number) =>
      compared ? [first && first !== step ? ratio(paired(step.loads, first.loads, figure)) : ""] : [];
    const perSecond = spread(step.loads.map((load) => load.perSecond));
    return [
      step.title + wrongIn(step),
      ...(compared ? [step.build ?? ""] : []),
      String(step.connections),
      whole(perSecond.median),
      `${whole(perSecond.min)}–${whole(perSecond.max)}`,
      `${Math.round(of((load) => load.perSecond) * 100)} %`,
      ...than((load) => load.perSecond),
      median(step.loads.map((load) => load.p50Ms)).toFixed(2),
      median(step.loads.map((load) => load.p99Ms)).toFixed(2),
      figureOr(median(step.loads.map(cpuUs)), (us) => us.toFixed(0)),
      figureOr(of(cpuUs), ratio),
      ...than(cpuUs),
    ];
  });
  const left = skipped.map(
    ({ title, build, why }) => `- not measured${compared ? ` (${build})` : ""}: ${title}: ${why}\n`,
  );
  return markdownTable(head, rows) + (left.length > 0 ? `\n${left.join("")}` : "");
}

const cpuUs = (load: Load) => load.cpuUs ?? Number.NaN;

/** The median of the rounds' own ratios: the two of a round stood close together. */
export function paired(
  loads: readonly Load[],
  others: readonly Load[],
  figure: (load: Load) => number,
): number {
  return median(loads.map((load, round) => figure(load) / figure(others[round] as Load)));
}

/** What went wrong in any round: such a row measured something else than it says. */
function wrongIn({ loads }: Measured): string {
  const wrong = new Set(loads.flatMap((load) => load.wrong));
  return wrong.size > 0 ? ` **wrong**: ${[...wrong].join("; ")}` : "";
}

export function whole(figure: number): string {
  return Math.round(figure).toLocaleString("en");
}

function ratio(figure: number): string {
  return figure.toFixed(2);
}

function figureOr(figure: number, shown: (figure: number) => string): string {
  return Number.isNaN(figure) ? "" : shown(figure);
}
