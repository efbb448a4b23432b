import * as z from "zod";
import type { Environment } from "../contract/identifiers.ts";
import { type OperationId, operationIds } from "../contract/operations.ts";
import type { UnusedScenario } from "../journal/suite.ts";
import { quoted } from "../rules/errors.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { findKey } from "../store/api-keys.ts";
import type { ArmedRow } from "../store/armed-scenarios.ts";
import type { Database } from "../store/database.ts";
import { ControlError } from "./control-error.ts";
import { limits, refuseOver } from "./limits.ts";
import { companyNamed } from "./named.ts";
import { parsed } from "./read-json.ts";

/** Whom to arm a scenario for; nobody named: for all. */
const arming = z.strictObject({
  company: z.string().optional(),
  /** How often it runs through its steps; absent: until it is disarmed. */
  times: z.int().min(1).optional(),
  /** In place of the operations that the scenario is on. */
  operation: z.enum(operationIds, { error: `must be one of ${operationIds.join(", ")}` }).optional(),
  /** Only for requests made with this API key. */
  api_key_id: z.string().optional(),
});
export type Arming = z.input<typeof arming>;

/** Which armed scenarios are meant. */
export const armedQuery = z.strictObject({ company: z.string().optional() });

/** The environment whose companies alone call an operation. */
const environmentOf: Readonly<Partial<Record<OperationId, Environment>>> = {
  exchangeSandboxKey: "sandbox",
  exchangeLiveKey: "live",
};

/** An armed scenario. */
export interface ArmedListing {
  readonly id: string;
  readonly name: string;
  /** False where no scenario file has it any more: it forces nothing. */
  readonly known: boolean;
  /** As it is named elsewhere: a slug, or `live/SLUG`; null: armed for all. */
  readonly company: string | null;
  readonly company_id: string | null;
  readonly operation: string | null;
  readonly api_key_id: string | null;
  readonly times: number | null;
  readonly steps_taken: number;
  /** How many requests it decided, and forced something on. */
  readonly fired: number;
  /** Whether its times are used up. */
  readonly spent: boolean;
  /** How many requests it holds, until they are released. */
  readonly held: number;
  /** By the sandbox's clock. */
  readonly armed_at: string;
}

/** What is armed, in the order in which it was, and which of it never fired. */
export interface ArmedListings {
  readonly armed: readonly ArmedListing[];
  readonly never_fired: readonly string[];
}

/** A scenario that was armed in this process. */
export interface ArmedScenario {
  readonly id: string;
  /** How it stands, as `GET /_sandbox/armed` tells it. */
  listing(): ArmedListing;
  /** Lets go on the requests that it holds, and tells how many. */
  release(): number;
  disarm(): void;
}

/** Arms scenarios, tells what is armed, and disarms. */
export class ArmedScenarios {
  readonly #database: Database;
  readonly #scenarios: Scenarios;

  constructor(database: Database, scenarios: Scenarios) {
    this.#database = database;
    this.#scenarios = scenarios;
  }

  /** Every scenario there is. */
  all(): readonly Scenario[] {
    return this.#scenarios.catalogue.all;
  }

