import { Hono } from "hono";
import * as z from "zod";
import type { Environment } from "../contract/identifiers.ts";
import { type OperationId, operationIds } from "../contract/operations.ts";
import type { UnusedScenario } from "../journal/suite.ts";
import { quoted } from "../rules/errors.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { findKey } from "../store/api-keys.ts";
import type { ArmedRow } from "../store/armed-scenarios.ts";
import type { Database } from "../store/database.ts";
import { ControlError, limits, refuseOver } from "./errors.ts";
import { parse, readJson, readQuery } from "./input.ts";
import { optionalCompanyPk, requireCompany } from "./lookup.ts";

/** The requests on which an armed scenario fires; by default those of all companies. */
const arming = z.strictObject({
  company: z.string().optional(),
  /** How many times it runs through its steps; default: until it is disarmed. */
  times: z.int().min(1).optional(),
  /** Instead of the operations that the scenario names. */
  operation: z.enum(operationIds, { error: `must be one of ${operationIds.join(", ")}` }).optional(),
  /** Only for requests made with this API key. */
  api_key_id: z.string().optional(),
});
export type Arming = z.input<typeof arming>;

const armedQuery = z.strictObject({ company: z.string().optional() });

/** Operations that only companies of one environment call. */
const environmentOf: Readonly<Partial<Record<OperationId, Environment>>> = {
  exchangeSandboxKey: "sandbox",
  exchangeLiveKey: "live",
};

/** An armed scenario. */
export interface ArmedListing {
  readonly id: string;
  readonly name: string;
  /** False if no scenario file defines it any more: it forces nothing. */
  readonly known: boolean;
  /** A slug or `live/SLUG`; null: armed for all companies. */
  readonly company: string | null;
  readonly company_id: string | null;
  readonly operation: string | null;
  readonly api_key_id: string | null;
  readonly times: number | null;
  readonly steps_taken: number;
  /** The number of requests that it changed. */
  readonly fired: number;
  /** Whether its `times` are used up. */
  readonly spent: boolean;
  /** The number of requests that it holds until they are released. */
  readonly held: number;
  /** By the sandbox's clock. */
  readonly armed_at: string;
}

/** Armed scenarios in the order in which they were armed, and the ids of those that never fired. */
export interface ArmedListings {
  readonly armed: readonly ArmedListing[];
  readonly never_fired: readonly string[];
}

/** A scenario that was armed in this process. */
export interface ArmedScenario {
  readonly id: string;
  /** Its current state, as in `GET /_sandbox/armed`. */
  listing(): ArmedListing;
  /** Releases the requests that it holds, and returns their number. */
  release(): number;
  disarm(): void;
}

/** Arms, lists and disarms scenarios. */
export class ArmedScenarios {
  readonly #database: Database;
  readonly #scenarios: Scenarios;

  constructor(database: Database, scenarios: Scenarios) {
    this.#database = database;
    this.#scenarios = scenarios;
  }

  /** Every scenario of the catalogue. */
  all(): readonly Scenario[] {
    return this.#scenarios.catalogue.all;
  }

  arm(name: string, input: Arming = {}): ArmedListing {
    const options = parse(arming, input);
    const scenario = this.#named(name, options.operation);
    const { companyPk, apiKeyPk } = this.#target(options);
    const most = limits.armedScenarios;
    const remedy = "disarm some (DELETE /_sandbox/armed/ID, or DELETE /_sandbox/armed?company=NAME)";
    const message = `a sandbox holds up to ${most} armed scenarios, including used-up ones: ${remedy}`;
    refuseOver(most, this.#scenarios.countArmed() + 1, message);
    const { operation = null, times = null } = options;
    return this.#listed(this.#scenarios.arm({ scenario, companyPk, operation, apiKeyPk, times }));
  }

  /** The scenario with this name, which has to fit the operation. */
  #named(name: string, operation: OperationId | undefined): Scenario {
    // JavaScript callers can omit the name, or pass the options alone.
    if (typeof name !== "string") {
      throw new ControlError(
        400,
        'name the scenario: scenario("quota-reached"); GET /_sandbox/scenarios lists them all',
      );
    }
    const { catalogue } = this.#scenarios;
    const scenario = catalogue.named(name);
    if ("message" in scenario) {
      throw new ControlError(400, `${scenario.message} GET /_sandbox/scenarios lists them all`);
    }
    const misfit = operation && catalogue.misfit(scenario, operation);
    if (misfit) throw new ControlError(400, `operation: ${misfit}`);
    return scenario;
  }

