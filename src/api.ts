import type { Environment } from "./contract/identifiers.ts";
import type { UnreadPointId } from "./contract/responses.ts";
import type { SandboxTime } from "./control/clock.ts";
import type { WorldQuery } from "./control/companies.ts";
import type { NewCompany } from "./control/create-company.ts";
import type { Guard } from "./control/gate.ts";
import type { IsolatedCompany } from "./control/isolated-company.ts";
import type { Replay } from "./control/replay.ts";
import type { Requests } from "./control/requests.ts";
import type { ArmedScenario, Arming } from "./control/scenarios.ts";
import type { ControlServices } from "./control/services.ts";
import type { TapeRecorder } from "./control/tape.ts";
import type { Webhooks } from "./control/webhooks.ts";
import type { DashboardFiles } from "./dashboard/app.ts";
import type { DocsFiles } from "./http/description.ts";
import type { App, MakeObserver } from "./http/observer.ts";
import type { Arrived } from "./http/read-body.ts";
import type { CoverageFilter, CoverageReport } from "./journal/coverage.ts";
import type { Observe } from "./journal/exchange.ts";
import type { FindingsFilter, FindingsReport } from "./journal/findings/finding.ts";
import type { Journal } from "./journal/journal.ts";
import type { RunReport } from "./journal/suite.ts";
import type { Overlay } from "./rules/overlay.ts";
import type { Services } from "./runtime/services.ts";
import type { Catalogue } from "./scenarios/catalogue.ts";
import type { AnyScenarioName } from "./scenarios/shipped.ts";
import type { WorldListing } from "./store/world-listing.ts";
import type { Send, SendMessage } from "./webhooks/attempt.ts";
import type { SecretsMode, WorldPorts } from "./world/open-world.ts";

/** The options of a sandbox, and the parts that depend on the platform. */
export interface SandboxPorts extends WorldPorts {
  /** The version that `GET /_sandbox/health` reports. */
  readonly version: string;
  /** Whether to serve operations that the spec does not describe; otherwise they return 501. Default true. */
  readonly assumed?: boolean | undefined;
  /** Whether responses have `Sandbox-…` headers; default true. */
  readonly sandboxHeaders?: boolean | undefined;
  /** The available scenarios. */
  readonly scenarios: Catalogue;
  /** The scenario that is armed for every company at startup; default none. */
  readonly scenario?: AnyScenarioName | undefined;
  /** The overlay of a request on which no scenario fires; default: no overlay. */
  readonly baseOverlay?: (() => Overlay) | undefined;
  /** Called after each response of the service, and after each internal error of the control API. */
  readonly observe?: Observe | undefined;
  /** Watches the requests and can force scenarios on them; default: none. */
  readonly observer?: MakeObserver | undefined;
  /** Sees everything that enters the sandbox; default: none. */
  readonly tap?: Tap | undefined;
  /** The tape that the sandbox plays, for its dashboard; default: none. */
  readonly replay?: Replay | undefined;
  /** Begins and ends the recording of a tape; default: this sandbox cannot record. */
  readonly tapeRecorder?: TapeRecorder | undefined;
  /** The maximum number of requests in the journal; default 1000. */
  readonly journal?: number | undefined;
  /** The maximum memory for these requests, in bytes; default 64 MiB. */
  readonly journalBytes?: number | undefined;
  /** The id before that of the first request in the journal; default 0. */
  readonly journalAfter?: number | undefined;
  /** Sends webhook deliveries; default: the global `fetch`. */
  readonly deliver?: Send | undefined;
  /** External hosts that may receive webhooks; default none. */
  readonly allowWebhookHosts?: readonly string[] | undefined;
  /** Reads the style sheet and the scripts of the dashboard; without it, the pages are unstyled. */
  readonly dashboardFiles?: DashboardFiles | undefined;
  /** Reads the files of the API reference under `/docs`; without it, `/docs` returns 503. */
  readonly docsFiles?: DocsFiles | undefined;
}

/** Sees everything that enters a sandbox, in the order in which it is decided, and can bring it in itself. */
export interface Tap {
  /** Called once, when the sandbox is wired: it may replace methods of the control services by ones that also record. */
  control(
    services: ControlServices,
    parts: { readonly ports: SandboxPorts; readonly services: Services; readonly journal: Journal },
  ): void;
  /** Called once for each base URL; the result handles its requests to the service instead of `app`. */
  requests(app: App, environments: readonly Environment[]): App;
  /** Called once; the result sends the deliveries instead of `send`, also those to the receiver of the sandbox itself. */
  sending?(send: SendMessage): SendMessage;
}

