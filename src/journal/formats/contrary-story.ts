import { breaks, type ContraryCell, type ContraryReport, type Dependency } from "../contrary-report.ts";
import { replayLines } from "./evidence.ts";
import { markWords } from "./sweep-grid.ts";
import { differencesOf, findingsOf, line, outputOf, repeatOf } from "./sweep-story.ts";

/** The dependencies of one kind, each with the alternatives that break the client. */
export interface DependencyGroup {
  readonly by: Dependency["by"];
  /** `✗ damage (2)` */
  readonly heading: string;
  readonly items: readonly { readonly dependency: Dependency; readonly cells: readonly ContraryCell[] }[];
}

/** The dependencies that the baseline does not accept: those by damage first. */
export function groupsOf({ dependencies, cells, accepted }: ContraryReport): DependencyGroup[] {
  const isAccepted = new Set(accepted);
  const broken = cells.filter((cell) => breaks(cell) && !isAccepted.has(cell.id));
  return (["damage", "tests"] as const)
    .map((by) => {
      const items = dependencies
        .filter((each) => each.by === by)
        .map((dependency) => ({
          dependency,
          cells: broken.filter(({ behaviour }) => behaviour === dependency.behaviour),
        }))
        .filter((item) => item.cells.length > 0);
      const heading = by === "damage" ? "✗ the client leaves other cards" : "! the tests fail";
      return { by, heading: `${heading} (${items.length})`, items };
    })
    .filter(({ items }) => items.length > 0);
}

/** Such as `Status of a replayed request: 201, as for the first request`. */
export function defaultOf({ title, default_title }: Dependency): string {
  return line(`${title}: ${default_title}`);
}

/** Such as `failed: 200, because nothing was created (PayPal returns 200)`. */
export function alternativeText({ verdict, title, plausible }: ContraryCell): string {
  return `${markWords(verdict)}: ${line(title)} (${line(plausible)})`;
}

/** The result of a cell, as plain text. */
export function cellLines(cell: ContraryCell, mostOutput: number): string[] {
  const { failure, reason, first_difference } = cell;
  return [
    // The error of a function has its message already.
    failure === null || failure.includes(reason) ? line(failure ?? reason) : line(`${reason}: ${failure}`),
    ...(first_difference === null ? [] : [`First difference: ${line(first_difference)}`]),
    ...differencesOf(cell).map(([only, card]) => (card === "" ? only : `${only}: ${card}`)),
    ...(cell.findings.length > 0 ? [`New findings: ${findingsOf(cell)}`] : []),
    ...outputOf(cell, mostOutput).map((each) => `| ${each}`.trimEnd()),
    `Repeat: ${repeatOf(cell)}`,
    ...replayLines(cell.replay),
  ];
}

/** `10 dependencies: 8 by failing tests, 2 by damage` */
export function dependenciesText({ dependencies, not_run_reason }: ContraryReport): string {
  const ran = not_run_reason === null ? "" : " among the alternatives that ran";
  if (dependencies.length === 0) return `The client depends on no assumption${ran}`;
  const count = (kind: Dependency["by"]) => dependencies.filter(({ by }) => by === kind).length;
  const parts = [
    ...(count("damage") > 0 ? [`${count("damage")} by damage`] : []),
    ...(count("tests") > 0 ? [`${count("tests")} by failing tests`] : []),
  ];
  const assumptions = dependencies.length === 1 ? "1 assumption" : `${dependencies.length} assumptions`;
  return `The client depends on ${assumptions}${ran}: ${parts.join(", ")}`;
}
