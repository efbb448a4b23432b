import { type Handler, Hono, type MiddlewareHandler } from "hono";
import {
  type AssumedOperationId,
  type OperationId,
  operationIds,
  operations,
} from "../contract/operations.ts";
import { maskSecrets } from "../core/api-key.ts";
import { SandboxError } from "../core/errors.ts";
import type { HttpEnv, HttpServices } from "./http-services.ts";
import { apiKeyHolder } from "./middleware/api-key-holder.ts";
import { authorised } from "./middleware/authorised.ts";
import { bearerToken } from "./middleware/bearer-token.ts";
import { forced } from "./middleware/forced.ts";
import { idempotency } from "./middleware/idempotency.ts";
import { jsonContent } from "./middleware/json-content.ts";
import { onBehalfOf } from "./middleware/on-behalf-of.ts";
import { received } from "./middleware/received.ts";
import { onError } from "./on-error.ts";
import * as cards from "./routes/cards.ts";
import { physicalCard } from "./routes/physical-card.ts";
import { tokenExchange } from "./routes/token-exchange.ts";
import * as webhooks from "./routes/webhooks.ts";

/** What handles an operation: its checks in the order in which they decide, and last what answers it. */
type Handlers = readonly (MiddlewareHandler<HttpEnv> | Handler<HttpEnv>)[];

/**
 * The service's operations, and for each the checks of a request in the order in which they decide; under
 * `/developer` 401 comes before all of them. Once the body is read, nothing in a chain awaits anything unless a
 * scenario slows it: what is decided is taken in one go.
 */
function handlersOf(services: HttpServices): Readonly<Record<OperationId, Handlers>> {
  const { orderPhysicalCard } = operations;
  const assumed = (id: AssumedOperationId) => assumedChecks(services, id);
  return {
    exchangeSandboxKey: [
      apiKeyHolder(services, "sandbox"), // 400, 401
      forced(services, "exchangeSandboxKey"), // 429, 503; the connection
      tokenExchange(services, "sandbox"), // 200
    ],
    exchangeLiveKey: [
      apiKeyHolder(services, "live"), // 400, 401
      forced(services, "exchangeLiveKey"), // 429, 503; the connection
      tokenExchange(services, "live"), // 200
    ],
    orderPhysicalCard: [
      onBehalfOf(services), // 400, 403
      forced(services, "orderPhysicalCard"), // 429, 401; the connection
      authorised(orderPhysicalCard, { forbidden: "order.forbidden", notEntitled: "order.not_entitled" }), // 403
      jsonContent("order.content_type_invalid"), // 400
      idempotency({ missing: "order.idempotency_key_missing", invalid: "order.idempotency_key_invalid" }), // 400
      physicalCard(services), // 201; 409, 400, 404, 409, 422, 502, 503 as core/order-card.ts decides
    ],
    listCards: [...assumed("listCards"), cards.listCards(services)], // 400, 200
    getCard: [...assumed("getCard"), cards.getCard(services)], // 404, 200
    createWebhook: [...assumed("createWebhook"), webhooks.createWebhook(services)], // 400, 409, 201
    listWebhooks: [...assumed("listWebhooks"), webhooks.listWebhooks(services)], // 400, 200
    getWebhook: [...assumed("getWebhook"), webhooks.getWebhook(services)], // 404, 200
    changeWebhook: [...assumed("changeWebhook"), webhooks.changeWebhook(services)], // 404, 400, 200
    deleteWebhook: [...assumed("deleteWebhook"), webhooks.deleteWebhook(services)], // 404, 200
    rotateWebhookSecret: [...assumed("rotateWebhookSecret"), webhooks.rotateWebhookSecret(services)], // 404, 200
    testWebhook: [...assumed("testWebhook"), webhooks.testWebhook(services)], // 404, 409, 202
    listWebhookDeliveries: [...assumed("listWebhookDeliveries"), webhooks.listWebhookDeliveries(services)], // 404, 400, 200
    resendWebhookDelivery: [...assumed("resendWebhookDelivery"), webhooks.resendWebhookDelivery(services)], // 404, 409, 202
  };
}

/** Serves the operations whose base address this is. */
export function createApp(services: HttpServices): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.onError(onError(services));
  app.notFound((c) => {
    const path = maskSecrets(c.req.path);
    throw new SandboxError("gateway.not_found", `${c.req.method} ${path} is no path of this service`);
  });
  app.use("/auth/*", received(services)); // 400 where it chooses a scenario that is not there
  app.use("/developer/*", received(services), bearerToken(services)); // the same; 401

  const handlers = handlersOf(services);
  for (const [path, ids] of servedPaths(services)) {
    for (const id of ids) app.on(operations[id].method, [path], ...handlers[id]);
    app.all(path, methodNotAllowed(ids.map((id) => operations[id].method)));
  }
  return app;
}

/** The paths with their operations, those first that have no variable segment. */
function servedPaths({ served }: HttpServices): [string, OperationId[]][] {
  const unserved = new Set<OperationId>();
  if (!served.includes("sandbox")) unserved.add("exchangeSandboxKey");
  if (!served.includes("live")) unserved.add("exchangeLiveKey");
  const paths = new Map<string, OperationId[]>();
  for (const id of operationIds) {
    const { path } = operations[id];
    if (!unserved.has(id)) paths.set(path, [...(paths.get(path) ?? []), id]);
  }
  return [...paths].toSorted(([a], [b]) => Number(a.includes(":")) - Number(b.includes(":")));
}

/** What stands before an operation that the spec does not show: 501 alone, or who may call it (400, 403). */
function assumedChecks(services: HttpServices, id: AssumedOperationId): Handlers {
  if (!services.assumed) return [notSpecified];
  return [
    onBehalfOf(services), // 400, 403
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

function methodNotAllowed(methods: readonly string[]): Handler<HttpEnv> {
  const allowed = methods.join(", ");
  return (c) => {
    throw new SandboxError(
      "gateway.method_not_allowed",
      `${c.req.path} does not serve ${c.req.method}: use ${methods.join(" or ")}`,
      { Allow: allowed },
    );
  };
}
