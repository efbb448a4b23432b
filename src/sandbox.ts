import { CardExpiry } from "./cards/expire.ts";
import type { UnreadPointId } from "./contract/answers.ts";
import type { Environment } from "./contract/identifiers.ts";
import type { OnBehalfOfMode } from "./contract/operations.ts";
import { Gate } from "./control/admit.ts";
import { ApiKeys } from "./control/api-keys.ts";
import { createControl, isControl } from "./control/app.ts";
import { Cards } from "./control/cards.ts";
import { Companies, type NewCompany, type WorldQuery } from "./control/companies.ts";
import type { Guard } from "./control/guard.ts";
import { Invoices } from "./control/invoices.ts";
import { type IsolatedCompany, isolatedCompany } from "./control/isolated-company.ts";
import { parsed } from "./control/read-json.ts";
import { coverageFilter, findingsFilter, Requests } from "./control/requests.ts";
import { type ArmedScenario, ArmedScenarios, type Arming } from "./control/scenarios.ts";
import type { ControlServices } from "./control/services.ts";
import { Simulator } from "./control/simulator.ts";
import { SandboxState } from "./control/state.ts";
import { SandboxTime } from "./control/time.ts";
import { Webhooks } from "./control/webhooks.ts";
import type { createDashboard } from "./dashboard/app.ts";
import type { DashboardFiles } from "./dashboard/files.ts";
import { isDashboard } from "./dashboard/paths.ts";
import { createApp } from "./http/app.ts";
import { createDescription, type DocsFiles, isDescription } from "./http/description.ts";
import { GroupCommit } from "./http/group-commit.ts";
import type { Arrived, HttpServices } from "./http/http-services.ts";
import { asClientSees } from "./http/in-process.ts";
import { malformedRequest } from "./http/on-error.ts";
import { Coverage, type CoverageFilter, type CoverageReport } from "./journal/coverage.ts";
import { noMessages } from "./journal/exchange.ts";
import type { FindingsFilter, FindingsReport } from "./journal/findings/finding.ts";
import { Findings } from "./journal/findings/findings.ts";
import type { WebhookAttempt } from "./journal/findings/rule.ts";
import { Journal } from "./journal/journal.ts";
import { controlDefect, inTurn, type Observe } from "./journal/observe.ts";
import type { KeyQuota } from "./rules/api-key.ts";
import { type Overlay, plainOverlay } from "./rules/facts.ts";
import { hashOfSecret } from "./rules/random.ts";
import type { Catalogue } from "./scenarios/catalogue.ts";
import { Scenarios } from "./scenarios/scenarios.ts";
import type { Outgoing } from "./store/webhook-outbox.ts";
import type { WorldListing } from "./store/world-listing.ts";
import type { AttemptOutcome, Send } from "./webhooks/attempt.ts";
import { Deliverer } from "./webhooks/deliverer.ts";
import { openWorld, type SecretsMode, type WorldPorts } from "./world/open-world.ts";

export interface SandboxPorts extends WorldPorts {
  readonly version: string;
  /** Whether operations are served that the spec does not show; default true. */
  readonly assumed?: boolean | undefined;
  readonly onBehalfOf?: OnBehalfOfMode | undefined;
  readonly sandboxHeaders?: boolean | undefined;
  readonly keyQuota?: KeyQuota | undefined;
  /** The scenarios there are. */
  readonly scenarios: Catalogue;
  /** The scenario that is armed for all from the start. */
  readonly scenario?: string | undefined;
  /** What a request believes on which nothing is forced; default: the world as it is. */
  readonly overlayOf?: (() => Overlay) | undefined;
  /** Told of each answer, and of what the sandbox's own API did wrong. */
  readonly observe?: Observe | undefined;
  /** How many requests the journal keeps; default 1000. */
  readonly journal?: number | undefined;
  /** The most bytes of memory that these may use; default 64 MiB. */
  readonly journalBytes?: number | undefined;
  /** Sends what webhooks are told; default: the global `fetch`. */
  readonly deliver?: Send | undefined;
  /** The hosts beside this machine to which webhooks may be sent; default none. */
  readonly allowWebhookHosts?: readonly string[] | undefined;
  /** Reads the files that the dashboard's pages are shown with; without, they are shown plain. */
  readonly dashboardFiles?: DashboardFiles | undefined;
  /** Reads the files of the API reference under `/docs`; without, it says that they are not there. */
  readonly docsFiles?: DocsFiles | undefined;
}

const usualJournal = 1000;

/** Answers requests as `fetch` does. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/** Answers what came in on a base address; at once where nothing has to be waited for. */
export type Serve = (request: Request, arrived?: Arrived) => Promise<Response> | Response;

/** What one base address serves. */
export interface Face {
  /** Both: both token endpoints, and the token decides the environment. One: that one's alone. */
  readonly environments: readonly Environment[];
  /** Who may use the sandbox's own API; absent: it is not there. */
  readonly control: Guard | undefined;
  /** The port of the live base address where that is another one, for the dashboard to name it. */
  readonly livePort?: number | undefined;
}

