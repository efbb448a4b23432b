import type { Face, Sandbox, SandboxPorts, Serve } from "./api.ts";
import type { Environment } from "./contract/identifiers.ts";
import { type ControlServices, createControl } from "./control/app.ts";
import { Gate, type Guard } from "./control/gate.ts";
import type { createDashboard } from "./dashboard/app.ts";
import { isDashboard } from "./dashboard/paths.ts";
import { createApp } from "./http/app.ts";
import type { HttpServices } from "./http/context.ts";
import { createDescription } from "./http/description.ts";
import { GroupCommit } from "./http/group-commit.ts";
import { malformedRequest } from "./http/response.ts";
import { inTurn } from "./journal/exchange.ts";
import type { Records } from "./journal/records.ts";
import { plainOverlay } from "./rules/overlay.ts";
import type { Services } from "./runtime/services.ts";
import type { Scenarios } from "./scenarios/arming.ts";

/** The parts of a sandbox that its base addresses serve. */
interface Parts {
  readonly ports: SandboxPorts;
  readonly services: Services;
  readonly scenarios: Scenarios;
  readonly records: Records;
  readonly control: ControlServices;
}

/** What every base address of one sandbox shares. */
interface Shared {
  readonly ports: SandboxPorts;
  readonly control: ControlServices;
  /** The services of a base address that serves these environments. */
  servicesOf(environments: readonly Environment[]): HttpServices;
  /** The real time at which the current batch arrived; undefined outside a batch. */
  batchArrivedMs: number | undefined;
}

/** External hosts that may receive webhooks, in lower case. */
export function webhookHosts({ allowWebhookHosts = [] }: SandboxPorts): string[] {
  return allowWebhookHosts.map((host) => host.toLowerCase());
}

/** Opens the HTTP side of a sandbox: its base addresses, and the batches in which their requests arrive. */
export function openService(parts: Parts): Pick<Sandbox, "serve" | "together" | "malformed"> {
  const { ports, services, scenarios, records, control } = parts;
  const groupCommit = new GroupCommit(services.database, () => scenarios.countAgain());
  const observe = inTurn(records.observe, ports.observe);
  const shared: Shared = {
    ports,
    control,
    batchArrivedMs: undefined,
    servicesOf: (served) => ({
      ...services,
      served,
      assumed: ports.assumed ?? true,
      onBehalfOf: ports.onBehalfOf ?? "optional",
      webhookHosts: webhookHosts(ports),
      sandboxHeaders: ports.sandboxHeaders ?? true,
      scenarios,
      groupCommit,
      overlayOf: ports.overlayOf ?? (() => plainOverlay),
      observe,
    }),
  };
  return {
    serve: (face) => serveFace(shared, face),
    malformed: (point, message) => malformedRequest(shared.servicesOf([]), point, message),
    together: (work) => {
      shared.batchArrivedMs = control.clock.ticks();
      try {
        groupCommit.run(work);
      } finally {
        shared.batchArrivedMs = undefined;
      }
    },
  };
}

/** Serves the service, the control API, the dashboard and the API reference on one base address. */
function serveFace(shared: Shared, face: Face): Serve {
  const { ports, control } = shared;
  const { environments } = face;
  const service = createApp(shared.servicesOf(environments));
  // Not part of the service's router, so that its many paths cost no request of the service anything.
  const ownApi = face.control && serveOwnApi(shared, face, face.control);
  const description = createDescription({
    environments,
    onBehalfOf: ports.onBehalfOf ?? "optional",
    version: ports.version,
    files: ports.docsFiles,
  });
  return (request, arrived) => {
    const { url } = request;
    const path = url.indexOf("/", url.indexOf("://") + 3);
    const own = ownApi && isControl(url, path) ? ownApi : isDescription(url, path) ? description : undefined;
    // Only these parse the URL. The service does not, so an invalid host such as 127.0.0.256 does not matter to it.
    if (own) return URL.canParse(url) ? own(request, path) : malformedRequest(shared.servicesOf([]));
    return service.fetch(request, { startedAt: shared.batchArrivedMs ?? control.clock.ticks(), arrived });
  };
}

/** Serves the control API and the dashboard behind one gate. */
function serveOwnApi({ ports, control }: Shared, { environments, livePort }: Face, guard: Guard) {
  const gate = new Gate(guard, ports.clock, ports.drawSecret);
  const api = createControl(control, gate);
  let dashboard: Promise<ReturnType<typeof createDashboard>> | undefined;
  return async (request: Request, path: number): Promise<Response> => {
    // A control request is not part of the batch that it arrived with: its changes are committed on their own.
    await undefined;
    const { method, url } = request;
    // Hono stores handlers by method in plain objects, so such a method would reach the prototype of every object.
    if (method in Object.prototype)
      return Response.json({ error: `${method} is no method` }, { status: 400 });
    if (!isDashboard(url, path)) return api.fetch(request);
    const onBehalfOfRequired = ports.onBehalfOf === "required";
    // Imported on the first visit, so that the start does not wait for it.
    dashboard ??= import("./dashboard/app.ts").then(({ createDashboard }) =>
      createDashboard({ ...control, environments, livePort, onBehalfOfRequired }, gate, ports.dashboardFiles),
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
