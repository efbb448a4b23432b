import * as z from "zod";
import { quoted, SetupError } from "./errors.ts";

/** The sandbox's time. */
export interface Clock {
  /** Milliseconds since the epoch: every rule and every timestamp goes by it. */
  now(): number;
  /** Milliseconds of real time from an arbitrary start: for durations in logs, and for no answer. */
  ticks(): number;
  /**
   * Does some work after so many milliseconds of real time, unless it is cancelled by what is returned.
   * @param inBackground - it keeps no process alive
   */
  after(ms: number, work: () => void, inBackground?: boolean): () => void;
}

/** Where the sandbox's time stands; kept in the store, so that a reset, a restore and a restart bring it back. */
export interface ClockState {
  /** The instant at which time stands still, in milliseconds since the epoch; null where it runs. */
  readonly frozenAtMs: number | null;
  /** How far running time is ahead of real time. */
  readonly offsetMs: number;
}

/** Cards expire five years on, and an ISO date has four digits of year. */
export const lastYear = 9994;
export const lastInstantMs = Date.UTC(lastYear, 11, 31);

/** Real time. */
export const runningClock: ClockState = { frozenAtMs: null, offsetMs: 0 };

/** The sandbox's time: real time and an offset, or an instant at which it stands still. */
export class SandboxClock implements Clock {
  readonly #real: Clock;
  #state: ClockState;

  constructor(real: Clock, state: ClockState) {
    this.#real = real;
    this.#state = state;
  }

  get state(): ClockState {
    return this.#state;
  }

  now(): number {
    return this.#state.frozenAtMs ?? this.#real.now() + this.#state.offsetMs;
  }

  ticks(): number {
    return this.#real.ticks();
  }

  after(ms: number, work: () => void, inBackground?: boolean): () => void {
    return this.#real.after(ms, work, inBackground);
  }

  /** Takes up a kept state. */
  resume(state: ClockState): void {
    this.#state = state;
  }

  /** The state in which it is `nowMs`, standing still or running on. */
  stateAt(nowMs: number, frozen: boolean): ClockState {
    return frozen
      ? { frozenAtMs: nowMs, offsetMs: 0 }
      : { frozenAtMs: null, offsetMs: nowMs - this.#real.now() };
  }
}

/**
 * The current time of a company, in milliseconds since the epoch.
 * @param clock - the sandbox's
 */
export function companyNow(clock: Pick<Clock, "now">, clockOffsetMs: number): number {
  return clock.now() + clockOffsetMs;
}

const isoInstant = z.iso.datetime({ offset: true });

/**
 * An ISO 8601 instant in its one form, with milliseconds and `Z`.
 * @throws SetupError where the text is none
 */
export function instantOf(text: string): string {
  const ms = isoInstant.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (!(ms >= 0 && ms <= lastInstantMs)) {
    throw new SetupError(
      `the clock takes an ISO 8601 instant with its offset, of the years 1970 to ${lastYear}, such as 2026-03-29T00:30:00Z; got ${quoted(text)}`,
    );
  }
  return new Date(ms).toISOString();
}
