/** What was seen in one stretch of a soak. */
export interface Stretch {
  /** How many requests were answered. */
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
  /** Of the server, for each request: what other work of the machine does to latency it does not do to this. */
  readonly cpuMs: number;
  readonly rssMiB: number;
  /** Of the JavaScript heap, once the stretch is over and everything else is collected. */
  readonly liveMiB: number;
  readonly descriptors: number;
}

/**
 * How much more the last third may show than the second: the first warms up. Connections come and go, up to 60 of
 * callers and webhooks.
 */
const allowed = { rss: 1.15, live: 1.1, p99: 1.5, cpu: 1.3, descriptors: 64 };
/** Below so much more latency a machine's other work tells more than the sandbox does. */
const p99SlackMs = 20;

/** The value below which so large a part of the values lies, or at it. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** What is not flat, in sentences; none where all is. */
export function unevenness(stretches: readonly Stretch[]): string[] {
  const third = Math.floor(stretches.length / 3);
  if (third === 0) return ["too short to tell: a soak takes three stretches at least"];
  const second = stretches.slice(-2 * third, -third);
  const last = stretches.slice(-third);
  const median = (of: readonly Stretch[], what: keyof Stretch) =>
    percentile(
      of.map((each) => each[what]),
      0.5,
    );
  const told: string[] = [];
  const hold = (what: keyof Stretch, most: (before: number) => number, name: string) => {
    const [before, after] = [median(second, what), median(last, what)];
    if (!(after <= most(before))) {
      told.push(
        `${name} rose from ${before.toFixed(1)} to ${after.toFixed(1)}, and ${most(before).toFixed(1)} is allowed`,
      );
    }
  };
  hold("rssMiB", (before) => before * allowed.rss, "resident memory in MiB");
  hold("liveMiB", (before) => before * allowed.live, "live heap in MiB");
  hold("p99Ms", (before) => Math.max(before * allowed.p99, before + p99SlackMs), "p99 latency in ms");
  hold("cpuMs", (before) => before * allowed.cpu, "processor time a request in ms");
  hold("descriptors", (before) => before + allowed.descriptors, "open descriptors");
  return told;
}

/** Rows in columns, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [
    head,
    ...rows.map((row) => row.map((cell) => (typeof cell === "number" ? cell.toFixed(1) : cell))),
  ];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  "))
    .join("\n");
}
