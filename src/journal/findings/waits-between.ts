/** What is no wait, but what it takes to send a request again; a backoff that a test shortened may be lost in it. */
const noWaitMs = 50;
/** Waits so long are a queue's, and burden nobody. */
const longWaitMs = 30_000;
/** How far a wait that is meant to be the same is off, beside the timer's own slack. */
const tolerance = 0.05;
const timerSlackMs = 2;

/** How the waits between attempts are: each about as long, none at all, or otherwise, as a backoff's or with jitter. */
export function patternOf(waitsMs: readonly number[]): "steady" | "none" | "varied" {
  if (grow(waitsMs)) return "varied";
  const longest = Math.max(...waitsMs);
  if (longest < noWaitMs) return "none";
  const mean = waitsMs.reduce((sum, each) => sum + each, 0) / waitsMs.length;
  const isMean = (each: number) => Math.abs(each - mean) <= mean * tolerance + timerSlackMs;
  return longest < longWaitMs && mean >= noWaitMs && waitsMs.every(isMean) ? "steady" : "varied";
}

/** Each by half and more over the one before. */
function grow(waitsMs: readonly number[]): boolean {
  return waitsMs.every((each, i) => i === 0 || (each > 0 && each >= 1.5 * (waitsMs[i - 1] ?? 0)));
}
