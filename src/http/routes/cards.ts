import type { Context } from "hono";
import { cardNow, findNamedCard, listedCardsNow, seesOnlyOwnCards, visibleCard } from "../../cards/card.ts";
import { type ChangeRequest, changeAsCaller } from "../../cards/change.ts";
import type { ChangingOperation, IssuingOperation } from "../../cards/checks.ts";
import { deliveryOptionsTo } from "../../cards/deliver.ts";
import type { IssueOutcome, IssueRequest } from "../../cards/issue.ts";
import * as physical from "../../cards/order.ts";
import * as virtual from "../../cards/order-virtual.ts";
import * as replacement from "../../cards/replace.ts";
import { cardFilters } from "../../contract/list-filters.ts";
import type { SuccessPointId } from "../../contract/points.ts";
import { pageOfCards } from "../../store/cards.ts";
import { answer, reportSpending } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";
import { pageOf, readListQuery } from "../list-query.ts";
import {
  readCardChange,
  readDeliveryAddress,
  readLimit,
  readReplacement,
  readVirtualOrder,
} from "../read-card-request.ts";
import { readOrder } from "../read-order.ts";

/** `POST /developer/cards/physical` (spec §4). */
export function orderPhysicalCard(services: HttpServices): Route {
  return (c) => {
    const body = c.get("body");
    const request = { ...issueRequest(c, "orderPhysicalCard"), readOrder: () => readOrder(body) };
    return respondIssued(services, c, physical.orderPhysicalCard(services, request), {
      made: "order.created",
      "same order": "order.replayed",
      "other order": "order.replayed_with_other_body",
    });
  };
}

/** `POST /developer/cards/virtual`. */
export function orderVirtualCard(services: HttpServices): Route {
  return (c) => {
    const body = c.get("body");
    const request = { ...issueRequest(c, "orderVirtualCard"), readOrder: () => readVirtualOrder(body) };
    return respondIssued(services, c, virtual.orderVirtualCard(services, request), {
      made: "cards.virtual_created",
      "same order": "cards.replayed",
      "other order": "cards.replayed",
    });
  };
}

/** `POST /developer/cards/{id}/replace`. */
export function replaceCard(services: HttpServices): Route {
  return (c) => {
    const body = c.get("body");
    const request = {
      ...issueRequest(c, "replaceCard"),
      cardId: cardIdOf(c),
      readReplacement: (type: "physical" | "virtual") => readReplacement(body, type),
    };
    return respondIssued(services, c, replacement.replaceCard(services, request), {
      made: "cards.replaced",
      "same order": "cards.replayed",
      "other order": "cards.replayed",
    });
  };
}

/** `GET /developer/cards` (spec §2: the `tokens` filter, and `used` in `card_limits`). */
export function listCards(services: HttpServices): Route {
  return (c) => {
    const { companyPk, companyId, memberPk } = c.get("caller");
    const own = seesOnlyOwnCards(c.get("caller"));
    const scope = `${companyId}/${own ? memberPk : ""}`;
    const query = readListQuery(c, cardFilters, scope, "cards.query_invalid");
    const rows = pageOfCards(services.database, services.clock.now(), companyPk, {
      ...query.filters,
      memberPk: own ? memberPk : undefined,
      before: query.after,
      limit: query.limit + 1,
    });
    const page = pageOf(rows, query, listedCardsNow(services, rows, viewOf(c)));
    reportSpending(c, page.data);
    return answer(services, c, "cards.listed", page);
  };
}

/** `GET /developer/cards/{id}`. */
export function getCard(services: HttpServices): Route {
  return (c) => {
    const caller = c.get("caller");
    const named = findNamedCard(services, caller, cardIdOf(c));
    const card = cardNow(services, visibleCard(named, caller, cardIdOf(c)), viewOf(c));
    reportSpending(c, card);
    return answer(services, c, "cards.shown", card);
  };
}