/** A card service of its own: a world, a clock, and the face that callers see. */
export interface Sandbox {
  /** The whole service on one origin, with the sandbox's own API open to the process. */
  readonly fetch: Fetch;
  /** The service as a base address shows it. */
  serve(face: Face): Serve;
  /** Whether API keys, access tokens and webhook secrets derive from the seed alone; stored in the database. */
  readonly secrets: SecretsMode;
  /** Begins to serve requests that came together, and keeps together what they change at once. */
  together(work: () => void): void;
  /** The response to a request that cannot be read: by default 400, with the point's title as its message. */
  malformed(point?: UnreadPointId, message?: string): Response;
  /** Companies with their members, keys and accounts, as `GET /_sandbox/world` lists them: at most 500 at once. */
  world(query?: WorldQuery): WorldListing;
  /** The sandbox's time, and each company's. */
  readonly clock: SandboxTime;
  /** Puts everything back as freshly started, or one company alone, named by its id or slug. */
  reset(company?: string): void;
  /** Keeps the whole world under a name, in place of what the name kept before. */
  snapshot(name: string): void;
  /** Puts the whole world back as it was kept. */
  restore(name: string): void;
  /** The latest requests of the service and what became of them, as `GET /_sandbox/requests` lists them. */
  readonly requests: Requests;
  /** Which contract points requests have met, as `GET /_sandbox/coverage` tells it. */
  coverage(filter?: CoverageFilter): CoverageReport;
  /** What the client did wrong, as `GET /_sandbox/findings` tells it. */
  findings(filter?: FindingsFilter): FindingsReport;
  /** What webhooks were told, and a promise for when they have been told all that is due. */
  readonly webhooks: Webhooks;
  /** The sandbox's own API without HTTP: the same operations, with the same errors. */
  readonly control: Control;
  /** Arms a scenario: for a company, for all, for so many runs. */
  scenario(name: string, options?: Arming): ArmedScenario;
  /** Makes a company for one test, `{}` unless said otherwise: nothing that is done with it disturbs another. */
  isolatedCompany(wanted?: NewCompany): Promise<IsolatedCompany>;
  /** Lets everything go on that a scenario slows or holds, and ends the streams of requests. */
  drain(): void;
  /** As `drain`, but whatever waits loses its connection: nothing of the sandbox may be used after. */
  abandon(): void;
}

/** The operations under `/_sandbox` that the sandbox itself does not name. */
export type Control = Pick<
  ControlServices,
  "companies" | "cards" | "apiKeys" | "invoices" | "simulator" | "scenarios" | "state"
>;

/**
 * Wires a sandbox out of its ports.
 * @throws SetupError where the database says otherwise than what is asked, or the scenario is unknown
 */