  /** The company and the key whose requests it fires on. */
  #target({ company: name, operation, api_key_id }: Arming) {
    const company = name === undefined ? undefined : requireCompany(this.#database, name);
    const key = api_key_id === undefined ? undefined : findKey(this.#database, api_key_id);
    if (api_key_id !== undefined && !key) {
      throw new ControlError(404, `no API key ${quoted(api_key_id)}: GET /_sandbox/api-keys lists them`);
    }
    if (key && company && key.companyPk !== company.pk) {
      throw new ControlError(400, `api_key_id: this key is of another company than ${name}`);
    }
    const environment = company?.environment ?? key?.environment;
    if (operation && environment && environmentOf[operation] && environmentOf[operation] !== environment) {
      throw new ControlError(400, `operation: ${operation} is never called by a ${environment} company`);
    }
    return { companyPk: company?.pk ?? key?.companyPk ?? null, apiKeyPk: key?.pk ?? null };
  }

  /** As `arm`, for callers in the same process. */
  handle(name: string, options?: Arming): ArmedScenario {
    const { id } = this.arm(name, options);
    return {
      id,
      listing: () => this.byId(id),
      release: () => this.release(id).released,
      disarm: () => this.disarm(id),
    };
  }

  /** Lists what is armed for one company, or everything. */
  armed(query: z.input<typeof armedQuery> = {}): ArmedListings {
    const armed = this.#rows(query).map((row) => this.#listed(row));
    return { armed, never_fired: armed.filter(({ fired }) => fired === 0).map(({ id }) => id) };
  }

  /** Lists scenarios that were armed since the sandbox started and never fired, including disarmed ones. */
  unfired(): UnusedScenario[] {
    return this.#scenarios.unused
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

  /** Releases the requests that an armed scenario holds. */
  release(id: string): { readonly released: number } {
    return { released: this.#scenarios.waiting.release(this.#byId(id).pk) };
  }

  disarm(id: string): void {
    this.#scenarios.disarm([this.#byId(id)]);
  }

  /** Disarms what is armed for one company, or everything. */
  disarmAll(query: z.input<typeof armedQuery> = {}): void {
    this.#scenarios.disarm(this.#rows(query));
  }

  byId(id: string): ArmedListing {
    return this.#listed(this.#byId(id));
  }

  #rows(query: z.input<typeof armedQuery>): ArmedRow[] {
    const pk = optionalCompanyPk(this.#database, parse(armedQuery, query).company);
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
      held: this.#scenarios.waiting.countHeldBy(row.pk),
      armed_at: new Date(row.armedAtMs).toISOString(),
    };
  }
}

/** @internal */
export function scenarioRoutes(scenarios: ArmedScenarios): Hono {
  const routes = new Hono();
  routes.get("/scenarios", (c) => c.json({ scenarios: scenarios.all() }));
  routes.post("/scenarios/:name/arm", async (c) =>
    c.json(scenarios.arm(c.req.param("name"), await readJson(c)), 201),
  );
  routes.get("/unfired", (c) => c.json({ unfired: scenarios.unfired() }));
  routes.get("/armed", (c) => c.json(scenarios.armed(readQuery(c, armedQuery))));
  routes.delete("/armed", (c) => {
    scenarios.disarmAll(readQuery(c, armedQuery));
    return c.body(null, 204);
  });
  routes.get("/armed/:id", (c) => c.json(scenarios.byId(c.req.param("id"))));
  routes.delete("/armed/:id", (c) => {
    scenarios.disarm(c.req.param("id"));
    return c.body(null, 204);
  });
  routes.post("/armed/:id/release", (c) => c.json(scenarios.release(c.req.param("id"))));
  return routes;
}
