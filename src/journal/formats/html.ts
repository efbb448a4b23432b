import { escapeMarkup } from "./escape.ts";

/** System colours adapt to dark mode; each severity has a colour. */
const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentcolor 25%, transparent); }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 70rem; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: 1rem; }
.table { margin: 1rem 0; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { font-weight: 600; padding: .25rem 0; text-align: left; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
tbody th { font-weight: inherit; min-width: 9rem; overflow-wrap: anywhere; }
td:nth-child(2) { white-space: nowrap; }
td:nth-child(n + 4):last-child, td:nth-child(6) { min-width: 14rem; }
code { font-size: .9em; overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-left: .35rem solid var(--mark, currentcolor); border-radius: .25rem; margin: 1rem 0; padding: 0 1rem; }
.badge { border: 1px solid; border-radius: .25rem; color: var(--mark, inherit); font-size: .8em; margin-right: .5rem; padding: .1rem .4rem; white-space: nowrap; }
.critical, .failed { --mark: light-dark(#b3001b, #ff8a8a); }
.high { --mark: light-dark(#9a3b00, #ffab70); }
.warn { --mark: light-dark(#6b5300, #e8cb5a); }
.info { --mark: light-dark(#00569d, #82bfff); }
.passed { --mark: light-dark(#11632f, #7ddc9b); }
dt { font-weight: 600; margin-top: .5rem; }
dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 1.25rem; }
summary { cursor: pointer; font-weight: 600; }
.evidence summary { font-size: .9em; font-weight: inherit; overflow-wrap: anywhere; }
.evidence pre { font-size: .8em; overflow-wrap: anywhere; white-space: pre-wrap; }
@media print { .table { overflow: visible; } }
`;

/**
 * A page without external resources and without scripts.
 * @param body - HTML, below the title
 * @param ownStyle - CSS for this page only
 */
export function htmlPage(title: string, body: readonly string[], ownStyle = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeMarkup(title)}</title>
<style>${style}${ownStyle}</style>
</head>
<body>
<main>
<h1>${escapeMarkup(title)}</h1>
${body.filter((part) => part !== "").join("\n")}
</main>
</body>
</html>
`;
}

/** Escapes text for HTML. Ids of contract points and paths may wrap after a separator. */
export function htmlText(raw: string): string {
  return escapeMarkup(raw).replace(/[._/](?=[a-z{])/g, "$&<wbr>");
}

/** A table; the first cell of each row is its header. A wide table scrolls. */
export function htmlTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const label = escapeMarkup(caption);
  const headCells = head.map((cell) => `<th scope="col">${escapeMarkup(cell)}</th>`).join("");
  const row = ([first = "", ...rest]: readonly (string | number)[]) =>
    `<tr><th scope="row">${htmlText(String(first))}</th>${rest.map((cell) => `<td>${htmlText(String(cell))}</td>`).join("")}</tr>`;
  // A region must be focusable so that it can be scrolled with the keyboard.
  return `<div class="table" role="region" aria-label="${label}" tabindex="0">
<table>
<caption>${label}</caption>
<thead><tr>${headCells}</tr></thead>
<tbody>
${rows.map(row).join("\n")}
</tbody>
</table>
</div>`;
}

/** A paragraph; empty without text. */
export function htmlNote(text: string): string {
  return text === "" ? "" : `<p>${escapeMarkup(text)}</p>`;
}

/** A severity or an outcome in its colour. */
export function htmlBadge(word: string, kind: string = word): string {
  return `<span class="badge ${kind}">${escapeMarkup(word)}</span>`;
}
