import { escapeControls } from "../../journal/formats/escape.ts";
import type { Paint } from "../../journal/formats/terminal.ts";
import type { Player } from "../../tape/player.ts";
import type { Tape } from "../../tape/tape.ts";

/** The most differences in the terminal. */
const mostShown = 20;
/** The longest value in the terminal, in characters. */
const longestValue = 200;

/** The result of `card-sandbox replay --json`. */
export interface ReplayReport {
  readonly format: 1;
  readonly tape: string;
  /** Of card-sandbox. */
  readonly versions: { readonly tape: string; readonly now: string };
  /** Whether the recording ended; otherwise its process was killed, and the last second may be missing. */
  readonly complete: boolean;
  /** The id of the last request to play; null: all were played. */
  readonly until: number | null;
  readonly requests: { readonly tape: number; readonly played: number };
  readonly differences: readonly {
    /** The id of the request; null: a call of the control API. */
    readonly request: number | null;
    /** Of a call of the control API: the id of the request that was decided before it; null: none. */
    readonly after: number | null;
    /** Such as `POST /developer/cards/physical`, or the name of the call, such as `clock.advance`. */
    readonly what: string;
    /** Such as `status` or `body.cards.0.status`. */
    readonly field: string;
    readonly tape: unknown;
    readonly now: unknown;
  }[];
}

/** The report of a tape that was played. */
export function replayReport(
  file: string,
  player: Pick<Player, "tape" | "differences" | "position">,
  until: number | undefined,
  version: string,
): ReplayReport {
  const { tape, differences, position } = player;
  const requests = (from: Tape["events"]) => from.filter((each) => each.do === "request").length;
  return {
    format: 1,
    tape: file,
    versions: { tape: tape.head.version, now: version },
    complete: tape.isComplete,
    until: until ?? null,
    requests: { tape: requests(tape.events), played: requests(tape.events.slice(0, position)) },
    differences: differences.map(({ request, event, what, field, expected, actual }) => ({
      request,
      after: request === null ? lastRequestBefore(tape, event ?? 0) : null,
      ...{ what, field, tape: expected, now: actual },
    })),
  };
}

/** The id of the last request that entered before an event. */
function lastRequestBefore({ events }: Tape, position: number): number | null {
  for (const event of events.slice(0, position).reverse()) {
    if (event.do === "request" && event.response) return event.response.id;
  }
  return null;
}

/** The report for the terminal. */
export function replayText(report: ReplayReport, paint: Paint): string {
  const { versions, requests, differences, until } = report;
  const played = until === null ? "" : `, until request ${until}`;
  const lines = [
    escapeControls(`Played ${requests.played} of ${requests.tape} requests of ${report.tape}${played}.`),
    ...(versions.tape === versions.now
      ? []
      : [
          escapeControls(
            `Recorded by card-sandbox ${versions.tape}, played by ${versions.now}: they may decide differently.`,
          ),
        ]),
    ...(report.complete
      ? []
      : ["The tape is not complete: its recording was killed, and the last second may be missing."]),
    "",
    ...(differences.length === 0
      ? [paint("green", "Every response is the same as on the tape.")]
      : differenceLines(differences, paint)),
  ];
  return `${lines.join("\n")}\n`;
}

function differenceLines(differences: ReplayReport["differences"], paint: Paint): string[] {
  const more = differences.length - mostShown;
  return [
    paint(
      "red",
      `${differences.length} ${differences.length === 1 ? "response differs" : "responses differ"}.`,
    ) + (differences.length === 1 ? "" : " Look at the first one: the others often follow from it."),
    ...differences
      .slice(0, mostShown)
      .flatMap(({ request, after, what, field, tape, now }) => [
        "",
        escapeControls(`${request === null ? placeOf(after) : `request ${request}`}  ${what}`),
        escapeControls(`  ${field}`),
        escapeControls(`    on the tape  ${shown(tape)}`),
        escapeControls(`    now          ${shown(now)}`),
      ]),
    ...(more > 0 ? ["", `And ${more} more. --json lists all of them.`] : []),
  ];
}

const placeOf = (after: number | null) => (after === null ? "before any request" : `after request ${after}`);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
