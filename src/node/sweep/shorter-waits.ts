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
  const waits = "Each latency, hold and Retry-After of a scenario";
  if (timeScale === undefined) {
    return {
      shortenWait: (ms) => Math.min(ms, longestMs),
      shortened: [`${waits} takes at most ${longestMs} ms.`],
    };
  }
  if (timeScale === 1) return { shortenWait: undefined, shortened: [] };
  return { shortenWait: (ms) => ms * timeScale, shortened: [`${waits} is multiplied by ${timeScale}.`] };
}
