import type { Sandbox, SandboxPorts, Serve, ServeOptions } from "./api.ts";
import type { Contract } from "./contract/dialect.ts";
import type { Environment } from "./contract/identifiers.ts";
import { createControl } from "./control/app.ts";
import { Gate, type Guard, isLoopback } from "./control/gate.ts";
import type { ControlServices } from "./control/services.ts";
import type { createDashboard } from "./dashboard/app.ts";
import type { DashboardServices } from "./dashboard/page.ts";
import { isDashboard } from "./dashboard/paths.ts";
import { createApp } from "./http/app.ts";
import type { HttpServices } from "./http/context.ts";
import { createDescription } from "./http/description.ts";
import { GroupCommit } from "./http/group-commit.ts";
import { asClientSees } from "./http/in-process.ts";
import type { App, Observer } from "./http/observer.ts";
import type { Arrived } from "./http/read-body.ts";
import { malformedRequest } from "./http/response.ts";
import { inTurn } from "./journal/exchange.ts";
import type { Records } from "./journal/records.ts";
import { plainOverlay } from "./rules/overlay.ts";
import { uuidOf } from "./rules/random.ts";
import type { Services } from "./runtime/services.ts";
import type { Scenarios } from "./scenarios/arming.ts";
import { firstOrderer, type Orderer } from "./world/first-order.ts";

/** The parts of a sandbox that its base URLs serve. */
export interface Parts {
  readonly ports: SandboxPorts;
  readonly services: Services;
  readonly scenarios: Scenarios;
  readonly records: Records;
  readonly control: ControlServices;
  readonly observer: Observer | undefined;
  /** External hosts that may receive webhooks, in lower case. */
  readonly webhookHosts: readonly string[];
}

/** The state that all base URLs of one sandbox share. */
interface Shared {
  readonly ports: SandboxPorts;
  readonly control: ControlServices;
  /** The contract under the dialect of the sandbox. */
  readonly contract: Contract;
  /** The services of a base URL that serves these environments. */
  servicesOf(environments: readonly Environment[]): HttpServices;
  /** The real time at which the current batch arrived; undefined outside a batch. */
  batchArrivedMs: number | undefined;
}

/** Opens the HTTP side of a sandbox: its base URLs, and the batches in which their requests arrive. */
export function openBaseUrls(parts: Parts): Pick<Sandbox, "serve" | "batch"> {
  const { ports, services, scenarios, records, control, observer, webhookHosts } = parts;
  const groupCommit = new GroupCommit(services.database, () => scenarios.forgetUsedSteps());
  const observe = inTurn(records.observe, ports.observe);
  const shared: Shared = {
    ports,
    control,
    get contract() {
      return services.dialects.all;
    },
    batchArrivedMs: undefined,
    servicesOf: (served) => ({
      ...services,
      served,
      assumed: ports.assumed ?? true,
      webhookHosts,
      sandboxHeaders: ports.sandboxHeaders ?? true,
      scenarios,
      groupCommit,
      baseOverlay: ports.baseOverlay ?? (() => plainOverlay),
      observe,
      observer,
    }),
  };
  return {
    serve: (options) => serveBaseUrl(shared, options),
    batch: (work) => {
      shared.batchArrivedMs = control.clock.ticks();
      try {
        groupCommit.run(work);
      } finally {
        shared.batchArrivedMs = undefined;
      }
    },
  };
}

/** Serves the service, the control API, the dashboard, the API reference and the start page on one base URL. */
function serveBaseUrl(shared: Shared, options: ServeOptions): Serve {
  const { ports, control } = shared;
  const { environments, control: guard } = options;
  const service = serveService(shared, environments);
  // Separate from the router of the service, so that its many paths do not slow down requests of the service.
  const controlApi = guard && serveControl(shared, options, guard, service);
  const description = createDescription({
    environments,
    livePort: options.livePort,
    control: guard === undefined ? "none" : guard.kind === "token" ? "admin token" : "open",
    contract: () => shared.contract,
    version: ports.version,
    files: ports.docsFiles,
    ordererAt: (hostname) => ordererAt(shared, options, hostname),
  });
  return (request, arrived) => {
    const { url } = request;
    const path = url.indexOf("/", url.indexOf("://") + 3);
    const own =
      controlApi && isControl(url, path)
        ? controlApi
        : isDescription(url, path) || isStartPage(request, path)
          ? description
          : undefined;
    // These parse the URL. The service does not, so it accepts an invalid host such as 127.0.0.256.
    if (own) return URL.canParse(url) ? own(request, path) : malformedRequest(shared.servicesOf([]));
    return service.fetch(request, { startedAt: shared.batchArrivedMs ?? control.clock.ticks(), arrived });
  };
}

