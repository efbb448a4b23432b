import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import type { Contract } from "../contract/dialect.ts";
import { type OperationId, operationIds, operations } from "../contract/operations.ts";
import { maskPath } from "../journal/masking.ts";
import { SandboxError } from "../rules/errors.ts";
import type { HttpEnv, HttpServices, RequestContext, Route } from "./context.ts";
import type { App } from "./observer.ts";
import { checksOfOperation, checksOfPath, run } from "./pipeline.ts";
import { refuse } from "./respond.ts";
import * as cards from "./routes/cards.ts";
import * as payments from "./routes/payments.ts";
import { exchangeToken } from "./routes/token.ts";
import * as webhooks from "./routes/webhooks.ts";

/** The route of each operation, which has its name. It runs after the checks of the HTTP layer. */
const routes: Readonly<Record<OperationId, Route>> = {
  exchangeSandboxKey: exchangeToken,
  exchangeLiveKey: exchangeToken,
  ...cards,
  ...payments,
  ...webhooks,
};

/**
 * Serves the operations of a base URL. Paths without a variable segment have a router of their own: Hono's fast
 * router cannot distinguish `/developer/cards/virtual` from `/developer/cards/:id`, and its slow one costs 7 % of the orders
 * per second.
 */
export function createApp(services: HttpServices): App {
  const paths = servedPaths(services);
  const fixedPaths = paths.filter(([path]) => !path.includes(":"));
  const fixed = createRouter(services, fixedPaths);
  const variable = createRouter(
    services,
    paths.filter(([path]) => path.includes(":")),
  );
  const isFixed = new Set(fixedPaths.map(([path]) => path));
  return {
    fetch: (request, env) => (isFixed.has(pathOf(request)) ? fixed : variable).fetch(request, env),
  };
}

/** The path up to the query. `getPath` would also end it at a `#`, and so accept a target with a fragment. */
function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  const path = query < 0 ? url.slice(start) : url.slice(start, query);
  return path.includes("%") ? getPath(request) : path;
}

function createRouter(
  services: HttpServices,
  paths: readonly (readonly [string, readonly OperationId[]])[],
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.onError((error, c) => refuse(services, c, error));
  app.notFound((c) => run(services, c, checksOfPath(c.req.path), refusePath));
  for (const [path, ids] of paths) {
    const handlers = new Map<string, Handler>(
      ids.map((id) => [operations[id].method, handlerOf(services, id)]),
    );
    const refuseMethod = methodNotAllowed([...handlers.keys()]);
    const others: Handler = (c) => run(services, c, checksOfPath(path), refuseMethod);
    // One handler for each path, because Hono awaits each of several. HEAD is served like GET (RFC 9110 §9.3.2).
    app.all(path, (c) => (handlers.get(c.req.method === "HEAD" ? "GET" : c.req.method) ?? others)(c));
  }
  return app;
}

type Handler = (c: RequestContext) => Response | Promise<Response>;

function handlerOf(services: HttpServices, id: OperationId): Handler {
  const { path, provenance } = operations[id];
  const isServed = services.assumed || provenance === "specified";
  const checksUnder = (contract: Contract) =>
    isServed ? checksOfOperation(id, contract) : checksOfPath(path);
  let made = { contract: services.dialects.all, checks: checksUnder(services.dialects.all) };
  const route = isServed ? routes[id] : refuseUnspecified;
  return (c) => {
    c.set("operation", id);
    const contract = services.dialects.all;
    if (made.contract !== contract) made = { contract, checks: checksUnder(contract) };
    return run(services, c, made.checks, route);
  };
}

/** The paths that are served, each with its operations. */
function servedPaths({ served }: HttpServices): [string, OperationId[]][] {
  const unserved = new Set<OperationId>();
  if (!served.includes("sandbox")) unserved.add("exchangeSandboxKey");
  if (!served.includes("live")) unserved.add("exchangeLiveKey");
  const paths = new Map<string, OperationId[]>();
  for (const id of operationIds) {
    const { path } = operations[id];
    if (!unserved.has(id)) paths.set(path, [...(paths.get(path) ?? []), id]);
  }
  return [...paths];
}

const refuseUnspecified: Route = () => {
  throw new SandboxError(
    "gateway.not_specified",
    "The specification does not show this operation, and the sandbox runs with --assumed off. " +
      "To use the operation, start the sandbox with --assumed on.",
  );
};

const refusePath: Route = (_, c) => {
  const path = maskPath(c.req.path);
  throw new SandboxError(
    "gateway.not_found",
    `${c.req.method} ${path} does not exist. The API reference is at /docs.`,
  );
};

function methodNotAllowed(served: readonly string[]): Route {
  const methods = served.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return ({ dialects }, c) => {
    const { status } = dialects.all.points["gateway.method_not_allowed"];
    throw new SandboxError(
      "gateway.method_not_allowed",
      `${c.req.method} ${maskPath(c.req.path)}: method not allowed. Use ${methods.join(" or ")}.`,
      status === 405 ? { Allow: methods.join(", ") } : undefined,
    );
  };
}
