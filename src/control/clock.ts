import * as z from "zod";
import { companyNow, lastInstantMs, lastYear, type SandboxClock } from "../rules/clock.ts";
import { quoted } from "../rules/errors.ts";
import {
  type CompanyAhead,
  companiesAhead,
  greatestClockOffset,
  setClockOffset,
} from "../store/companies.ts";
import type { Database } from "../store/database.ts";
import { writeClock } from "../store/meta.ts";
import { ControlError } from "./errors.ts";
import { mustBe, parse, readJson } from "./input.ts";
import { requireCompany } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

export interface TimeListing {
  readonly now: string;
  readonly frozen: boolean;
}

/**
 * A company whose clock is ahead of the sandbox's.
 * @internal
 */
export interface ClockOffset extends Omit<CompanyAhead, "clockOffsetMs"> {
  readonly now: string;
  /** In milliseconds. */
  readonly offset_ms: number;
}

const instant = z.iso.datetime({
  offset: true,
  error: mustBe("an ISO 8601 timestamp with a UTC offset, such as 2026-03-10T00:00:00Z"),
});

export const timeChange = z.lazy(() =>
  z.strictObject({
    now: instant.optional(),
    frozen: z.boolean().optional(),
    company: z.string().optional(),
  }),
);

export const timeAdvance = z.lazy(() =>
  z.strictObject({
    by: z.iso.duration({ error: mustBe('an ISO 8601 duration, such as "PT15M"') }),
    company: z.string().optional(),
  }),
);

const isoOf = (ms: number) => new Date(ms).toISOString();

/** The sandbox's clock and each company's own, which only move forward. */
export class SandboxTime {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #onMove: () => void;

  /** @param onMove - called after each change of a clock */
  constructor(database: Database, clock: SandboxClock, onMove: () => void) {
    this.#database = database;
    this.#clock = clock;
    this.#onMove = onMove;
  }

  read(company?: string): TimeListing {
    return {
      now: isoOf(this.#nowMs(company)),
      frozen: this.#clock.state.frozenAtMs !== null,
    };
  }

  /**
   * Up to `limit` companies whose clocks are ahead of the sandbox's, the one that is furthest ahead first.
   * @internal
   */
  offsets(limit: number): ClockOffset[] {
    return companiesAhead(this.#database, limit).map(({ clockOffsetMs, ...company }) => ({
      ...company,
      now: isoOf(companyNow(this.#clock, clockOffsetMs)),
      offset_ms: clockOffsetMs,
    }));
  }

  /**
   * How far the clock of a company is ahead of the sandbox's, in milliseconds.
   * @throws ControlError 404
   * @internal
   */
  offsetOf(company: string): number {
    return requireCompany(this.#database, company).clockOffsetMs;
  }

  /** @throws ControlError 409 if time would go back */
  change(input: z.input<typeof timeChange>): TimeListing {
    const { now, frozen, company } = parse(timeChange, input);
    if (company !== undefined && frozen !== undefined) {
      throw new ControlError(
        400,
        "frozen: is not allowed with company, because only the clock of the whole sandbox can be frozen",
      );
    }
    if (now === undefined && frozen === undefined) return this.read(company);
    const fromMs = this.#nowMs(company);
    return this.#move(fromMs, now === undefined ? fromMs : Date.parse(now), company, frozen);
  }

  /** Advances a clock by an ISO 8601 duration; days, weeks, months and years follow the UK calendar. */
  async advance(input: z.input<typeof timeAdvance>): Promise<TimeListing> {
    const { by, company } = parse(timeAdvance, input);
    // Loaded when first needed: no order needs it.
    const { Temporal } = await import("temporal-polyfill");
    const fromMs = this.#nowMs(company);
    const from = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO("Europe/London");
    let toMs: number;
    try {
      toMs = from.add(by).epochMilliseconds;
    } catch {
      throw new ControlError(
        400,
        `by: must not move the clock beyond the year ${lastYear}, but is ${quoted(by)}`,
      );
    }
    return this.#move(fromMs, toMs, company);
  }

  #nowMs(company: string | undefined): number {
    const offsetMs = company === undefined ? 0 : requireCompany(this.#database, company).clockOffsetMs;
    return companyNow(this.#clock, offsetMs);
  }

  #move(fromMs: number, toMs: number, company: string | undefined, frozen?: boolean): TimeListing {
    const latestMs = company === undefined ? toMs + greatestClockOffset(this.#database) : toMs;
    if (latestMs > lastInstantMs)
      throw new ControlError(400, `clock: must not move beyond the year ${lastYear}`);
    if (toMs < fromMs) {
      throw new ControlError(
        409,
        `now: must not be before the current time (${isoOf(fromMs)}), but is ${isoOf(toMs)}. POST /_sandbox/reset resets the clock together with the world.`,
      );
    }
    if (company === undefined) {
      const state = this.#clock.stateAt(toMs, frozen ?? this.#clock.state.frozenAtMs !== null);
      writeClock(this.#database, state);
      this.#clock.resume(state);
    } else {
      setClockOffset(this.#database, requireCompany(this.#database, company).pk, toMs - this.#clock.now());
    }
    this.#onMove();
    return this.read(company);
  }
}

/** @internal */
export function clockHandlers(
  time: SandboxTime,
): ControlHandlers<"getClock" | "changeClock" | "advanceClock"> {
  return {
    getClock: (c) => c.json(time.read(c.req.query("company"))),
    changeClock: async (c) => c.json(time.change(await readJson(c))),
    advanceClock: async (c) => c.json(await time.advance(await readJson(c))),
  };
}
