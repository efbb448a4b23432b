import { Hono } from "hono";
import * as z from "zod";
import { companyNow, lastInstantMs, lastYear, type SandboxClock } from "../rules/clock.ts";
import { greatestClockOffset, setClockOffset } from "../store/companies.ts";
import type { Database } from "../store/database.ts";
import { writeClock } from "../store/meta.ts";
import { ControlError } from "./errors.ts";
import { parse, readJson } from "./input.ts";
import { requireCompany } from "./lookup.ts";

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
      now: new Date(this.#nowMs(company)).toISOString(),
      frozen: this.#clock.state.frozenAtMs !== null,
    };
  }

  /** @throws ControlError 409 if time would go back */
  change(input: z.input<typeof timeChange>): TimeListing {
    const { now, frozen, company } = parse(timeChange, input);
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
      throw new ControlError(400, `by: ${by} leads beyond the calendar`);
    }
    return this.#move(fromMs, toMs, company);
  }

  #nowMs(company: string | undefined): number {
    const offsetMs = company === undefined ? 0 : requireCompany(this.#database, company).clockOffsetMs;
    return companyNow(this.#clock, offsetMs);
  }

  #move(fromMs: number, toMs: number, company: string | undefined, frozen?: boolean): TimeListing {
    const latestMs = company === undefined ? toMs + greatestClockOffset(this.#database) : toMs;
    if (latestMs > lastInstantMs) throw new ControlError(400, `time ends with the year ${lastYear} here`);
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
      setClockOffset(this.#database, requireCompany(this.#database, company).pk, toMs - this.#clock.now());
    }
    this.#onMove();
    return this.read(company);
  }
}

/** @internal */
export function clockRoutes(time: SandboxTime): Hono {
  const routes = new Hono();
  routes.get("/clock", (c) => c.json(time.read(c.req.query("company"))));
  routes.put("/clock", async (c) => c.json(time.change(await readJson(c))));
  routes.post("/clock/advance", async (c) => c.json(await time.advance(await readJson(c))));
  return routes;
}
