import * as z from "zod";
import { quoted, SetupError } from "./errors.ts";

/** The sandbox's time. */
export interface Clock {
  /** Milliseconds since the epoch. Every rule and every timestamp uses it. */
  now(): number;
  /** Milliseconds of real time from an arbitrary start, for durations in logs. No response uses it. */
  ticks(): number;
  /**
   * Runs `work` after `ms` milliseconds of real time.
   * @param inBackground - the timer does not keep the process alive
   * @returns a function that cancels the timer
   */
  after(ms: number, work: () => void, inBackground?: boolean): () => void;
}

/** The state of the sandbox's clock. It is stored, so that a reset, a restore and a restart bring it back. */
export interface ClockState {
  /** The instant at which the clock is frozen, in milliseconds since the epoch; null if it runs. */
  readonly frozenAtMs: number | null;
  /** How far a running clock is ahead of real time. */
  readonly offsetMs: number;
}

/** Cards expire after five years, and the year of an ISO date has four digits. */
export const lastYear = 9994;
export const lastInstantMs = Date.UTC(lastYear, 11, 31);

/** Real time. */
export const runningClock: ClockState = { frozenAtMs: null, offsetMs: 0 };

/** The sandbox's clock: real time with an offset, or a frozen instant. */
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

  /** Continues from a stored state. */
  resume(state: ClockState): void {
    this.#state = state;
  }

  /** The state in which the time is `nowMs`, frozen or running. */
  stateAt(nowMs: number, frozen: boolean): ClockState {
    return frozen
      ? { frozenAtMs: nowMs, offsetMs: 0 }
      : { frozenAtMs: null, offsetMs: nowMs - this.#real.now() };
  }
}

/**
 * The current time of a company, in milliseconds since the epoch.
 * @param clock - the sandbox's clock
 */
export function companyNow(clock: Pick<Clock, "now">, clockOffsetMs: number): number {
  return clock.now() + clockOffsetMs;
}

const isoInstant = z.iso.datetime({ offset: true });

/**
 * Normalizes an ISO 8601 instant to milliseconds and `Z`.
 * @throws SetupError if the text is not an instant
 */
export function instantOf(text: string): string {
  const ms = isoInstant.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (!(ms >= 0 && ms <= lastInstantMs)) {
    throw new SetupError(
      `clock: must be an ISO 8601 timestamp with a UTC offset, from 1970 to ${lastYear}, such as 2026-03-29T00:30:00Z, but is ${quoted(text)}`,
    );
  }
  return new Date(ms).toISOString();
}
