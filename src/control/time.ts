import * as z from "zod";
import { companyNow, lastInstantMs, lastYear, type SandboxClock } from "../rules/clock.ts";
import { greatestClockOffset, setClockOffset } from "../store/companies.ts";
import type { Database } from "../store/database.ts";
import { writeClock } from "../store/meta.ts";
import { ControlError } from "./control-error.ts";
import { companyNamed } from "./named.ts";
import { parsed } from "./read-json.ts";

/** What time it is, and whether it stands still. */
export interface TimeListing {
  readonly now: string;
  readonly frozen: boolean;
}

const instant = z.iso.datetime({ offset: true, error: "must be an ISO 8601 instant with its offset" });

const timeChange = z.strictObject({
  now: instant.optional(),
  frozen: z.boolean().optional(),
  company: z.string().optional(),
});

const timeAdvance = z.strictObject({
  by: z.iso.duration({ error: 'must be an ISO 8601 duration, such as "PT15M"' }),
  company: z.string().optional(),
});

/** The sandbox's time and each company's own, which only ever move forward. */
export class SandboxTime {
  readonly #database: Database;
  readonly #clock: SandboxClock;
  readonly #moved: () => void;

  /** @param moved - told whenever time was moved */
  constructor(database: Database, clock: SandboxClock, moved: () => void) {
    this.#database = database;
    this.#clock = clock;
    this.#moved = moved;
  }

  read(company?: string): TimeListing {
    return {
      now: new Date(this.#nowMs(company)).toISOString(),
      frozen: this.#clock.state.frozenAtMs !== null,
    };
  }

  /** @throws ControlError 400, 404, or 409 where time would go back */
  change(asked: z.input<typeof timeChange>): TimeListing {
    const { now, frozen, company } = parsed(timeChange, asked);
    if (company !== undefined && frozen !== undefined) {
      throw new ControlError(
        400,
        "frozen: a company runs ahead of the sandbox's clock, and stands still with it",
      );
    }
    if (now === undefined && frozen === undefined) return this.read(company);
    const fromMs = this.#nowMs(company);
    return this.#move(fromMs, now === undefined ? fromMs : Date.parse(now), company, frozen);
  }

  /**
   * Moves time on by an ISO 8601 duration; days, weeks, months and years are the UK calendar's.
   * @throws ControlError 400 or 404
   */
  async advance(asked: z.input<typeof timeAdvance>): Promise<TimeListing> {
    const { by, company } = parsed(timeAdvance, asked);
    // Loaded when first needed: no order needs it.
    const { Temporal } = await import("temporal-polyfill");
    const fromMs = this.#nowMs(company);
    const from = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO("Europe/London");
    let toMs: number;
    try {
      toMs = from.add(by).epochMilliseconds;
    } catch {
      throw new ControlError(400, `by: ${by} leads beyond the calendar`);
    }
    return this.#move(fromMs, toMs, company);
  }

  #nowMs(company: string | undefined): number {
    const offsetMs = company === undefined ? 0 : companyNamed(this.#database, company).clockOffsetMs;
    return companyNow(this.#clock, offsetMs);
  }

  #move(fromMs: number, toMs: number, company: string | undefined, frozen?: boolean): TimeListing {
    const leadMs = company === undefined ? greatestClockOffset(this.#database) : 0;
    if (toMs + leadMs > lastInstantMs)
      throw new ControlError(400, `time ends with the year ${lastYear} here`);
    if (toMs < fromMs) {
      throw new ControlError(
        409,
        `time does not go back: it is ${new Date(fromMs).toISOString()}; POST /_sandbox/reset puts it back with the world`,
      );
    }
    if (company === undefined) {
      const state = this.#clock.stateAt(toMs, frozen ?? this.#clock.state.frozenAtMs !== null);
      writeClock(this.#database, state);
      this.#clock.resume(state);
    } else {
      setClockOffset(this.#database, companyNamed(this.#database, company).pk, toMs - this.#clock.now());
    }
    this.#moved();
    return this.read(company);
  }
}