  /** @throws ControlError 400 where it is unknown or can never fire so, 404 where a company or a key is */
  arm(name: string, asked: Arming = {}): ArmedListing {
    const { company, times, operation, api_key_id } = parsed(arming, asked);
    // JavaScript may have said nothing, or the options alone.
    if (typeof name !== "string") {
      throw new ControlError(
        400,
        'name the scenario: scenario("quota-reached"); GET /_sandbox/scenarios lists them all',
      );
    }
    const scenario = this.#scenarios.catalogue.named(name);
    if ("message" in scenario) {
      throw new ControlError(400, `${scenario.message} GET /_sandbox/scenarios lists them all`);
    }
    const misfit = operation && this.#scenarios.catalogue.misfit(scenario, operation);
    if (misfit) throw new ControlError(400, `operation: ${misfit}`);
    const named = company === undefined ? undefined : companyNamed(this.#database, company);
    const key = api_key_id === undefined ? undefined : findKey(this.#database, api_key_id);
    if (api_key_id !== undefined && !key) {
      throw new ControlError(404, `no API key ${quoted(api_key_id)}: GET /_sandbox/api-keys lists them`);
    }
    if (key && named && key.companyPk !== named.pk) {
      throw new ControlError(400, `api_key_id: this key is of another company than ${company}`);
    }
    const environment = named?.environment ?? key?.environment;
    if (operation && environment && environmentOf[operation] && environmentOf[operation] !== environment) {
      throw new ControlError(400, `operation: ${operation} is never called by a ${environment} company`);
    }
    const most = limits.armedScenarios;
    const remedy = "disarm some (DELETE /_sandbox/armed/ID, or DELETE /_sandbox/armed?company=NAME)";
    const message = `a sandbox holds up to ${most} armed scenarios, including used-up ones: ${remedy}`;
    refuseOver(most, this.#scenarios.countArmed() + 1, message);
    const row = this.#scenarios.arm({
      scenario,
      companyPk: named?.pk ?? key?.companyPk ?? null,
      operation: operation ?? null,
      apiKeyPk: key?.pk ?? null,
      times: times ?? null,
    });
    return this.#listed(row);
  }

  /**
   * As `arm`, for whoever is in the same process.
   * @throws ControlError 400, 404
   */
  handle(name: string, asked?: Arming): ArmedScenario {
    const { id } = this.arm(name, asked);
    return {
      id,
      listing: () => this.byId(id),
      release: () => this.release(id).released,
      disarm: () => this.disarm(id),
    };
  }

  /**
   * What is armed: for one company, or at all.
   * @throws ControlError 404 where there is no such company
   */
  armed(asked: z.input<typeof armedQuery> = {}): ArmedListings {
    const armed = this.#rows(asked).map((row) => this.#listed(row));
    return { armed, never_fired: armed.filter(({ fired }) => fired === 0).map(({ id }) => id) };
  }

  /** What was armed since the sandbox was started and never fired, be it still armed or gone. */
  unfired(): UnusedScenario[] {
    return this.#scenarios.unfired
      .list()
      .map(({ scenario, company, operation, apiKeyId, times, armedAtMs }) => ({
        name: scenario,
        company,
        operation,
        api_key_id: apiKeyId,
        times,
        armed_at: new Date(armedAtMs).toISOString(),
      }));
  }

  /**
   * Lets go on what an armed scenario holds.
   * @throws ControlError 404 where there is none of that id
   */
  release(id: string): { readonly released: number } {
    return { released: this.#scenarios.waits.release(this.#byId(id).pk) };
  }

  /** @throws ControlError 404 where there is none of that id */
  disarm(id: string): void {
    this.#scenarios.disarm([this.#byId(id)]);
  }

  /**
   * Disarms what is armed for one company, or everything.
   * @throws ControlError 404 where there is no such company
   */
  disarmAll(asked: z.input<typeof armedQuery> = {}): void {
    this.#scenarios.disarm(this.#rows(asked));
  }

  /** @throws ControlError 404 where there is none of that id */
  byId(id: string): ArmedListing {
    return this.#listed(this.#byId(id));
  }

  #rows(asked: z.input<typeof armedQuery>): ArmedRow[] {
    const { company } = parsed(armedQuery, asked);
    const pk = company === undefined ? undefined : companyNamed(this.#database, company).pk;
    return this.#scenarios.armed().filter(({ companyPk }) => pk === undefined || companyPk === pk);
  }

  #byId(id: string): ArmedRow {
    const row = this.#scenarios.armedById(id);
    if (row) return row;
    throw new ControlError(404, `nothing armed as ${quoted(id)}: GET /_sandbox/armed lists what is`);
  }

  #listed(row: ArmedRow): ArmedListing {
    const { id, scenario, company, companyId, operation, apiKeyId, times, stepsTaken, fired } = row;
    return {
      id,
      name: scenario,
      known: this.#scenarios.catalogue.find(scenario) !== undefined,
      company,
      company_id: companyId,
      operation,
      api_key_id: apiKeyId,
      times,
      steps_taken: stepsTaken,
      fired,
      spent: this.#scenarios.isSpent(row),
      held: this.#scenarios.waits.heldBy(row.pk),
      armed_at: new Date(row.armedAtMs).toISOString(),
    };
  }
}
