import { type Context, Hono } from "hono";
import { contractPoints } from "../contract/points.ts";
import type { Coverage } from "../journal/coverage.ts";
import type { Findings } from "../journal/findings/findings.ts";
import type { Journal } from "../journal/journal.ts";
import type { Records } from "../journal/records.ts";
import { type KeyQuota, maskSecrets } from "../rules/api-key.ts";
import type { Clock } from "../rules/clock.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import type { OpenWorld } from "../world/open-world.ts";
import { ApiKeys, apiKeyRoutes } from "./api-keys.ts";
import { Cards, cardRoutes } from "./cards.ts";
import { clockRoutes, SandboxTime } from "./clock.ts";
import { Companies, companyRoutes } from "./companies.ts";
import { ControlError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import { reportRoutes, Webhooks } from "./reports.ts";
import { Requests, requestRoutes } from "./requests.ts";
import { ArmedScenarios, scenarioRoutes } from "./scenarios.ts";
import { Invoices, Simulator, simulatorRoutes } from "./simulator.ts";
import { SandboxState, stateRoutes } from "./state.ts";

/** What the control API and the dashboard work with. */
export interface ControlServices {
  readonly companies: Companies;
  readonly cards: Cards;
  readonly apiKeys: ApiKeys;
  readonly invoices: Invoices;
  readonly simulator: Simulator;
  readonly scenarios: ArmedScenarios;
  readonly time: SandboxTime;
  readonly state: SandboxState;
  readonly webhooks: Webhooks;
  readonly journal: Journal;
  readonly requests: Requests;
  readonly coverage: Coverage;
  readonly findings: Findings;
  readonly clock: Clock;
  readonly seed: number;
  readonly version: string;
  /** Called for unexpected errors. */
  readonly onDefect: (defect: Error, method: string, path: string) => void;
}

interface ControlParts {
  readonly ports: {
    /** Real time. */
    readonly clock: Clock;
    readonly keyQuota?: KeyQuota | undefined;
    readonly version: string;
  };
  readonly world: Pick<OpenWorld, "services" | "clock" | "seed">;
  readonly scenarios: Scenarios;
  readonly records: Records;
  readonly delivery: {
    /** Called after the clock was moved. */
    clockMoved(): void;
    /** Resolves when everything that is due has been attempted. */
    settled(): Promise<void>;
  };
  readonly onDefect: ControlServices["onDefect"];
}

export function openControl(parts: ControlParts): ControlServices {
  const { ports, world, scenarios, records, delivery, onDefect } = parts;
  const { services, clock, seed } = world;
  const { database } = services;
  const keyQuota = ports.keyQuota ?? "company";
  const { journal, coverage, findings } = records;
  return {
    companies: new Companies(services, keyQuota),
    cards: new Cards(services),
    apiKeys: new ApiKeys(services, keyQuota),
    invoices: new Invoices(services),
    simulator: new Simulator(services),
    scenarios: new ArmedScenarios(database, scenarios),
    time: new SandboxTime(database, clock, delivery.clockMoved),
    state: new SandboxState(services, clock, scenarios),
    webhooks: new Webhooks(database, delivery),
    journal,
    requests: new Requests(journal, coverage, findings),
    coverage,
    findings,
    clock: ports.clock,
    seed,
    version: ports.version,
    onDefect,
  };
}

/** The response of `GET /_sandbox`. */
const contents = {
  dashboard: "/_sandbox/ui",
  health: "/_sandbox/health",
  world: "/_sandbox/world",
  scenarios: "/_sandbox/scenarios",
  contract: "/_sandbox/contract",
  requests: "/_sandbox/requests",
  coverage: "/_sandbox/coverage",
  findings: "/_sandbox/findings",
  description: "/openapi.json",
  reference: "/docs",
};

/**
 * The control API under `/_sandbox`: JSON in and out, errors as `{error}`.
 * @internal
 */
export function createControl(services: ControlServices, gate: Gate): Hono {
  const { time, version, seed } = services;
  const control = new Hono().basePath("/_sandbox");
  control.onError((error, c) => errorResponse(services, error, c));
  control.use("/*", async (c, next) => {
    await next();
    c.res.headers.set("Date", new Date(time.read().now).toUTCString());
  });
  control.use("/*", gate.guarded);

  control.get("/", (c) => {
    const isBrowser = c.req.header("Accept")?.includes("text/html") ?? false;
    return isBrowser ? c.redirect(contents.dashboard, 303) : c.json(contents);
  });
  control.get("/health", async (c) => {
    const health = { status: "ok", version, now: time.read().now };
    // Reproducible secrets can be computed from the seed.
    return c.json((await gate.isAdmitted(c)) ? { ...health, seed } : health);
  });
  control.get("/contract", (c) =>
    c.json({ points: Object.entries(contractPoints).map(([id, point]) => ({ id, ...point })) }),
  );
  control.route("/", companyRoutes(services.companies));
  control.route("/", cardRoutes(services.cards));
  control.route("/", apiKeyRoutes(services.apiKeys));
  control.route("/", simulatorRoutes(services.simulator, services.invoices));
  control.route("/", scenarioRoutes(services.scenarios));
  control.route("/", clockRoutes(time));
  control.route("/", stateRoutes(services.state, time));
  control.route("/", reportRoutes(services.coverage, services.findings, services.webhooks));
  control.route("/", requestRoutes(services.requests, services.journal, services.clock, gate));

  control.all("/*", (c) => {
    throw new ControlError(
      404,
      `the sandbox's own API has no ${c.req.method} ${maskSecrets(c.req.path)}: GET /_sandbox tells where to begin`,
    );
  });
  return control;
}

function errorResponse(services: ControlServices, error: Error, c: Context): Response {
  if (error instanceof ControlError) return c.json({ error: error.message }, error.status);
  services.onDefect(error, c.req.method, c.req.path);
  if (error instanceof DatabaseUnusable) return c.json({ error: `${error.message}. ${error.outcome}` }, 503);
  return c.json({ error: "the sandbox itself failed" }, 500);
}