export function wireSandbox(ports: SandboxPorts): Sandbox {
  const { database, version } = ports;
  const { seed, secrets, services, clock } = openWorld(ports);
  const scenarios = new Scenarios(services, ports.scenarios, ports.scenario);
  database.transaction(() => scenarios.armFromStart());
  const onDefect = (defect: Error, method: string, path: string) =>
    ports.observe?.(controlDefect(defect, method, path, clock.now()), noMessages);
  const findings = new Findings({
    holderOf: (secret) => services.store.apiKeys.byHash(hashOfSecret(secret))?.caller,
    generationOf: (companyPk) => services.generations.of(companyPk),
    armingsOf: (companyPk) => scenarios.armings.of(companyPk),
    moment: () => ({ nowMs: clock.now(), realMs: clock.ticks() }),
    onDefect: (defect, at) => onDefect(defect, at?.method ?? "GET", at?.path ?? "/_sandbox/findings"),
  });
  const webhookHosts = (ports.allowWebhookHosts ?? []).map((host) => host.toLowerCase());
  const deliverer = new Deliverer(
    services,
    clock,
    {
      // Looked up at each call: a test may replace it.
      send: ports.deliver ?? ((url, init) => fetch(url, init)),
      clock: ports.clock,
      allowedHosts: webhookHosts,
      userAgent: `card-sandbox/${version}`,
    },
    {
      onAttempt: (outgoing, outcome) => findings.attempted(attemptOf(outgoing, outcome)),
      onDefect: (defect) => onDefect(defect, "GET", "/_sandbox/webhooks/deliveries"),
    },
  );
  const expiry = new CardExpiry(services, clock, (defect) =>
    onDefect(defect, "GET", "/_sandbox/webhooks/deliveries"),
  );
  const webhooks = new Webhooks(database, {
    settled: () => expiry.settled().then(() => deliverer.settled()),
  });
  const time = new SandboxTime(database, clock, () => {
    expiry.run();
    services.outbox.stir();
  });
  const state = new SandboxState(services, clock, scenarios);
  const armed = new ArmedScenarios(database, scenarios);
  const journal = new Journal(ports.journal ?? usualJournal, ports.journalBytes);
  const coverage = new Coverage();
  const requests = new Requests(journal, coverage, findings);
  const keyQuota = ports.keyQuota ?? "company";
  const own: ControlServices = {
    companies: new Companies(services, keyQuota),
    cards: new Cards(services),
    apiKeys: new ApiKeys(services, keyQuota),
    invoices: new Invoices(services),
    simulator: new Simulator(services),
    scenarios: armed,
    time,
    state,
    webhooks,
    journal,
    requests,
    coverage,
    findings,
    clock: ports.clock,
    seed,
    version,
    onDefect,
  };
  const groupCommit = new GroupCommit(database, () => scenarios.countAgain());
  /** When what is served together came: no request of these waited for the answer to another. */
  let cameAt: number | undefined;
  const faceOf = (served: readonly Environment[]): HttpServices => ({
    ...services,
    served,
    assumed: ports.assumed ?? true,
    onBehalfOf: ports.onBehalfOf ?? "optional",
    webhookHosts,
    sandboxHeaders: ports.sandboxHeaders ?? true,
    scenarios,
    groupCommit,
    overlayOf: ports.overlayOf ?? (() => plainOverlay),
    observe: inTurn((exchange, messages) => {
      const id = journal.record(exchange, messages);
      coverage.record(exchange, id);
      findings.record(exchange, messages, id);
    }, ports.observe),
  });
  const ownApiOf = (guard: Guard, { environments, livePort }: Face) => {
    const gate = new Gate(guard, ports.clock, ports.drawSecret);
    const api = createControl(own, gate);
    let dashboard: Promise<ReturnType<typeof createDashboard>> | undefined;
    return async (request: Request, path: number): Promise<Response> => {
      // What it changes is a matter of its own, and no request's that came with it.
      await undefined;
      const { method, url } = request;
      // Hono keeps handlers by method in plain objects, and would write into the prototype of every object.
      if (method in Object.prototype)
        return Response.json({ error: `${method} is no method` }, { status: 400 });
      if (!isDashboard(url, path)) return api.fetch(request);
      const onBehalfOfRequired = ports.onBehalfOf === "required";
      // Loaded when somebody first looks: no start has to wait for it.
      dashboard ??= import("./dashboard/app.ts").then(({ createDashboard }) =>
        createDashboard({ ...own, environments, livePort, onBehalfOfRequired }, gate, ports.dashboardFiles),
      );
      return (await dashboard).fetch(request);
    };
  };
  const serve = (face: Face): Serve => {
    const { environments, control } = face;
    const service = createApp(faceOf(environments));
    // Apart from the service, so that its many paths cost no request of the service anything.
    const ownApi = control && ownApiOf(control, face);
    const description = createDescription({
      environments,
      onBehalfOf: ports.onBehalfOf ?? "optional",
      version,
      files: ports.docsFiles,
    });
    return (request, arrived) => {
      const { url } = request;
      const path = url.indexOf("/", url.indexOf("://") + 3);
      const own =
        ownApi && isControl(url, path) ? ownApi : isDescription(url, path) ? description : undefined;
      // A host such as 127.0.0.256 came this far: only these look at it, and pay for that.
      if (own) return URL.canParse(url) ? own(request, path) : malformedRequest(faceOf([]));
      return service.fetch(request, { startedAt: cameAt ?? clock.ticks(), arrived });
    };
  };
  const whole = serve({ environments: ["sandbox", "live"], control: { kind: "open" } });
  return {
    fetch: (input, init) => {
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      return asClientSees(request, whole, clock);
    },
    serve,
    secrets,
    together: (work) => {
      cameAt = clock.ticks();
      try {
        groupCommit.run(work);
      } finally {
        cameAt = undefined;
      }
    },
    malformed: (point, message) => malformedRequest(faceOf([]), point, message),
    world: (query) => own.companies.world(query),
    clock: time,
    control: {
      companies: own.companies,
      cards: own.cards,
      apiKeys: own.apiKeys,
      simulator: own.simulator,
      invoices: own.invoices,
      scenarios: armed,
      state,
    },
    reset: (company) => (company === undefined ? state.reset() : state.resetCompany(company)),
    snapshot: (name) => void state.snapshot({ name }),
    restore: (name) => state.restore(name),
    scenario: (name, options) => armed.handle(name, options),
    isolatedCompany: (wanted) => isolatedCompany(own, wanted),
    requests,
    coverage: (filter = {}) => coverage.report(parsed(coverageFilter, filter)),
    findings: (filter = {}) => findings.report(parsed(findingsFilter, filter)),
    webhooks,
    drain: () => {
      scenarios.waits.drain();
      journal.end();
    },
    abandon: () => {
      scenarios.waits.abandon();
      deliverer.close();
      expiry.close();
      journal.end();
    },
  };
}

function attemptOf(outgoing: Outgoing, outcome: AttemptOutcome): WebhookAttempt {
  const { companyId, companySlug, environment, webhookId, id: deliveryId, url, faults, tries } = outgoing;
  const forced = tries === 0 && Object.keys(faults).length > 0;
  const invalid = faults.badSignature ? "signature" : faults.stale ? "timestamp" : undefined;
  const broken = forced ? invalid : undefined;
  const company = { companyId, companySlug, environment };
  return { ...outcome, company, webhookId, deliveryId, url, forced, broken };
}
