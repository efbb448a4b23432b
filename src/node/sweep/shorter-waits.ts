import type { ShortenWait } from "../../runtime/services.ts";

const longestMs = 300;

interface ShorterWaits {
  readonly shortenWait: ShortenWait | undefined;
  /** For the report. */
  readonly shortened: readonly string[];
}

/**
 * Shortens the waits of scenarios, so that a sweep does not sleep.
 * @param timeScale - multiplies each wait; undefined: each wait is cut to 300 ms
 */
export function shorterWaits(timeScale: number | undefined): ShorterWaits {
  const waits = "Each latency and hold of a scenario";
  if (timeScale === undefined) {
    return {
      shortenWait: (ms) => Math.min(ms, longestMs),
      // A header has whole seconds.
      shortened: [`${waits} takes at most ${longestMs} ms, and each Retry-After is 0.`],
    };
  }
  if (timeScale === 1) return { shortenWait: undefined, shortened: [] };
  return {
    shortenWait: (ms) => ms * timeScale,
    shortened: [
      `${waits} is multiplied by ${timeScale}, and so is each Retry-After, rounded down to whole seconds.`,
    ],
  };
}
