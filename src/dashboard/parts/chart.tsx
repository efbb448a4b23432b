import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../rules/clock.ts";
import { Tabs } from "./elements.tsx";
import { pathToRequests } from "./request-table.tsx";

/** The classes of responses, from the bottom of a bar to its top. `lost`: no response was delivered. */
const classes = ["2xx", "3xx", "4xx", "5xx", "lost"] as const;
type StatusClass = (typeof classes)[number];
type Counts = Readonly<Record<StatusClass, number>>;

/** The lengths of the chart's window, in minutes. */
const windows = [1, 5, 15, 60] as const;
const bars = 60;
const minuteMs = 60_000;

/** The size of the picture in its own units; it is stretched to the width of the page. */
const width = 600;
const height = 120;

interface Traffic {
  readonly minutes: (typeof windows)[number];
  /** Oldest first; the last one contains the present. */
  readonly buckets: readonly Counts[];
  readonly totals: Counts;
}

const none: Counts = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, lost: 0 };

function classOf(status: number | undefined): StatusClass {
  if (status === undefined) return "lost";
  return classes[Math.floor(status / 100) - 2] ?? "2xx";
}

/**
 * Counts the requests of a window by their real arrival, whatever the clocks of the sandbox and its companies.
 * @param window - minutes; default: the shortest window that has all requests, or an hour
 */
export function trafficOf(journal: Journal, clock: Pick<Clock, "ticks">, window?: string): Traffic {
  const exchanges = journal.since(0, {}).map(({ exchange }) => exchange);
  const nowMs = clock.ticks();
  let oldestMs = nowMs;
  for (const { startedMs } of exchanges) oldestMs = Math.min(oldestMs, startedMs);
  const minutes =
    windows.find((each) => String(each) === window) ??
    windows.find((each) => each * minuteMs > nowMs - oldestMs) ??
    60;
  const bucketMs = (minutes * minuteMs) / bars;
  // Buckets begin at multiples of their length, so that a refresh moves bars and does not reshape them.
  const first = Math.floor(nowMs / bucketMs) - bars + 1;
  const buckets = Array.from({ length: bars }, () => ({ ...none }));
  const totals = { ...none };
  for (const { status, startedMs } of exchanges) {
    const bucket = buckets[Math.floor(startedMs / bucketMs) - first];
    if (!bucket) continue;
    bucket[classOf(status)]++;
    totals[classOf(status)]++;
  }
  return { minutes, buckets, totals };
}

/** Links that select the length of the chart's window. */
export function TrafficWindows({ minutes }: Pick<Traffic, "minutes">) {
  return (
    <Tabs
      label="Minutes"
      name="window"
      options={windows.map((each) => ({ value: String(each), label: `${each} min` }))}
      current={String(minutes)}
    />
  );
}

/** Requests over time as bars that are stacked by the class of the status, with the totals. */
export function TrafficChart({ minutes, buckets, totals }: Traffic) {
  const sums = buckets.map((bucket) => classes.reduce((sum, each) => sum + bucket[each], 0));
  const most = Math.max(...sums);
  const shown = classes.filter((each) => each !== "3xx" || totals[each] > 0);
  const inWords = shown.map((each) => `${totals[each]} ${each}`).join(", ");
  return (
    <figure class="chart">
      <div>
        <p class="chart-most">
          {most > 0 ? `${most} in ${lengthInWords(minutes)}` : "No requests in this time"}
        </p>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Requests of the last ${minutes === 1 ? "minute" : `${minutes} minutes`}: ${inWords}`}
        >
          <Patterns />
          {buckets.map((bucket, index) => most > 0 && <Stack bucket={bucket} index={index} most={most} />)}
        </svg>
        <p class="chart-axis">
          <span>{`${minutes} min ago`}</span>
          <span>{minutes === 1 ? "30 s ago" : `${minutes / 2} min ago`}</span>
          <span>now</span>
        </p>
        <ul class="chart-legend">
          {shown.map((each) => (
            <li>
              <a href={pathToRequests({ status: each })}>
                <svg viewBox="0 0 10 10" aria-hidden="true">
                  <rect class={`bar-${each}`} width="10" height="10" fill={fillOf(each)} />
                </svg>
                {each} <strong>{totals[each]}</strong>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </figure>
  );
}

function lengthInWords(minutes: number): string {
  const seconds = (minutes * 60) / bars;
  return seconds === 60 ? "a minute" : seconds === 1 ? "a second" : `${seconds} seconds`;
}

/** Refused, failed and lost requests have patterns, so that no one has to tell colours apart. */
function fillOf(kind: StatusClass): string {
  return kind === "2xx" || kind === "3xx" ? "" : `url(#chart-${kind})`;
}

function Patterns() {
  return (
    <defs>
      {(["4xx", "5xx", "lost"] as const).map((kind) => (
        <pattern id={`chart-${kind}`} width="5" height="5" patternUnits="userSpaceOnUse">
          <rect class={`base-${kind}`} width="5" height="5" />
          <path class={`lines-${kind}`} d={kind === "5xx" ? "M0 0L5 5M5 0L0 5" : "M-1 6L6 -1"} />
        </pattern>
      ))}
    </defs>
  );
}

function Stack({ bucket, index, most }: { bucket: Counts; index: number; most: number }) {
  const step = width / bars;
  let top = height;
  return (
    <>
      {classes.map((each) => {
        if (bucket[each] === 0) return null;
        const length = (bucket[each] / most) * height;
        top -= length;
        return (
          <rect
            class={`bar-${each}`}
            x={index * step + 1}
            y={round(top)}
            width={step - 2}
            height={round(length)}
            {...(fillOf(each) && { fill: fillOf(each) })}
          />
        );
      })}
    </>
  );
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}
