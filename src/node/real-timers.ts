import { performance } from "node:perf_hooks";
import * as timers from "node:timers";

/**
 * Node's timers as they are when this module is loaded. A test may replace the global ones with fake timers, which the
 * requests of a sandbox in its process must not wait for.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = timers;

/** Milliseconds of real time from an arbitrary start. */
export const ticks: () => number = performance.now.bind(performance);
