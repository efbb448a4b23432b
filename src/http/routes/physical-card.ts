import type { Handler } from "hono";
import { type OrderOutcome, orderCard } from "../../core/order-card.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import { readOrder } from "../read-order.ts";

/** `POST /developer/cards/physical` (spec §4). */
export function physicalCard(services: HttpServices): Handler<HttpEnv> {
  return (c) => {
    const body = c.get("body");
    const outcome = orderCard(services, {
      caller: c.get("caller"),
      key: c.get("idempotencyKey"),
      generation: c.get("generation"),
      overlay: c.get("overlay"),
      readOrder: () => readOrder(body),
    });
    const reply = ({ card, replayed }: OrderOutcome) =>
      replayed
        ? answer(services, c, "order.replayed", card, { "Idempotent-Replayed": "true" })
        : answer(services, c, "order.created", card);
    if (!("then" in outcome)) return reply(outcome);
    c.get("turn")?.reserve();
    return outcome.then(reply);
  };
}
