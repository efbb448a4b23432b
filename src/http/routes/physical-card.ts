import { orderCard } from "../../cards/order.ts";
import type { HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";
import { readOrder } from "../read-order.ts";
import { answerIssued, issuingRequest } from "./issued.ts";

/** `POST /developer/cards/physical` (spec §4). */
export function physicalCard(services: HttpServices): Route {
  return (c) => {
    const body = c.get("body");
    const outcome = orderCard(services, { ...issuingRequest(c), readOrder: () => readOrder(body) });
    return answerIssued(services, c, outcome, {
      made: "order.created",
      replayed: "order.replayed",
      replayedWithOtherBody: "order.replayed_with_other_body",
    });
  };
}
