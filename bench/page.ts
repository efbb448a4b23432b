import { type Figures, pairedRatio, timesBare } from "./goals.ts";
import type { Load } from "./load.ts";
import type { Measured } from "./rounds.ts";
import type { Start } from "./starts.ts";
import { markdownTable, mean, median } from "./statistics.ts";
import type { TestCost } from "./test-run.ts";

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

const region = /(?<=^<!-- measured -->\n)[\s\S]*(?=^<!-- \/measured -->$)/m;

/** The page with new figures. */
export function withFigures(page: string, figures: string): string {
  if (!region.test(page))
    throw new Error("docs/benchmarks.md has no place for the figures: <!-- measured -->");
  return page.replace(region, () => figures);
}

/** All figures, in Markdown: first the costs of a test run, then those of a server. */
export function figuresOf({ measured, starts, testCosts }: Figures, about: About): string {
  return [
    `- ${about.machine}`,
    `- \`${about.command}\`\n`,
    ...(testCosts.length > 0 ? ["## In a test run\n", testCostsTable(testCosts)] : []),
    ...(starts.length > 0 ? ["## Start of the server, until the first 200\n", startsTable(starts)] : []),
    ...(measured.length > 0 ? ["## Requests over a socket\n", requestsTable(measured), ...notes(about)] : []),
  ].join("\n");
}

function testCostsTable(costs: readonly TestCost[]): string {
  const isCompared = new Set(costs.flatMap(({ build }) => build ?? [])).size > 1;
  return markdownTable(
    ["Step", "ms", "min–max", "× a bare process", "processor ms", "× a bare process", "KB"],
    costs.map((cost) => [
      isCompared && cost.build !== undefined ? `${cost.title} (${cost.build})` : cost.title,
      fixed(median(cost.ms)),
      `${fixed(Math.min(...cost.ms))}–${fixed(Math.max(...cost.ms))}`,
      fixed(timesBare(costs, cost)),
      fixed(mean(cost.cpuMs ?? [])),
      fixed(mean(cost.cpuMs ?? []) / mean(costs.find(({ name }) => name === "bare")?.cpuMs ?? [])),
      whole(median(cost.kb ?? [])),
    ]),
  );
}

function notes({ rounds, seconds, cards, skipped }: About): string[] {
  return [
    ...skipped.map((peer) => `- not measured: ${peer}\n`),
    `Each figure of these requests is the median of ${rounds} rounds of ${seconds} s, in which the rows take turns; min–max shows how far the`,
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
  const nodes = new Set(starts.map(({ node }) => node));
  const cells = (start: Start, figures: (start: Start) => readonly number[]) => {
    const base = starts.find(({ build, node }) => build === undefined && node === start.node);
    return [whole(median(figures(start))), base ? fixed(median(figures(start)) / median(figures(base))) : ""];
  };
  return markdownTable(
    ["Server", "ms", "min–max", "× A", "processor ms", "× A", "resident MiB", "× A"],
    starts.map((start) => {
      const [ms = "", ratio = ""] = cells(start, ({ ms }) => ms);
      return [
        [
          start.build === undefined ? start.title : `${start.title} (${start.build})`,
          ...(nodes.size > 1 ? [`on Node ${start.node}`] : []),
        ].join(" "),
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
