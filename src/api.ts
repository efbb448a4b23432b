import type { Environment } from "./contract/identifiers.ts";
import type { OnBehalfOfMode } from "./contract/operations.ts";
import type { UnreadPointId } from "./contract/responses.ts";
import type { ControlServices } from "./control/app.ts";
import type { SandboxTime } from "./control/clock.ts";
import type { WorldQuery } from "./control/companies.ts";
import type { NewCompany } from "./control/create-company.ts";
import type { Guard } from "./control/gate.ts";
import type { IsolatedCompany } from "./control/isolated-company.ts";
import type { Webhooks } from "./control/reports.ts";
import type { Requests } from "./control/requests.ts";
import type { ArmedScenario, Arming } from "./control/scenarios.ts";
import type { DashboardFiles } from "./dashboard/app.ts";
import type { DocsFiles } from "./http/description.ts";
import type { Arrived } from "./http/read-body.ts";
import type { CoverageFilter, CoverageReport } from "./journal/coverage.ts";
import type { Observe } from "./journal/exchange.ts";
import type { FindingsFilter, FindingsReport } from "./journal/findings/finding.ts";
import type { KeyQuota } from "./rules/api-key.ts";
import type { Overlay } from "./rules/overlay.ts";
import type { Catalogue } from "./scenarios/catalogue.ts";
import type { WorldListing } from "./store/world-listing.ts";
import type { Send } from "./webhooks/attempt.ts";
import type { SecretsMode, WorldPorts } from "./world/open-world.ts";

export interface SandboxPorts extends WorldPorts {
  readonly version: string;
  /** Whether to serve operations that the spec does not show; default true. */
  readonly assumed?: boolean | undefined;
  readonly onBehalfOf?: OnBehalfOfMode | undefined;
  readonly sandboxHeaders?: boolean | undefined;
  readonly keyQuota?: KeyQuota | undefined;
  /** The scenarios that can be chosen and armed. */
  readonly scenarios: Catalogue;
  /** The scenario that is armed for every company from the start. */
  readonly scenario?: string | undefined;
  /** The overlay of a request on which no scenario fires; default: the world as it is. */
  readonly overlayOf?: (() => Overlay) | undefined;
  /** Called after each response, and after each defect of the control API. */
  readonly observe?: Observe | undefined;
  /** How many requests the journal keeps; default 1000. */
  readonly journal?: number | undefined;
  /** The most bytes of memory that these requests may use; default 64 MiB. */
  readonly journalBytes?: number | undefined;
  /** Sends webhook deliveries; default: the global `fetch`. */
  readonly deliver?: Send | undefined;
  /** External hosts that may receive webhooks; default none. */
  readonly allowWebhookHosts?: readonly string[] | undefined;
  /** Reads the style sheet and scripts of the dashboard; without it, the pages are plain. */
  readonly dashboardFiles?: DashboardFiles | undefined;
  /** Reads the files of the API reference under `/docs`; without it, `/docs` says that they are missing. */
  readonly docsFiles?: DocsFiles | undefined;
}

/** Sends a request to the sandbox, with the signature of the global `fetch`. */
export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/** Responds to a request to a base address; without a promise if nothing has to wait. */
export type Serve = (request: Request, arrived?: Arrived) => Promise<Response> | Response;

/** One base address and what it serves. */
export interface Face {
  /** Both: the address serves both token endpoints and accepts both kinds of tokens. One: only that environment's. */
  readonly environments: readonly Environment[];
  /** Who may use the control API; undefined: the address does not serve it. */
  readonly control: Guard | undefined;
  /** The port of the live base address if that is another one; the dashboard shows it. */
  readonly livePort?: number | undefined;
}

/** An emulated card service with its own world and clock. */
export interface Sandbox {
  /** Sends a request to the whole service on one origin; its control API is open to this process. */
  readonly fetch: Fetch;
  /** Serves a base address. */
  serve(face: Face): Serve;
  /** Whether API keys, access tokens and webhook secrets derive from the seed alone; stored in the database. */
  readonly secrets: SecretsMode;
  /** Serves the requests of one batch and commits their changes together. */
  together(work: () => void): void;
  /** The response to a request that cannot be read: by default 400, with the point's title as its message. */
  malformed(point?: UnreadPointId, message?: string): Response;
  /** Companies with their members, keys and accounts, as `GET /_sandbox/world` lists them: up to 500. */
  world(query?: WorldQuery): WorldListing;
  /** The clock, with each company's offset. */
  readonly clock: SandboxTime;
  /** Resets the whole world, or one company by its id or slug. */
  reset(company?: string): void;
  /** Saves the whole world under a name and replaces an earlier snapshot of that name. */
  snapshot(name: string): void;
  /** Restores the whole world from a snapshot. */
  restore(name: string): void;
  /** The recorded requests and responses, as `GET /_sandbox/requests` lists them. */
  readonly requests: Requests;
  /** The contract points that requests have covered, as `GET /_sandbox/coverage` reports them. */
  coverage(filter?: CoverageFilter): CoverageReport;
  /** The mistakes of the client, as `GET /_sandbox/findings` reports them. */
  findings(filter?: FindingsFilter): FindingsReport;
  /** The webhook deliveries, and a promise that resolves when all that are due have been sent. */
  readonly webhooks: Webhooks;
  /** The control API without HTTP: the same operations with the same errors. */
  readonly control: Control;
  /** Arms a scenario, for every company unless the options name one. */
  scenario(name: string, options?: Arming): ArmedScenario;
  /** Creates an isolated company for one test. */
  isolatedCompany(wanted?: NewCompany): Promise<IsolatedCompany>;
  /** Lets all requests go on that a scenario delays or holds, and ends the request streams. */
  drain(): void;
  /** Ends the waiting requests and all other work; do not use the sandbox afterwards. */
  abandon(): void;
}

/** The operations under `/_sandbox` that are not methods of the sandbox itself. */
export type Control = Pick<
  ControlServices,
  "companies" | "cards" | "apiKeys" | "invoices" | "simulator" | "scenarios" | "state"
>;
