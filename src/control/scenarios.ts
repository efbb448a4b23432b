import * as z from "zod";
import type { Environment } from "../contract/identifiers.ts";
import { type OperationId, operationIds } from "../contract/operations.ts";
import type { UnusedScenario } from "../journal/suite.ts";
import { quoted } from "../rules/errors.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import { duration, retryAfter, type Scenario } from "../scenarios/scenario.ts";
import type { AnyScenarioName } from "../scenarios/shipped.ts";
import { hasWait, waitNames } from "../scenarios/step.ts";
import { findKey } from "../store/api-keys.ts";
import type { ArmedRow, Waits } from "../store/armed-scenarios.ts";
import type { Database } from "../store/database.ts";
import { ControlError, limits, refuseOver } from "./errors.ts";
import { flag, parse, readJson, readQuery } from "./input.ts";
import { optionalCompanyPk, requireCompany } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

/** The requests on which an armed scenario fires; by default those of all companies. */
export const arming = z.lazy(() =>
  z.strictObject({
    company: z.string().optional(),
    /** How many times it runs through its steps; default: until it is disarmed. */
    times: z.int().min(1).optional(),
    /** Instead of the operations that the scenario names. */
    operation: z.enum(operationIds).optional(),
    /** Only for requests made with this API key. */
    api_key_id: z.string().optional(),
    /** The Retry-After header of its rate limit, in seconds, instead of that in its file. */
    retry_after_s: retryAfter().optional(),
    /** Each of its delays, in milliseconds, instead of those in its file. */
    latency_ms: duration().optional(),
    /** How long it holds a request at most, in milliseconds, instead of the time in its file. */
    hold_ms: duration().optional(),
  }),
);
export type Arming = z.input<typeof arming>;

export const armedQuery = z.lazy(() => z.strictObject({ company: z.string().optional() }));

/** Which armed scenarios to disarm, for callers in the same process. */
const disarmFilter = z.lazy(() =>
  z.strictObject({
    company: z.string().optional(),
    finished: z.boolean("must be true or false").optional(),
  }),
);

export const disarmQuery = z.lazy(() => z.strictObject({ company: z.string().optional(), finished: flag() }));

/** Operations that only companies of one environment call. */
const environmentOf: Readonly<Partial<Record<OperationId, Environment>>> = {
  exchangeSandboxKey: "sandbox",
  exchangeLiveKey: "live",
};

/** The fault that has each waiting time. */
const faultOf: Readonly<Record<keyof Waits, string>> = {
  retry_after_s: "rate limit",
  latency_ms: "latency",
  hold_ms: "hold",
};

/** An armed scenario. */
export interface ArmedListing {
  readonly id: string;
  readonly name: AnyScenarioName;
  /** False if no scenario file defines it any more: it forces nothing. */
  readonly known: boolean;
  /** A slug or `live/SLUG`; null: armed for all companies. */
  readonly company: string | null;
  readonly company_id: string | null;
  readonly operation: string | null;
  readonly api_key_id: string | null;
  readonly times: number | null;
  /** The waiting times that it was armed with; null: as in its file. */
  readonly retry_after_s: number | null;
  readonly latency_ms: number | null;
  readonly hold_ms: number | null;
  readonly steps_taken: number;
  /** The number of requests on which it fired. */
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
  readonly unused: readonly string[];
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

  arm(name: AnyScenarioName, input: Arming = {}): ArmedListing {
    const options = parse(arming, input);
    const scenario = this.#named(name, options.operation);
    this.#refuseUselessWaits(scenario, options);
    const { companyPk, apiKeyPk } = this.#target(options);
    const most = limits.armedScenarios;
    const remedy = "Disarm some with DELETE /_sandbox/armed/ID or DELETE /_sandbox/armed?company=NAME";
    const message = `at most ${most} scenarios can be armed; used-up scenarios count until they are disarmed. ${remedy}.`;
    refuseOver(most, this.#scenarios.countArmed() + 1, message);
    const {
      operation = null,
      times = null,
      retry_after_s = null,
      latency_ms = null,
      hold_ms = null,
    } = options;
    const waits = { retry_after_s, latency_ms, hold_ms };
    return this.#listed(this.#scenarios.arm({ scenario, companyPk, operation, apiKeyPk, times, ...waits }));
  }

  /** @throws ControlError 400 if the scenario has no fault with such a waiting time */
  #refuseUselessWaits(scenario: Scenario, options: Arming): void {
    const { name, on } = scenario;
    const { operation } = options;
    for (const wait of waitNames) {
      if (options[wait] === undefined || hasWait(scenario, wait, operation ? [operation] : on)) continue;
      const where = operation ? ` on ${operation}` : "";
      const others = this.all().filter((each) => hasWait(each, wait, each.on));
      const names = others.map((each) => each.name).join(", ");
      throw new ControlError(
        400,
        `${wait}: ${name} has no ${faultOf[wait]}${where}. Omit ${wait}, or arm a scenario that has one: ${names}.`,
      );
    }
  }

