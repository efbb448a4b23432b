import type { Paint } from "../../journal/formats/terminal.ts";
import type { Verdict } from "../../journal/sweep-report.ts";
import type { Progress } from "../../sweep/sweep.ts";

const barWidth = 22;

/** What it shows: a sweep, or cells of another plan. */
export type ShownProgress =
  | Progress
  | (Omit<Progress, "latest" | "faults"> & { readonly plan: string; readonly latest?: unknown });

const shownVerdicts = [
  ["hung", "red"],
  ["crashed", "red"],
  ["damaged", "red"],
  ["failed", "yellow"],
] as const satisfies readonly (readonly [Verdict, string])[];

/** Shows how far a sweep is: on a terminal as a line that is redrawn, elsewhere as a line for each tenth of the cells. */
export class ProgressLines {
  readonly #stream: Pick<NodeJS.WriteStream, "write" | "columns">;
  readonly #paint: Paint;
  readonly #isRedrawn: boolean;
  readonly #now: () => number;
  #startedMs: number | undefined;
  #tenth = 0;
  #total = 0;

  /** @param now - milliseconds of real time, for the remaining time */
  constructor(
    stream: Pick<NodeJS.WriteStream, "write" | "columns">,
    paint: Paint,
    isRedrawn: boolean,
    now = () => performance.now(),
  ) {
    this.#stream = stream;
    this.#paint = paint;
    this.#isRedrawn = isRedrawn;
    this.#now = now;
    if (isRedrawn) stream.write("Reference run, twice without faults …");
  }

  show(progress: ShownProgress): void {
    if (this.#startedMs === undefined) {
      this.#startedMs = this.#now();
      this.clear();
      this.#stream.write(`${referenceLine(progress)}\n`);
    }
    if (progress.total === 0) return;
    if (this.#isRedrawn) this.#redraw(progress);
    else this.#printTenth(progress);
  }

  /** Removes the line that is redrawn. */
  clear(): void {
    if (this.#isRedrawn) this.#stream.write("\r\u001b[K");
  }

  #redraw(progress: ShownProgress): void {
    const { done, total } = progress;
    const filled = Math.round((barWidth * done) / total);
    const bar = `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] `;
    const eta = this.#eta(progress);
    const parts = [`${done}/${total}`, ...counts(progress).map(({ text }) => text), ...(eta ? [eta] : [])];
    const columns = this.#stream.columns ?? 80;
    const hasBar = bar.length + parts.join("  ").length < columns;
    // A line that wraps cannot be redrawn.
    const isNarrow = !hasBar && parts.join("  ").length >= columns;
    const painted = [
      `${done}/${total}`,
      ...counts(progress).map(({ style, text }) => this.#paint(style, text)),
    ];
    const line = isNarrow ? `${done}/${total}` : [...painted, ...(eta ? [eta] : [])].join("  ");
    this.#stream.write(`\r\u001b[K${hasBar ? bar : ""}${line}`);
  }

  #printTenth(progress: ShownProgress): void {
    const { done, total } = progress;
    const tenth = Math.floor((10 * done) / total);
    // Cells with a second fault are known once those with one have run.
    const hasGrown = total > this.#total && this.#total > 0;
    this.#total = total;
    if (tenth <= this.#tenth && !hasGrown) return;
    this.#tenth = tenth;
    this.#stream.write(
      `${[`${done}/${total} cells`, ...counts(progress).map(({ text }) => text)].join(", ")}\n`,
    );
  }

  #eta({ done, total }: ShownProgress): string | undefined {
    if (done === 0 || done === total) return undefined;
    const elapsedMs = this.#now() - (this.#startedMs ?? 0);
    const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1000);
    const padded = (value: number) => String(value).padStart(2, "0");
    const minutes = Math.floor(seconds / 60);
    const shown =
      minutes < 60
        ? `${minutes}:${padded(seconds % 60)}`
        : `${Math.floor(minutes / 60)}:${padded(minutes % 60)}:${padded(seconds % 60)}`;
    return `ETA ${shown}`;
  }
}

function referenceLine(progress: ShownProgress): string {
  const { calls, operations, duration_ms } = progress.reference;
  const ran = [
    counted(calls, "call"),
    counted(operations, "operation"),
    `${(duration_ms / 1000).toFixed(1)} s`,
  ];
  return `Reference run: ${ran.join(", ")}. ${planOf(progress)} = ${counted(progress.total, "cell")}.`;
}

function planOf(progress: ShownProgress): string {
  if ("plan" in progress) return progress.plan;
  return `${counted(progress.reference.calls, "call")} × up to ${counted(progress.faults, "fault")}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function counts({ totals }: ShownProgress) {
  return shownVerdicts.flatMap(([verdict, style]) =>
    totals[verdict] > 0 ? [{ style, text: `${totals[verdict]} ${verdict}` }] : [],
  );
}
