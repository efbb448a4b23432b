import { type Context, Hono } from "hono";
import { getPath } from "hono/utils/url";
import {
  type AssumedOperationId,
  isFixedPath,
  type OperationId,
  operationIds,
  operations,
} from "../contract/operations.ts";
import { maskPath } from "../journal/masking.ts";
import { SandboxError } from "../rules/errors.ts";
import { apiKeyHolder } from "./checks/api-key-holder.ts";
import { authorised } from "./checks/authorised.ts";
import { bearerToken } from "./checks/bearer-token.ts";
import { forced } from "./checks/forced.ts";
import { idempotency } from "./checks/idempotency.ts";
import { jsonContent } from "./checks/json-content.ts";
import { onBehalfOf } from "./checks/on-behalf-of.ts";
import { received } from "./checks/received.ts";
import type { HttpEnv, HttpServices } from "./http-services.ts";
import { type Check, inOrder, type Route } from "./in-order.ts";
import { onError } from "./on-error.ts";
import * as accounts from "./routes/accounts.ts";
import * as cards from "./routes/cards.ts";
import * as invoices from "./routes/invoices.ts";
import { tokenExchange } from "./routes/token-exchange.ts";
import * as transactions from "./routes/transactions.ts";
import * as webhooks from "./routes/webhooks.ts";

/** The checks of a request in the order in which they decide, and what answers it then. */
type Chain = readonly [checks: readonly Check[], route: Route];

/**
 * The service's operations, and for each the checks of a request in the order in which they decide; under
 * `/developer` 401 comes before all of them. Once the body is read, nothing in a chain awaits anything unless a
 * scenario slows it: what is decided is taken in one go.
 */
function chainsOf(services: HttpServices): Readonly<Record<OperationId, Chain>> {
  const { orderPhysicalCard } = operations;
  const assumed = (id: AssumedOperationId) => assumedChecks(services, id);
  const json = jsonContent("cards.content_type_invalid");
  const keyPoint = "cards.idempotency_key_invalid";
  const key = idempotency({ missing: keyPoint, invalid: keyPoint });
  return {
    exchangeSandboxKey: [
      [
        apiKeyHolder(services, "sandbox"), // 400, 401
        forced(services, "exchangeSandboxKey"), // 429, 503; the connection
      ],
      tokenExchange(services, "sandbox"), // 200
    ],
    exchangeLiveKey: [
      [
        apiKeyHolder(services, "live"), // 400, 401
        forced(services, "exchangeLiveKey"), // 429, 503; the connection
      ],
      tokenExchange(services, "live"), // 200
    ],
    orderPhysicalCard: [
      [
        onBehalfOf(services, "orderPhysicalCard"), // 400, 403
        forced(services, "orderPhysicalCard"), // 429, 401; the connection
        authorised(orderPhysicalCard, { forbidden: "order.forbidden", notEntitled: "order.not_entitled" }), // 403
        jsonContent("order.content_type_invalid"), // 400
        idempotency({ missing: "order.idempotency_key_missing", invalid: "order.idempotency_key_invalid" }), // 400
      ],
      cards.orderPhysicalCard(services), // 201; 409, 400, 404, 409, 422, 502, 503 as cards/order.ts decides
    ],
    listCards: [assumed("listCards"), cards.listCards(services)], // 400, 200
    getCard: [assumed("getCard"), cards.getCard(services)], // 404, 200
    // 404, 409, 200; those with a body 400 as well
    freezeCard: [assumed("freezeCard"), cards.freezeCard(services)],
    unfreezeCard: [assumed("unfreezeCard"), cards.unfreezeCard(services)],
    setSpendingLimit: [[...assumed("setSpendingLimit"), json], cards.setSpendingLimit(services)],
    removeSpendingLimit: [assumed("removeSpendingLimit"), cards.removeSpendingLimit(services)],
    changeCard: [[...assumed("changeCard"), json], cards.changeCard(services)],
    terminateCard: [assumed("terminateCard"), cards.terminateCard(services)],
    // As the order: 400, 201; 409, 400, 404, 409, 422, 502, 503
    replaceCard: [[...assumed("replaceCard"), json, key], cards.replaceCard(services)],
    orderVirtualCard: [[...assumed("orderVirtualCard"), json, key], cards.orderVirtualCard(services)],
    listDeliveryOptions: [[...assumed("listDeliveryOptions"), json], cards.listDeliveryOptions(services)], // 400, 200
    listAccounts: [assumed("listAccounts"), accounts.listAccounts(services)], // 400, 200
    getAccount: [assumed("getAccount"), accounts.getAccount(services)], // 404, 200
    listCompanies: [assumed("listCompanies"), accounts.listCompanies(services)], // 400, 200
    listTransactions: [assumed("listTransactions"), transactions.listTransactions(services)], // 400, 200
    getTransaction: [assumed("getTransaction"), transactions.getTransaction(services)], // 404, 200
    listInvoices: [assumed("listInvoices"), invoices.listInvoices(services)], // 400, 200
    getInvoice: [assumed("getInvoice"), invoices.getInvoice(services)], // 404, 200
    createWebhook: [assumed("createWebhook"), webhooks.createWebhook(services)], // 400, 409, 201
    listWebhooks: [assumed("listWebhooks"), webhooks.listWebhooks(services)], // 400, 200
    getWebhook: [assumed("getWebhook"), webhooks.getWebhook(services)], // 404, 200
    changeWebhook: [assumed("changeWebhook"), webhooks.changeWebhook(services)], // 404, 400, 200
    deleteWebhook: [assumed("deleteWebhook"), webhooks.deleteWebhook(services)], // 404, 200
    rotateWebhookSecret: [assumed("rotateWebhookSecret"), webhooks.rotateWebhookSecret(services)], // 404, 200
    testWebhook: [assumed("testWebhook"), webhooks.testWebhook(services)], // 404, 409, 202
    listWebhookDeliveries: [assumed("listWebhookDeliveries"), webhooks.listWebhookDeliveries(services)], // 404, 400, 200
    resendWebhookDelivery: [assumed("resendWebhookDelivery"), webhooks.resendWebhookDelivery(services)], // 404, 409, 202
  };
}

