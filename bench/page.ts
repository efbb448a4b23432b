import { type Figures, goalsTable, pairedRatio } from "./goals.ts";
import type { Load } from "./load.ts";
import type { Measured } from "./rounds.ts";
import type { Start } from "./starts.ts";
import { markdownTable, median } from "./statistics.ts";

export interface About {
  readonly machine: string;
  readonly command: string;
  readonly rounds: number;
  readonly seconds: number;
  /** How many cards the company of the row with many cards has. */
  readonly cards: number;
  /** Peers that could not be measured. */
  readonly skipped: readonly string[];
}

/** The page of all figures, in Markdown. */
export function benchmarksPage(figures: Figures, about: About): string {
  const { measured, starts } = figures;
  const goals = goalsTable(figures);
  return [
    "# Benchmarks\n",
    "The sandbox compared with bare servers, measured in one run. `npm run bench` wrote this page.\n",
    `- ${about.machine}`,
    `- \`${about.command}\`\n`,
    ...(goals ? ["## Goals\n", goals] : []),
    ...(measured.length > 0 ? ["## Requests\n", requestsTable(measured), ...notes(about)] : []),
    ...(starts.length > 0 ? ["## From `exec` to the first 200\n", startsTable(starts)] : []),
  ].join("\n");
}

function notes({ rounds, seconds, cards, skipped }: About): string[] {
  return [
    ...skipped.map((peer) => `- not measured: ${peer}\n`),
    `Each figure is the median of ${rounds} rounds of ${seconds} s, in which the rows take turns; min–max shows how far the`,
    "rounds differ. Ratios are medians of the ratios within each round. Every connection waits for the response before",
    "it sends again. Every order has its own Idempotency-Key, except for the baselines. A row in which a response had",
    `an unexpected status code says so. Many cards are ${whole(cards)} at first. If the machine does other work, or if`,
    "the load is the limit, as at the baselines, compare processor times rather than requests per second.\n",
  ];
}

function requestsTable(measured: readonly Measured[]): string {
  const base = measured.find(({ row }) => row === "baseline-a")?.loads ?? [];
  const builds = new Set(measured.flatMap(({ build }) => build ?? []));
  /** The cells that only a comparison of builds has. */
  const compared = (...cells: readonly string[]) => (builds.size > 1 ? cells : []);
  const head = [
    "Request",
    ...compared("Build"),
    "Connections",
    "Requests/s",
    "min–max",
    "of A",
    ...compared("× this"),
    "p50 ms",
    "p99 ms",
    "server CPU µs",
    "× A",
    ...compared("× this"),
  ];
  const rows = measured.map((target) => {
    const { title, build, connections, loads } = target;
    const own = measured.find(({ row, build }) => row === target.row && build === "this");
    const timesOwn = (figure: (load: Load) => number) =>
      own && own !== target ? fixed(pairedRatio(loads, own.loads, figure)) : "";
    const rates = loads.map(perSecond);
    return [
      title + problemsIn(loads),
      ...compared(build ?? ""),
      String(connections),
      whole(median(rates)),
      `${whole(Math.min(...rates))}–${whole(Math.max(...rates))}`,
      `${whole(pairedRatio(loads, base, perSecond) * 100)} %`,
      ...compared(timesOwn(perSecond)),
      fixed(median(loads.map(({ p50Ms }) => p50Ms))),
      fixed(median(loads.map(({ p99Ms }) => p99Ms))),
      whole(median(loads.map(cpuUs))),
      fixed(pairedRatio(loads, base, cpuUs)),
      ...compared(timesOwn(cpuUs)),
    ];
  });
  return markdownTable(head, rows);
}

function startsTable(starts: readonly Start[]): string {
  const base = starts.find(({ build }) => build === undefined);
  const cells = (start: Start, figures: (start: Start) => readonly number[]) => [
    whole(median(figures(start))),
    base ? fixed(median(figures(start)) / median(figures(base))) : "",
  ];
  return markdownTable(
    ["Server", "ms", "min–max", "× A", "processor ms", "× A", "resident MiB", "× A"],
    starts.map((start) => {
      const [ms = "", ratio = ""] = cells(start, ({ ms }) => ms);
      return [
        start.build === undefined ? start.title : `${start.title} (${start.build})`,
        ms,
        `${whole(Math.min(...start.ms))}–${whole(Math.max(...start.ms))}`,
        ratio,
        ...cells(start, ({ cpuMs }) => cpuMs),
        ...cells(start, ({ residentMib }) => residentMib),
      ];
    }),
  );
}

const perSecond = (load: Load) => load.perSecond;
const cpuUs = (load: Load) => load.cpuUs;

function problemsIn(loads: readonly Load[]): string {
  const problems = new Set(loads.flatMap((load) => load.problems));
  return problems.size > 0 ? ` **wrong**: ${[...problems].join("; ")}` : "";
}

/** A figure without decimals; empty for NaN, which stands for a figure that this system does not have. */
function whole(figure: number): string {
  return Number.isNaN(figure) ? "" : Math.round(figure).toLocaleString("en");
}

function fixed(figure: number): string {
  return Number.isNaN(figure) ? "" : figure.toFixed(2);
}
