import type { Context } from "hono";
import { changeAsAsked, limited, renamed } from "../../cards/caller-change.ts";
import type { CardFields } from "../../cards/change.ts";
import { deliveryOptionsTo } from "../../cards/delivery-options.ts";
import { orderVirtualCard as order } from "../../cards/order-virtual.ts";
import { replaceCard as replace } from "../../cards/replace.ts";
import type { SuccessPointId } from "../../contract/points.ts";
import type { Trigger } from "../../rules/card-transitions.ts";
import type { CardRecord } from "../../store/cards.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";
import {
  readCardChange,
  readDeliveryAddress,
  readLimit,
  readReplacement,
  readVirtualOrder,
} from "../read-card-request.ts";
import { answerIssued, issuingRequest } from "./issued.ts";

/** `POST /developer/cards/{id}/freeze`. */
export function freezeCard(services: HttpServices): Route {
  return (c) => change(services, c, "freeze", "cards.frozen");
}

/** `POST /developer/cards/{id}/unfreeze`. */
export function unfreezeCard(services: HttpServices): Route {
  return (c) => change(services, c, "unfreeze", "cards.unfrozen");
}

/** `POST /developer/cards/{id}/terminate`. */
export function terminateCard(services: HttpServices): Route {
  return (c) => change(services, c, "terminate", "cards.terminated");
}

/** `PUT /developer/cards/{id}/spending-limit`: the cap rules of spec §2. */
export function setSpendingLimit(services: HttpServices): Route {
  return (c) => {
    const limit = readLimit(c.get("body"));
    return change(services, c, "change", "cards.spending_limit_set", limited(limit));
  };
}

/** `DELETE /developer/cards/{id}/spending-limit`; a card that has none stays without. */
export function removeSpendingLimit(services: HttpServices): Route {
  return (c) =>
    change(services, c, "change", "cards.spending_limit_removed", () => ({ spendingLimit: null }));
}

/** `PATCH /developer/cards/{id}`. */
export function changeCard(services: HttpServices): Route {
  return (c) => {
    const asked = readCardChange(c.get("body"));
    return change(services, c, "change", "cards.changed", renamed(asked));
  };
}

/** `POST /developer/cards/{id}/replace`. */
export function replaceCard(services: HttpServices): Route {
  return (c) => {
    const body = c.get("body");
    const outcome = replace(services, {
      ...issuingRequest(c),
      cardId: c.req.param("id") ?? "",
      readReplacement: (type) => readReplacement(body, type),
    });
    return answerIssued(services, c, outcome, { made: "cards.replaced", replayed: "cards.replayed" });
  };
}

/** `POST /developer/cards/virtual`. */
export function orderVirtualCard(services: HttpServices): Route {
  return (c) => {
    const body = c.get("body");
    const outcome = order(services, { ...issuingRequest(c), readOrder: () => readVirtualOrder(body) });
    return answerIssued(services, c, outcome, { made: "cards.virtual_created", replayed: "cards.replayed" });
  };
}

/** `POST /developer/cards/delivery-options`: what the order goes by too. */
export function listDeliveryOptions(services: HttpServices): Route {
  return (c) => {
    const options = deliveryOptionsTo(readDeliveryAddress(c.get("body")), c.get("overlay"));
    return answer(services, c, "cards.delivery_options_listed", options);
  };
}

function change(
  services: HttpServices,
  c: Context<HttpEnv>,
  trigger: Trigger,
  point: SuccessPointId,
  fieldsFor?: (card: CardRecord) => CardFields,
): Response | Promise<Response> {
  const request = { caller: c.get("caller"), overlay: c.get("overlay"), cardId: c.req.param("id") ?? "" };
  return answer(services, c, point, changeAsAsked(services, request, trigger, fieldsFor));
}
