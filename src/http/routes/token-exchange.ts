import { exchangeKey } from "../../access/exchange-key.ts";
import type { Environment } from "../../contract/identifiers.ts";
import { answer } from "../answer.ts";
import type { HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";

/** The token endpoint of one environment (spec §4). */
export function tokenExchange(services: HttpServices, endpoint: Environment): Route {
  return (c) => {
    const token = exchangeKey(services, endpoint, c.get("apiKey"), c.get("overlay"));
    return answer(services, c, "token.issued", token, { "Cache-Control": "no-store" });
  };
}
