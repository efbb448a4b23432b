import type { FindingRequest } from "../findings/finding.ts";
import type { JournalMessage } from "../journal-entry.ts";
import { escapeControls, escapeMarkup } from "./escape.ts";
import { byteLength, type Room } from "./room.ts";

/** Requests, and the command that shows the last of them. */
export interface Evidence {
  readonly requests: readonly FindingRequest[];
  readonly replay?: string | undefined;
}

/** `Request 38: POST /developer/cards/physical → 201 order.created, 2026-03-10T09:30:00.000Z` */
function titleOf({ id, method, path, query, status, point, time, source }: FindingRequest): string {
  const outcome = `${status ?? "no response"} ${point ?? ""}`.trimEnd();
  const origin = source === undefined ? "" : `, ${source}`;
  return escapeControls(`Request ${id}: ${method} ${path}${query} → ${outcome}, ${time}${origin}`);
}

/** `> name: value` for each header, and the body. */
function messageLines(mark: ">" | "<", { headers, body }: JournalMessage): string[] {
  const lines = [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null || body === "" ? [] : ["", ...body.split(/\r\n|\r|\n/)]),
  ];
  return lines.map((line) => `${mark} ${escapeControls(line)}`.trimEnd());
}

function requestLines({ request, response }: FindingRequest): string[] {
  if (!request) return [];
  return [...messageLines(">", request), ...(response ? messageLines("<", response) : ["< no response"])];
}

/** The requests as plain text, and the command last. */
export function evidenceLines({ requests, replay }: Evidence, room: Room | undefined): string[] {
  const write = (request: FindingRequest) => [titleOf(request), ...requestLines(request)].join("\n");
  const texts = shown(requests, room, write, markupBytes);
  return [...texts, ...replayLines(replay)];
}

/** The size of a text in JUnit, which escapes it. */
export function markupBytes(text: string): number {
  return byteLength(escapeMarkup(text));
}

export function replayLines(replay: string | undefined): string[] {
  return replay === undefined ? [] : [`Replay: ${escapeControls(replay)}`];
}

/** One collapsed block for each request. */
export function evidenceMarkdown(requests: readonly FindingRequest[], room: Room | undefined): string {
  const blocks = shown(requests, room, (request) => {
    // An indented block cannot be ended by its text.
    const code = requestLines(request).map((line) => `    ${line}`);
    return `<details><summary>${escapeMarkup(titleOf(request))}</summary>\n\n${code.join("\n")}\n\n</details>`;
  });
  return blocks.join("\n\n");
}

/** One collapsed block for each request, then the command. */
export function evidenceHtml({ requests, replay }: Evidence, room: Room | undefined): string {
  const blocks = shown(requests, room, (request) => {
    const lines = escapeMarkup(requestLines(request).join("\n"));
    return `<details class="evidence"><summary>${escapeMarkup(titleOf(request))}</summary><pre tabindex="0">${lines}</pre></details>`;
  });
  return [...blocks, ...replayLines(replay).map((line) => `<p><code>${escapeMarkup(line)}</code></p>`)].join(
    "\n",
  );
}

/** The requests that have evidence and room for it. */
function shown(
  requests: readonly FindingRequest[],
  room: Room | undefined,
  write: (request: FindingRequest) => string,
  bytesOf: (text: string) => number = byteLength,
): string[] {
  if (!room) return [];
  return requests.flatMap((each) => (each.request && room.evidence(() => write(each), bytesOf)) ?? []);
}

/** The requests for a JSON report: those without room lose their headers and bodies. */
export function evidenceJson(requests: readonly FindingRequest[], room: Room | undefined): FindingRequest[] {
  return requests.map((each) => {
    const { request, response, ...plain } = each;
    if (!request) return plain;
    return (
      room?.evidence(
        () => each,
        () => jsonBytes({ request, response }),
      ) ?? plain
    );
  });
}

/** For a file: the depth of a request in it, and the indentation of a line. */
const jsonIndent = 16;

/** The size of a part of an indented JSON file. */
export function jsonBytes(part: unknown): number {
  const text = JSON.stringify(part, null, 2);
  return byteLength(text) + (text.split("\n").length + 1) * jsonIndent;
}
