import { performance } from "node:perf_hooks";
import * as timers from "node:timers";
import type { Clock } from "../rules/clock.ts";

/**
 * Node's timers as they are when this module is loaded. A test may replace the global ones with fake timers, which the
 * requests of a sandbox in its process must not wait for.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = timers;

/** Milliseconds of real time from an arbitrary start. */
export const ticks: () => number = performance.now.bind(performance);

/** Real time. */
export const systemClock: Clock = {
  // Looked up at each call: a test that sets the system time also moves the time of the sandbox.
  now: () => Date.now(),
  ticks,
  after(ms, work, inBackground = false) {
    const timer = setTimeout(work, ms);
    if (inBackground) timer.unref();
    return () => clearTimeout(timer);
  },
};
