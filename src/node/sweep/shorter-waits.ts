import type { Waits } from "../../tape/tape.ts";

const longestMs = 300;

interface ShorterWaits {
  readonly waits: Waits | undefined;
  /** For the report. */
  readonly shortened: readonly string[];
}

/**
 * Shortens the waits of scenarios, so that a sweep does not sleep.
 * @param timeScale - multiplies each wait; undefined: each wait is cut to 300 ms
 */
export function shorterWaits(timeScale: number | undefined): ShorterWaits {
  const each = "Each latency and hold of a scenario";
  if (timeScale === undefined) {
    return {
      waits: { atMostMs: longestMs },
      // A header has whole seconds.
      shortened: [`${each} takes at most ${longestMs} ms, and each Retry-After is 0.`],
    };
  }
  if (timeScale === 1) return { waits: undefined, shortened: [] };
  return {
    waits: { times: timeScale },
    shortened: [
      `${each} is multiplied by ${timeScale}, and so is each Retry-After, rounded down to whole seconds.`,
    ],
  };
}
