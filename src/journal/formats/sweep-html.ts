import type { SweepCell, SweepReport, Verdict } from "../sweep-report.ts";
import { verdicts } from "../sweep-report.ts";
import { cellsLeftOut } from "./cell-evidence.ts";
import { escapeMarkup } from "./escape.ts";
import { evidenceHtml } from "./evidence.ts";
import { htmlBadge, htmlNote, htmlTable, htmlText } from "./html.ts";
import { byteLength, largestReport, Room } from "./room.ts";
import { type Grid, type GridField, gridOf, type Mark, markWords, noCell, symbols } from "./sweep-grid.ts";
import {
  cellsByVerdict,
  differencesOf,
  fails,
  findingsOf,
  line,
  outputOf,
  type Remark,
  referenceText,
  remarksOf,
  repeatOf,
  sentenceOf,
  storyOf,
  totalsText,
  verdictHeading,
} from "./sweep-story.ts";

/** In bytes. */
const largestLink = 40;
/** The details of more cells are closed at first. */
const mostOpen = 20;
const mostRows = 60;
const mostItems = 50;
const mostOutput = 30;

/** For a page that has no styles of its own for the parts of `sweepHtml`. */
export const sweepStyle = `
body { max-width: 90rem; }
.table { position: relative; }
.grid { font-size: .9rem; width: auto; }
.grid th, .grid td { padding: .25rem .15rem; text-align: center; white-space: nowrap; }
.grid thead th + th { font-weight: 400; padding: .3rem 0; text-align: left; transform: rotate(180deg); vertical-align: middle; writing-mode: vertical-rl; }
.grid tbody th, .grid thead th:first-child { background: Canvas; left: 0; padding-right: .75rem; position: sticky; text-align: left; vertical-align: bottom; z-index: 1; }
.grid td { background: var(--tint); border: 1px solid var(--line); color: var(--mark); }
.grid tbody tr td:nth-child(n) { min-width: 1.6rem; }
.grid td a { color: inherit; display: block; font-weight: 600; text-decoration: none; }
.grid td a:hover { text-decoration: underline; }
.damaged, .hung, .crashed { --mark: light-dark(#a3001a, #ffb3b3); --tint: light-dark(#fbd9d9, #58191c); }
.failed { --mark: light-dark(#6b4a00, #f0cf73); --tint: light-dark(#fdf0c8, #453509); }
.survived { --mark: light-dark(#11632f, #8fe0aa); --tint: light-dark(#dff3e4, #17361f); }
.sweep-cell { border: 1px solid var(--line); border-left: .35rem solid var(--mark, currentcolor); border-radius: .25rem; margin: .5rem 0; padding: .25rem 1rem; }
.sweep-cell summary { font-weight: inherit; overflow-wrap: anywhere; }
.sweep-cell table { min-width: 50%; width: auto; }
.sweep-cell td { white-space: normal; }
.sweep-cell p code { white-space: pre-wrap; }
.sweep-cell:has(:target) { outline: 2px solid; }
.sweep-cell > div { scroll-margin-top: 6rem; }
pre { font-size: .85em; overflow-x: auto; }
.unseen { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }
`;

/** The grid, whose fields link to the details of their worst cell, and the details. The page's heading is not included. */
export function sweepHtml(report: SweepReport): string {
  const { exit_code, problem } = report;
  const grid = gridOf(report, mostRows);
  const summary = [
    `<p>${htmlBadge(exit_code === 0 ? "Passed" : "Failed", exit_code === 0 ? "passed good" : "critical bad")} exit code ${exit_code}. ${escapeMarkup(problem === null ? `${totalsText(report)}.` : line(problem, 2000))}</p>`,
    `<p>${escapeMarkup(referenceText(report))}</p>`,
    outputHtml(outputOf(report, mostOutput)),
  ].join("\n");
  // The details of accepted cells have their own section.
  const remarks = remarksOf({ ...report, accepted: [] }, mostItems)
    .map(remarkHtml)
    .join("\n");
  const fields = grid.rows.length * grid.columns.length;
  const frame = byteLength(summary + gridHtml(grid, new Map()) + remarks) + fields * largestLink;
  const { sections, links } = detailsOf(report, largestReport - frame);
  return [summary, gridHtml(grid, links), ...sections, remarks].filter((part) => part !== "").join("\n");
}

export function remarkHtml({ title, items, more }: Remark): string {
  const listed = [...items.map(htmlText), ...(more > 0 ? [`and ${more} more`] : [])];
  return `<section>
<h2>${escapeMarkup(title)}</h2>
<ul>${listed.map((item) => `<li>${item}</li>`).join("\n")}</ul>
</section>`;
}