/** Sends a request to the sandbox, with the signature of the global `fetch`. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/** Handles a request to a base URL. Returns a promise only if the response has to wait. */
export type Serve = (request: Request, arrived?: Arrived) => Promise<Response> | Response;

/** The environments and the control API of one base URL. */
export interface ServeOptions {
  /**
   * With both environments, the base URL serves both token endpoints and accepts the access tokens of both.
   * With one, it serves and accepts only those of this environment.
   */
  readonly environments: readonly Environment[];
  /** Who may use the control API; undefined: this base URL does not serve it. */
  readonly control: Guard | undefined;
  /** The port of the live base URL if it is a different one; the dashboard shows it. */
  readonly livePort?: number | undefined;
}

/** An emulated company-card service with its own world and clock. */
export interface Sandbox {
  /**
   * Sends a request to the service, in this process and without a port. Any origin works, such as
   * `http://sandbox`, and both environments are served. The control API under `/_sandbox` needs no token.
   *
   * A scenario that drops the connection makes it reject with a `TypeError`, as the global `fetch` does.
   */
  readonly fetch: Fetch;
  /** Creates the request handler of a base URL, for a server of your own. */
  serve(options: ServeOptions): Serve;
  /**
   * How API keys, access tokens and webhook secrets are derived: `reproducible`: from the seed alone;
   * `private`: also from a random secret. The mode is stored in the database.
   */
  readonly secrets: SecretsMode;
  /** Runs work that serves a batch of requests, and commits the changes of all of them in one transaction. */
  batch(work: () => void): void;
  /**
   * The response to a request that cannot be parsed.
   * @param point - its contract point; default: 400 `gateway.bad_request`
   * @param message - default: the title of the point
   */
  malformed(point?: UnreadPointId, message?: string): Response;
  /**
   * Up to 500 companies with their members, API keys and accounts, as in `GET /_sandbox/world`.
   * @param query - which companies to list; default: the first ones
   * @throws ControlError 400 if the query is invalid
   */
  world(query?: WorldQuery): WorldListing;
  /** The clock of the sandbox, with the offset of each company: read, set, freeze or advance it. */
  readonly clock: SandboxTime;
  /**
   * Restores the fixtures: of the whole world, or of one company.
   * @param company - its id, its slug, or `live/SLUG`
   * @throws ControlError 404 if there is no such company
   */
  reset(company?: string): void;
  /** Saves the whole world as a snapshot, and replaces an earlier snapshot of that name. */
  snapshot(name: string): void;
  /**
   * Restores the whole world from a snapshot.
   * @throws ControlError 404 if there is no such snapshot
   */
  restore(name: string): void;
  /** The journal: recorded requests and responses, as in `GET /_sandbox/requests`. */
  readonly requests: Requests;
  /**
   * The contract points, and how often requests met each, as in `GET /_sandbox/coverage`.
   * @throws ControlError 400 if the filter is invalid
   */
  coverage(filter?: CoverageFilter): CoverageReport;
  /**
   * The observed mistakes of the client, as in `GET /_sandbox/findings`.
   * @throws ControlError 400 if the filter is invalid
   */
  findings(filter?: FindingsFilter): FindingsReport;
  /** Everything that a verdict about the client needs, as in `GET /_sandbox/report`. */
  report(filter?: Pick<FindingsFilter, "final">): RunReport;
  /** The webhook deliveries, and `settled()`, which resolves when all due deliveries have been sent. */
  readonly webhooks: Webhooks;
  /** The other operations of the control API without HTTP, with the same errors. */
  readonly control: Control;
  /**
   * Arms a scenario for every company, or for the company in the options.
   * @throws ControlError 400 if the scenario is unknown or an option is invalid, 404 if the company does not
   *   exist
   */
  scenario(name: AnyScenarioName, options?: Arming): ArmedScenario;
  /**
   * Creates an isolated company for one test: its own cards, scenarios, clock and API key.
   * @param company - its properties; every property has a default
   * @throws ControlError 400 if a property is invalid, 409 if the slug is taken
   */
  isolatedCompany(company?: NewCompany): Promise<IsolatedCompany>;
  /** Continues all requests that a scenario delays or holds, and ends the streams of requests. */
  drain(): void;
  /** Ends the waiting requests and all background work. Do not use the sandbox afterwards. */
  abandon(): void;
}

/** The operations under `/_sandbox` that are not methods of the sandbox itself. */
export type Control = Pick<
  ControlServices,
  "companies" | "cards" | "apiKeys" | "invoices" | "simulator" | "scenarios" | "state" | "dialect" | "tape"
>;