/**
 * The member whose API key the start page shows: where the control API lists it to everyone, except to a web page whose
 * host name resolves to this machine (DNS rebinding).
 */
function ordererAt(
  { control }: Shared,
  { environments, control: guard }: ServeOptions,
  hostname: string,
): Orderer | undefined {
  if (guard?.kind !== "open" && !(guard?.kind === "loopback" && isLoopback(hostname))) return undefined;
  const environment = environments.includes("sandbox") ? "sandbox" : "live";
  try {
    return firstOrderer(control.companies.world({ environment, limit: 100 }).companies, environment);
  } catch (error) {
    control.onDefect(error as Error, "GET", "/_sandbox/world");
    return undefined;
  }
}

function serveService(shared: Shared, environments: readonly Environment[]): App {
  const app = createApp(shared.servicesOf(environments));
  return shared.ports.tap?.requests(app, environments) ?? app;
}

/** Sends requests to the service in this process, also those of an environment that has another base URL. */
function senderOf(
  shared: Shared,
  environments: readonly Environment[],
  service: App,
): DashboardServices["send"] {
  const { ports, control } = shared;
  return (request, environment = environments[0]) => {
    const isServed = environment === undefined || environments.includes(environment);
    const app = isServed ? service : serveService(shared, [environment]);
    const respond = (received: Request, arrived: Arrived) =>
      app.fetch(received, { startedAt: control.clock.ticks(), arrived });
    return asClientSees(request, respond, ports.clock);
  };
}

/** Serves the control API and the dashboard behind one gate. */
function serveControl(shared: Shared, { environments, livePort }: ServeOptions, guard: Guard, service: App) {
  const { ports, control } = shared;
  const gate = new Gate(guard, ports.clock, ports.drawSecret);
  const api = createControl(control, gate);
  const more = {
    environments,
    livePort,
    send: senderOf(shared, environments, service),
    newKey: () => uuidOf(ports.drawSecret()),
  };
  let dashboard: Promise<ReturnType<typeof createDashboard>> | undefined;
  return async (request: Request, path: number): Promise<Response> => {
    // A control request leaves the batch that it arrived with: its changes are committed separately.
    await undefined;
    const { method, url } = request;
    // Hono stores handlers by method in plain objects, so a method such as __proto__ would reach
    // Object.prototype.
    if (method in Object.prototype) {
      return Response.json(
        { error: `${method}: unknown HTTP method. Allowed: GET, HEAD, POST, PUT, PATCH, DELETE` },
        { status: 400 },
      );
    }
    if (!isDashboard(url, path)) return api.fetch(request);
    // Imported on the first visit, so that the start does not wait for it.
    dashboard ??= import("./dashboard/app.ts").then(({ createDashboard }) =>
      createDashboard({ ...control, ...more }, gate, ports.dashboardFiles),
    );
    return (await dashboard).fetch(request);
  };
}

/** Whether a path, which begins in the URL at `start`, belongs to the control API or the dashboard. */
function isControl(url: string, start: number): boolean {
  return start > 0 && /^\/_sandbox(?![^/?#])/.test(url.slice(start, start + "/_sandbox".length + 1));
}

/** Whether a path, which begins in the URL at `start`, belongs to the API reference. */
function isDescription(url: string, start: number): boolean {
  if (!url.startsWith("/openapi.json", start) && !url.startsWith("/docs", start)) return false;
  return /^\/(openapi\.json|docs(\/[^?#]*)?)([?#]|$)/.test(url.slice(start));
}

/** Whether a request is for the start page. The service refuses other methods than GET and HEAD on `/`. */
function isStartPage({ url, method }: Request, start: number): boolean {
  if (url.length > start + 1 && url[start + 1] !== "?" && url[start + 1] !== "#") return false;
  return start > 0 && (method === "GET" || method === "HEAD");
}
