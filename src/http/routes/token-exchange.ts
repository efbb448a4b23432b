import type { Handler } from "hono";
import type { Environment } from "../../contract/identifiers.ts";
import { exchangeKey } from "../../core/exchange-key.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";

/** The token endpoint of one environment (spec §4). */
export function tokenExchange(services: HttpServices, endpoint: Environment): Handler<HttpEnv> {
  return (c) => {
    const token = exchangeKey(services, endpoint, c.get("apiKey"), c.get("overlay"));
    return answer(services, c, "token.issued", token, { "Cache-Control": "no-store" });
  };
}
