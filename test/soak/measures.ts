import { median } from "../../bench/statistics.ts";

/** The figures of one stretch of a soak. */
export interface Stretch {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The server's processor time per request, which other work of the machine affects less than latency. */
  readonly cpuMs: number;
  readonly rssMiB: number;
  /** The JavaScript heap after a garbage collection at the end of the stretch. */
  readonly liveMiB: number;
  readonly descriptors: number;
}

/** How much the last third may exceed the second; the first warms up. */
const limits: readonly {
  readonly measure: keyof Stretch;
  readonly name: string;
  readonly atMost: (before: number) => number;
}[] = [
  { measure: "rssMiB", name: "resident memory in MiB", atMost: (before) => before * 1.15 },
  { measure: "liveMiB", name: "live heap in MiB", atMost: (before) => before * 1.1 },
  // 20 ms may come from other work of the machine.
  { measure: "p99Ms", name: "p99 latency in ms", atMost: (before) => Math.max(before * 1.5, before + 20) },
  { measure: "cpuMs", name: "processor time per request in ms", atMost: (before) => before * 1.3 },
  // Callers and webhooks open and close up to 60 connections.
  { measure: "descriptors", name: "open descriptors", atMost: (before) => before + 64 },
];

/** What grew, in sentences. */
export function growth(stretches: readonly Stretch[]): string[] {
  const third = Math.floor(stretches.length / 3);
  if (third === 0) return ["too short to judge: a soak takes at least three stretches"];
  return limits.flatMap(({ measure, name, atMost }) => {
    const medianOf = (some: readonly Stretch[]) => median(some.map((each) => each[measure]));
    const before = medianOf(stretches.slice(-2 * third, -third));
    const after = medianOf(stretches.slice(-third));
    if (after <= atMost(before)) return [];
    return `${name} rose from ${before.toFixed(1)} to ${after.toFixed(1)}, and ${atMost(before).toFixed(1)} is allowed`;
  });
}