/** `POST /developer/cards/{id}/freeze`. */
export function freezeCard(services: HttpServices): Route {
  return (c) => change(services, c, "freezeCard", "cards.frozen", { trigger: "freeze" });
}

/** `POST /developer/cards/{id}/unfreeze`. */
export function unfreezeCard(services: HttpServices): Route {
  return (c) => change(services, c, "unfreezeCard", "cards.unfrozen", { trigger: "unfreeze" });
}

/** `POST /developer/cards/{id}/terminate`. */
export function terminateCard(services: HttpServices): Route {
  return (c) => change(services, c, "terminateCard", "cards.terminated", { trigger: "terminate" });
}

/** `PUT /developer/cards/{id}/spending-limit`: the cap rules of spec §2. */
export function setSpendingLimit(services: HttpServices): Route {
  return (c) => {
    const spendingLimit = readLimit(c.get("body"));
    const fields = { trigger: "change", spendingLimit } as const;
    return change(services, c, "setSpendingLimit", "cards.spending_limit_set", fields);
  };
}

/** `DELETE /developer/cards/{id}/spending-limit`: succeeds if the card has no limit. */
export function removeSpendingLimit(services: HttpServices): Route {
  return (c) => {
    const fields = { trigger: "change", spendingLimit: null } as const;
    return change(services, c, "removeSpendingLimit", "cards.spending_limit_removed", fields);
  };
}

/** `PATCH /developer/cards/{id}`. */
export function changeCard(services: HttpServices): Route {
  return (c) => {
    const fields = { trigger: "change", ...readCardChange(c.get("body")) } as const;
    return change(services, c, "changeCard", "cards.changed", fields);
  };
}

/** `POST /developer/cards/delivery-options`: the same rules as for an order. */
export function listDeliveryOptions(services: HttpServices): Route {
  return (c) => {
    const options = deliveryOptionsTo(readDeliveryAddress(c.get("body")), c.get("overlay"));
    return answer(services, c, "cards.delivery_options_listed", options);
  };
}

function cardIdOf(c: Context<HttpEnv>): string {
  return c.req.param("id") ?? "";
}

function viewOf(c: Context<HttpEnv>) {
  const { clockOffsetMs } = c.get("caller");
  return { clockOffsetMs, usedUnreadable: c.get("overlay").facts.usedUnreadable };
}

function issueRequest(c: Context<HttpEnv>, operation: IssuingOperation): IssueRequest {
  return {
    operation,
    caller: c.get("caller"),
    key: c.get("idempotencyKey"),
    generation: c.get("generation"),
    overlay: c.get("overlay"),
  };
}

/** Responds with the new card, or with the original one of a replay. */
function respondIssued(
  services: HttpServices,
  c: Context<HttpEnv>,
  outcome: IssueOutcome | Promise<IssueOutcome>,
  points: Readonly<Record<"made" | "same order" | "other order", SuccessPointId>>,
): Response | Promise<Response> {
  const respond = ({ card, replayed }: IssueOutcome) => {
    reportSpending(c, card);
    if (replayed === undefined) return answer(services, c, points.made, card);
    return answer(services, c, points[replayed], card, { "Idempotent-Replayed": "true" });
  };
  if (!("then" in outcome)) return respond(outcome);
  c.get("claim")?.reserve();
  return outcome.then(respond);
}

function change(
  services: HttpServices,
  c: Context<HttpEnv>,
  operation: ChangingOperation,
  point: SuccessPointId,
  fields: Pick<ChangeRequest, "trigger" | "spendingLimit" | "name" | "autoConvert">,
): Response | Promise<Response> {
  const caller = c.get("caller");
  const overlay = c.get("overlay");
  const request = { operation, caller, overlay, cardId: cardIdOf(c), ...fields };
  const card = changeAsCaller(services, request);
  reportSpending(c, card);
  return answer(services, c, point, card);
}