/** What answers the service's requests. */
export interface App {
  fetch(request: Request, env: HttpEnv["Bindings"]): Response | Promise<Response>;
}

/**
 * Serves the operations whose base address this is. Paths without a variable segment have a router of their own:
 * Hono's fast one cannot tell them from those that have one.
 */
export function createApp(services: HttpServices): App {
  const chains = chainsOf(services);
  const paths = servedPaths(services);
  const fixed = routed(
    services,
    chains,
    paths.filter(([path]) => isFixedPath(path)),
  );
  const variable = routed(
    services,
    chains,
    paths.filter(([path]) => !isFixedPath(path)),
  );
  return {
    fetch: (request, env) => (isFixedPath(pathOf(request)) ? fixed : variable).fetch(request, env),
  };
}

/** The path without its query, and with what is escaped in it as Hono reads it. */
function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  const path = query < 0 ? url.slice(start) : url.slice(start, query);
  return path.includes("%") ? getPath(request) : path;
}

function routed(
  services: HttpServices,
  chains: Readonly<Record<OperationId, Chain>>,
  paths: readonly (readonly [string, readonly OperationId[]])[],
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const checksOf = checksBefore(services);
  const refuse = onError(services);
  app.onError(refuse);
  app.notFound((c) => inOrder(checksOf(c.req.path), notFound, refuse)(c));
  for (const [path, ids] of paths) {
    const before = checksOf(path);
    const routes = new Map<string, Route>();
    for (const id of ids) {
      const [checks, route] = chains[id];
      const { method } = operations[id];
      const name: Check = (c) => c.set("operation", id);
      routes.set(method, inOrder([name, ...before, ...checks], route, refuse));
    }
    const others = inOrder(before, methodNotAllowed([...routes.keys()]), refuse);
    // One handler a path: of several Hono makes a chain that awaits each.
    // HEAD asks for what GET does (RFC 9110 §9.3.2).
    app.all(path, (c) => (routes.get(c.req.method === "HEAD" ? "GET" : c.req.method) ?? others)(c));
  }
  return app;
}

/** What comes before all else under a path, of an operation or of none. */
function checksBefore(services: HttpServices): (path: string) => readonly Check[] {
  const read = received(services); // 400 where it chooses a scenario that is not there
  const bearer = bearerToken(services); // 401
  return (path) => {
    if (/^\/auth(\/|$)/.test(path)) return [read];
    return /^\/developer(\/|$)/.test(path) ? [read, bearer] : [];
  };
}

/** The paths with their operations. */
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

/** What stands before an operation that the spec does not show: 501 alone, or who may call it (400, 403). */
function assumedChecks(services: HttpServices, id: AssumedOperationId): readonly Check[] {
  if (!services.assumed) return [notSpecified];
  return [
    onBehalfOf(services, id), // 400, 403
    forced(services, id), // 429, 401; the connection
    authorised(operations[id], { forbidden: "access.forbidden", notEntitled: "access.not_entitled" }), // 403
  ];
}

function notSpecified(): never {
  throw new SandboxError(
    "gateway.not_specified",
    "The specification does not show this operation, and the sandbox was started with --assumed off",
  );
}

function notFound(c: Context<HttpEnv>): never {
  const path = maskPath(c.req.path);
  throw new SandboxError("gateway.not_found", `${c.req.method} ${path} is no path of this service`);
}

function methodNotAllowed(served: readonly string[]): Route {
  const methods = served.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allowed = methods.join(", ");
  return (c) => {
    throw new SandboxError(
      "gateway.method_not_allowed",
      `${maskPath(c.req.path)} does not serve ${c.req.method}: use ${methods.join(" or ")}`,
      { Allow: allowed },
    );
  };
}
