import type { Handler } from "hono";
import { orderCard } from "../../core/order-card.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import { readBody } from "../read-body.ts";
import { readOrder } from "../read-order.ts";

/** `POST /developer/cards/physical` (spec §4). */
export function physicalCard(services: HttpServices): Handler<HttpEnv> {
  return async (c) => {
    const body = await readBody(c.req.raw);
    const { card, replayed } = await orderCard(services, {
      caller: c.get("caller"),
      key: c.get("idempotencyKey"),
      generation: c.get("generation"),
      overlay: c.get("overlay"),
      readOrder: () => readOrder(body),
    });
    return replayed
      ? answer(services, c, "order.replayed", card, { "Idempotent-Replayed": "true" })
      : answer(services, c, "order.created", card);
  };
}
