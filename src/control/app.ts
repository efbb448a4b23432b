import { type Context, Hono } from "hono";
import { reachablePoints } from "../contract/dialect.ts";
import { maskSecrets } from "../rules/api-key.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import { nearest } from "../rules/nearest.ts";
import { apiKeyHandlers } from "./api-keys.ts";
import { cardHandlers } from "./cards.ts";
import { clockHandlers } from "./clock.ts";
import { companyHandlers } from "./companies.ts";
import { dialectHandlers } from "./dialects.ts";
import { ControlError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import {
  type ControlHandlers,
  type ControlOperationId,
  controlOperationIds,
  controlOperations,
  controlPath,
} from "./operations.ts";

import { reportHandlers } from "./reports.ts";
import { requestHandlers } from "./requests.ts";
import { scenarioHandlers } from "./scenarios.ts";
import type { ControlServices } from "./services.ts";
import { simulatorHandlers } from "./simulator.ts";
import { stateHandlers } from "./state.ts";
import { tapeHandlers } from "./tape.ts";
import { webhookHandlers } from "./webhooks.ts";

/** The response of `GET /_sandbox`. */
const paths = {
  dashboard: "/_sandbox/ui",
  health: "/_sandbox/health",
  world: "/_sandbox/world",
  scenarios: "/_sandbox/scenarios",
  contract: "/_sandbox/contract",
  dialect: "/_sandbox/dialect",
  requests: "/_sandbox/requests",
  coverage: "/_sandbox/coverage",
  findings: "/_sandbox/findings",
  tape: "/_sandbox/tape",
  control_description: "/_sandbox/openapi.json",
  description: "/openapi.json",
  reference: "/docs",
};
export type Paths = typeof paths;

/** The response of `GET /_sandbox/health`. */
export interface Health {
  readonly status: "ok";
  readonly version: string;
  /** The sandbox's time. */
  readonly now: string;
  /** Present only if the request is allowed to use the control API: reproducible secrets can be computed from the seed. */
  readonly seed?: number;
}

function sandboxHandlers(
  { time, version, seed, contract }: ControlServices,
  gate: Gate,
): ControlHandlers<"getPaths" | "getHealth" | "getControlDocument" | "listContractPoints"> {
  return {
    getPaths: (c) => {
      const isBrowser = c.req.header("Accept")?.includes("text/html") ?? false;
      return isBrowser ? c.redirect(paths.dashboard, 303) : c.json(paths);
    },
    getHealth: async (c) => {
      const health: Health = { status: "ok", version, now: time.read().now };
      return c.json((await gate.isAdmitted(c)) ? { ...health, seed } : health);
    },
    getControlDocument: async (c) => {
      // Made on the first request: the code that makes it takes longer to load than the sandbox takes to start.
      const { controlDocument } = await import("./openapi/document.ts");
      return c.json(controlDocument(new URL(c.req.url).origin), 200, { "Cache-Control": "no-cache" });
    },
    listContractPoints: (c) => c.json({ points: reachablePoints(contract(c.req.query("company"))) }),
  };
}

/**
 * The control API under `/_sandbox`: JSON in and out, errors as `{error}`.
 * @internal
 */
export function createControl(services: ControlServices, gate: Gate): Hono {
  const { time } = services;
  const control = new Hono().basePath("/_sandbox");
  control.onError((error, c) => errorResponse(services, error, c));
  control.use("/*", async (c, next) => {
    await next();
    c.res.headers.set("Date", new Date(time.read().now).toUTCString());
  });
  control.use("/*", gate.guarded);
  const handlers: ControlHandlers<ControlOperationId> = {
    ...sandboxHandlers(services, gate),
    ...companyHandlers(services.companies),
    ...cardHandlers(services.cards),
    ...apiKeyHandlers(services.apiKeys),
    ...simulatorHandlers(services.simulator, services.invoices),
    ...scenarioHandlers(services.scenarios),
    ...clockHandlers(time),
    ...stateHandlers(services.state, time),
    ...dialectHandlers(services.dialect),
    ...reportHandlers(services.coverage, services.findings, services.report),
    ...webhookHandlers(services.webhooks),
    ...tapeHandlers(services.tape),
    ...requestHandlers(services.requests, services.journal, services.clock, gate),
  };
  for (const id of controlOperationIds) {
    const { method, path } = controlOperations[id];
    control.on(method, path, handlers[id]);
  }
  control.all("/*", (c) => {
    throw new ControlError(404, noOperation(c.req.method, c.req.path));
  });
  return control;
}

/** The message for a request that no operation serves, with the nearest path or the methods of this one. */
function noOperation(method: string, path: string): string {
  const methods = controlOperationIds
    .filter((id) => controlPath(id) === path)
    .map((id) => controlOperations[id].method);
  const names = controlOperationIds.map((id) => controlPath(id).slice("/_sandbox/".length));
  const suggestion = nearest(path.slice("/_sandbox/".length), names);
  const hint =
    methods.length > 0
      ? ` Use ${methods.join(" or ")}.`
      : suggestion === undefined
        ? ""
        : ` Did you mean /_sandbox/${suggestion}?`;
  return `the control API has no ${method} ${maskSecrets(path)}.${hint} GET /_sandbox/openapi.json lists all operations.`;
}

function errorResponse(services: ControlServices, error: Error, c: Context): Response {
  if (error instanceof ControlError) return c.json({ error: error.message }, error.status);
  services.onDefect(error, c.req.method, c.req.path);
  if (error instanceof DatabaseUnusable) return c.json({ error: `${error.message}. ${error.outcome}` }, 503);
  return c.json(
    { error: "internal error of the sandbox (a bug in card-sandbox). The log shows the cause." },
    500,
  );
}
