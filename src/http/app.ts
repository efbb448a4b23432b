import { type Handler, Hono } from "hono";
import { operations } from "../contract/operations.ts";
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
import { physicalCard } from "./routes/physical-card.ts";
import { tokenExchange } from "./routes/token-exchange.ts";

/**
 * The service's paths, and for each the checks of a request in the order in which they decide. Once the body is
 * read, nothing in a chain awaits anything unless a scenario slows it: what is decided is taken in one go.
 */
export function createApp(services: HttpServices): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.onError(onError(services));
  app.notFound((c) => {
    const path = maskSecrets(c.req.path);
    throw new SandboxError("gateway.not_found", `${c.req.method} ${path} is no path of this service`);
  });

  const { orderPhysicalCard } = operations;
  const endpoints = { sandbox: "exchangeSandboxKey", live: "exchangeLiveKey" } as const;
  for (const environment of services.served) {
    const operation = endpoints[environment];
    const { path, method } = operations[operation];
    app.post(
      path,
      received(services), // 400 where it chooses a scenario that is not there
      apiKeyHolder(services, environment), // 400, 401
      forced(services, operation), // 429, 503; the connection
      tokenExchange(services, environment), // 200
    );
    app.all(path, methodNotAllowed(method));
  }

  app.use(
    "/developer/*",
    received(services), // 400 where it chooses a scenario that is not there
    bearerToken(services), // 401
  );
  app.post(
    orderPhysicalCard.path,
    onBehalfOf(services), // 400, 403
    forced(services, "orderPhysicalCard"), // 429, 401; the connection
    authorised(orderPhysicalCard, { forbidden: "order.forbidden", notEntitled: "order.not_entitled" }), // 403
    jsonContent("order.content_type_invalid"), // 400
    idempotency({ missing: "order.idempotency_key_missing", invalid: "order.idempotency_key_invalid" }), // 400
    physicalCard(services), // 201; 409, 400, 404, 409, 422, 502, 503 as core/order-card.ts decides
  );
  app.all(orderPhysicalCard.path, methodNotAllowed(orderPhysicalCard.method));

  return app;
}

function methodNotAllowed(allowed: string): Handler<HttpEnv> {
  return (c) => {
    throw new SandboxError(
      "gateway.method_not_allowed",
      `${c.req.path} does not serve ${c.req.method}: use ${allowed}`,
      { Allow: allowed },
    );
  };
}