function gridHtml(grid: Grid, links: ReadonlyMap<SweepCell, string>): string {
  if (grid.rows.length === 0) return "";
  const head = grid.columns.map(
    ({ heading, faults }) =>
      `<th scope="col" title="${escapeMarkup(line(faults.join(", ")))}">${escapeMarkup(line(heading, 30))}</th>`,
  );
  const rows = grid.rows.map(
    ({ name, fields }) =>
      `<tr><th scope="row">${escapeMarkup(line(name, 100))}</th>${fields.map((field) => fieldHtml(field, links)).join("")}</tr>`,
  );
  const notes = [
    ...(grid.moreRows > 0 ? [`And ${grid.moreRows} more rows.`] : []),
    ...(grid.sumsLabels ? ["Each row sums up all labels."] : []),
    "✓ survived, ! failed, ✗ damaged, hung or crashed, ~ not reached, … not run, – does not apply. A field sums up all calls of its operation; its number counts the cells with the worst verdict.",
  ];
  return `<section>
<h2>Operations and faults</h2>
<div class="table" role="region" aria-label="Operations and faults" tabindex="0">
<table class="grid">
<thead><tr><th scope="col">Operation</th>${head.join("")}</tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
</div>
<p><small>${notes.join(" ")}</small></p>
</section>`;
}

function fieldHtml(field: GridField | undefined, links: ReadonlyMap<SweepCell, string>): string {
  if (!field) return `<td>${noCell}<span class="unseen"> does not apply</span></td>`;
  const { mark, cells, notRun } = field;
  const worst = cells.filter(({ verdict }) => verdict === mark);
  const id = worst.map((cell) => links.get(cell)).find((each) => each !== undefined);
  const share =
    cells.length > 1 && worst.length < cells.length ? ` <small>${worst.length}/${cells.length}</small>` : "";
  const counts = [...verdicts, "not_run" as const]
    .map((each): [number, Mark] => [
      each === "not_run" ? notRun : cells.filter(({ verdict }) => verdict === each).length,
      each,
    ])
    .filter(([count]) => count > 0)
    .map(([count, each]) => `${count} ${markWords(each)}`);
  const text = `${symbols[mark]}<span class="unseen"> ${markWords(mark)}</span>${share}`;
  const link = id === undefined ? text : `<a href="#${id}">${text}</a>`;
  return `<td class="${mark}" title="${counts.join(", ")}">${link}</td>`;
}

/** The details of as many cells as fit into `most` bytes, the worst ones first, then their evidence; and where each one is. */
function detailsOf(report: SweepReport, most: number) {
  const links = new Map<SweepCell, string>();
  let left = most;
  const isAccepted = new Set(report.accepted);
  const accepted = report.cells.filter(({ id }) => isAccepted.has(id));
  const section = (
    id: string,
    heading: string,
    verdict: Verdict | undefined,
    cells: readonly SweepCell[],
  ) => {
    const shown: Parameters<typeof cellHtml>[] = [];
    for (const cell of cells) {
      const cellId = `cell-${links.size + 1}`;
      const isOpen = verdict !== undefined && fails(report, verdict) && links.size < mostOpen;
      left -= byteLength(cellHtml(cell, cellId, isOpen));
      if (left < 0) break;
      links.set(cell, cellId);
      shown.push([cell, cellId, isOpen]);
    }
    const more = cells.length - shown.length;
    const note = more > 0 ? `<p>The details of ${more} cells are left out: see the report as JSON.</p>` : "";
    return (room: Room) => {
      const details = shown.map(([cell, cellId, isOpen]) => cellHtml(cell, cellId, isOpen, room));
      return `<section aria-labelledby="${id}">\n<h2 id="${id}">${escapeMarkup(heading)}</h2>\n${details.join("\n")}${note}\n</section>`;
    };
  };
  const sections = cellsByVerdict(report).map(([verdict, cells]) =>
    section(verdict, verdictHeading(verdict, cells), verdict, cells),
  );
  if (accepted.length > 0) {
    sections.push(section("accepted", `Accepted by the baseline (${accepted.length})`, undefined, accepted));
  }
  const room = new Room(0, left);
  const shown = sections.map((write) => write(room));
  return { sections: [...shown, htmlNote(cellsLeftOut([...links.keys()], room))], links };
}

function cellHtml(cell: SweepCell, id: string, isOpen: boolean, room?: Room): string {
  const story = storyOf(cell);
  const differences = differencesOf(cell);
  // The id is inside: a link to it opens the details.
  return `<details class="sweep-cell ${cell.verdict}"${isOpen ? " open" : ""}>
<summary>${symbols[cell.verdict]} ${htmlText(sentenceOf(cell))}</summary>
<div id="${id}">
${[
  story.length > 0 ? groupTable("Requests", ["Request", "Key", "Response", "Note"], story) : "",
  differences.length > 0
    ? groupTable("Difference from the reference run", ["Cards", "Fields"], differences)
    : "",
  cell.findings.length > 0 ? `<p>New findings: ${escapeMarkup(findingsOf(cell))}</p>` : "",
  outputHtml(outputOf(cell, mostOutput)),
  evidenceHtml({ requests: cell.evidence ?? [], replay: cell.replay }, room),
  `<p>Repeat: <code>${escapeMarkup(repeatOf(cell))}</code></p>`,
]
  .filter((part) => part !== "")
  .join("\n")}
</div>
</details>`;
}

/** No region: each cell has a table with this caption. */
function groupTable(...[caption, head, rows]: Parameters<typeof htmlTable>): string {
  return htmlTable(caption, head, rows).replace('role="region"', 'role="group"');
}

export function outputHtml(lines: readonly string[]): string {
  return lines.length > 0
    ? `<details>\n<summary>Output of the client</summary>\n<pre tabindex="0">${escapeMarkup(lines.join("\n"))}</pre>\n</details>`
    : "";
}