  /** The scenario with this name, which has to fit the operation. */
  #named(name: string, operation: OperationId | undefined): Scenario {
    // JavaScript callers can omit the name, or pass the options alone.
    if (typeof name !== "string") {
      const usage = 'must be the name of a scenario, such as "quota-reached"';
      throw new ControlError(400, `scenario: ${usage}. GET /_sandbox/scenarios lists all scenarios.`);
    }
    const { catalogue } = this.#scenarios;
    const scenario = catalogue.named(name);
    if ("message" in scenario) {
      throw new ControlError(400, `${scenario.message} GET /_sandbox/scenarios lists all scenarios.`);
    }
    const reason = operation && catalogue.whyNotOn(scenario, operation);
    if (reason) throw new ControlError(400, `operation: ${reason}`);
    return scenario;
  }

  /** The company and the key whose requests it fires on. */
  #target({ company: name, operation, api_key_id }: Arming) {
    const company = name === undefined ? undefined : requireCompany(this.#database, name);
    const key = api_key_id === undefined ? undefined : findKey(this.#database, api_key_id);
    if (api_key_id !== undefined && !key) {
      throw new ControlError(
        404,
        `api_key_id: no API key has the id ${quoted(api_key_id)}. GET /_sandbox/api-keys lists all API keys.`,
      );
    }
    if (key && company && key.companyPk !== company.pk) {
      throw new ControlError(
        400,
        `api_key_id: the API key does not belong to ${name}. Omit company, or use another key.`,
      );
    }
    const environment = company?.environment ?? key?.environment;
    if (operation && environment && environmentOf[operation] && environmentOf[operation] !== environment) {
      throw new ControlError(
        400,
        `operation: must not be ${operation}, because companies of the ${environment} environment cannot call it`,
      );
    }
    return { companyPk: company?.pk ?? key?.companyPk ?? null, apiKeyPk: key?.pk ?? null };
  }

  /** As `arm`, for callers in the same process. */
  handle(name: AnyScenarioName, options?: Arming): ArmedScenario {
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
    return { armed, unused: armed.filter(({ fired }) => fired === 0).map(({ id }) => id) };
  }

  /** Lists scenarios that were armed since the sandbox started and never fired, including disarmed ones. */
  unused(): UnusedScenario[] {
    return this.#scenarios.unused
      .list()
      .map(({ scenario, company, operation, apiKeyId, times, armedAtMs, fromStart }) => ({
        name: scenario,
        company,
        operation,
        api_key_id: apiKeyId,
        times,
        armed_at: new Date(armedAtMs).toISOString(),
        from_start: fromStart === 1,
      }));
  }

  /** Releases the requests that an armed scenario holds. */
  release(id: string): { readonly released: number } {
    return { released: this.#scenarios.waiting.release(this.#byId(id).pk) };
  }

  /**
   * Releases all requests that a scenario delays or holds. From now on, none waits.
   * @internal
   */
  drain(): void {
    this.#scenarios.waiting.endAll();
  }

  disarm(id: string): void {
    this.#scenarios.disarm([this.#byId(id)]);
  }

  /** Disarms what is armed for one company, or everything; with `finished`, only what has used up its `times`. */
  disarmAll(filter: z.input<typeof disarmFilter> = {}): void {
    const { finished, ...query } = parse(disarmFilter, filter);
    const rows = this.#rows(query);
    this.#scenarios.disarm(finished ? rows.filter((row) => this.#scenarios.isSpent(row)) : rows);
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
    throw new ControlError(
      404,
      `id: no armed scenario has the id ${quoted(id)}. GET /_sandbox/armed lists all armed scenarios.`,
    );
  }

  #listed(row: ArmedRow): ArmedListing {
    const { id, scenario, company, companyId, operation, apiKeyId, times, stepsTaken, fired } = row;
    const { retry_after_s, latency_ms, hold_ms } = row;
    return {
      id,
      name: scenario,
      known: this.#scenarios.catalogue.find(scenario) !== undefined,
      company,
      company_id: companyId,
      operation,
      api_key_id: apiKeyId,
      times,
      retry_after_s,
      latency_ms,
      hold_ms,
      steps_taken: stepsTaken,
      fired,
      spent: this.#scenarios.isSpent(row),
      held: this.#scenarios.waiting.countHeldBy(row.pk),
      armed_at: new Date(row.armedAtMs).toISOString(),
    };
  }
}

/** @internal */
export function scenarioHandlers(scenarios: ArmedScenarios): ControlHandlers<ScenarioOperation> {
  return {
    listScenarios: (c) => c.json({ scenarios: scenarios.all() }),
    armScenario: async (c) => c.json(scenarios.arm(c.req.param("name"), await readJson(c)), 201),
    listUnusedScenarios: (c) => c.json({ unused_scenarios: scenarios.unused() }),
    listArmedScenarios: (c) => c.json(scenarios.armed(readQuery(c, armedQuery))),
    disarmScenarios: (c) => {
      scenarios.disarmAll(readQuery(c, disarmQuery));
      return c.body(null, 204);
    },
    getArmedScenario: (c) => c.json(scenarios.byId(c.req.param("id"))),
    disarmScenario: (c) => {
      scenarios.disarm(c.req.param("id"));
      return c.body(null, 204);
    },
    releaseRequests: (c) => c.json(scenarios.release(c.req.param("id"))),
  };
}

type ScenarioOperation =
  | "listScenarios"
  | "armScenario"
  | "listUnusedScenarios"
  | "listArmedScenarios"
  | "disarmScenarios"
  | "getArmedScenario"
  | "disarmScenario"
  | "releaseRequests";
