import { cardNow, findNamedCard, listedCardsNow, seesOnlyOwnCards, visibleCard } from "../../cards/card.ts";
import { type ChangeRequest, changeAsCaller } from "../../cards/change.ts";
import { type ChangingOperation, type IssuingOperation, refuseMissingAccount } from "../../cards/checks.ts";
import { deliveryOptionsTo } from "../../cards/deliver.ts";
import type { IssueOutcome, IssueRequest } from "../../cards/issue.ts";
import { withKey } from "../../cards/keys.ts";
import * as physical from "../../cards/order.ts";
import * as virtual from "../../cards/order-virtual.ts";
import * as replacement from "../../cards/replace.ts";
import { replayHeaders } from "../../contract/behaviours/orders.ts";
import type { Choices } from "../../contract/behaviours.ts";
import { type CardStatus, cardStatus } from "../../contract/card.ts";
import { cardFilters } from "../../contract/list.ts";
import type { SuccessPointId } from "../../contract/points.ts";
import { pageOfCards } from "../../store/cards.ts";
import { checkAfterBody } from "../checks.ts";
import { contractOf, type HttpServices, type RequestContext, type Route } from "../context.ts";
import { pageOf, readListQuery, respondPage } from "../list-query.ts";
import type { Body } from "../read-body.ts";
import {
  accountIdIn,
  readCardChange,
  readDeliveryAddress,
  readLimit,
  readOrder,
  readReplacement,
  readVirtualOrder,
} from "../read-card-body.ts";
import { loseConnection, reportSpending, respond } from "../respond.ts";

/** `POST /developer/cards/physical` (spec §4). */
export const orderPhysicalCard: Route = (services, c) => {
  const request = issueRequest(c, "orderPhysicalCard");
  const read = () => readOrderBody(services, c, request, readOrder);
  const order = () => physical.orderPhysicalCard(services, request, read);
  return respondIssued(services, c, withKey(services, request, order), {
    made: "order.created",
    "same order": "order.replayed",
    "other order": "order.replayed_with_other_body",
  });
};

/** `POST /developer/cards/virtual`. */
export const orderVirtualCard: Route = (services, c) => {
  const request = issueRequest(c, "orderVirtualCard");
  const read = () => readOrderBody(services, c, request, readVirtualOrder);
  const order = () => virtual.orderVirtualCard(services, request, read);
  return respondIssued(services, c, withKey(services, request, order), {
    made: "cards.virtual_created",
    "same order": "cards.replayed",
    "other order": "cards.replayed",
  });
};

/** `POST /developer/cards/{id}/replace`. */
export const replaceCard: Route = (services, c) => {
  const request = {
    ...issueRequest(c, "replaceCard"),
    cardId: cardIdOf(c),
    readReplacement: (type: "physical" | "virtual") =>
      readBodyAs(services, c, (body, choices) => readReplacement(body, type, choices)),
  };
  const replace = () => replacement.replaceCard(services, request);
  return respondIssued(services, c, withKey(services, request, replace), {
    made: "cards.replaced",
    "same order": "cards.replayed",
    "other order": "cards.replayed",
  });
};

/** `GET /developer/cards` (spec §2: the `tokens` filter, and `used` in `card_limits`). */
export const listCards: Route = (services, c) => {
  const { companyPk, companyId, memberPk } = c.get("caller");
  const own = seesOnlyOwnCards(c.get("caller"));
  const scope = `${companyId}/${own ? memberPk : ""}`;
  const query = readListQuery(services, c, cardFilters, scope, "cards.query_invalid");
  const rows = pageOfCards(services.database, services.clock.now(), companyPk, {
    ...query.filters,
    status: query.filters.status ?? listedUnder(services.dialects.of(companyPk).choices),
    memberPk: own ? memberPk : undefined,
    ...query.page,
  });
  const page = pageOf(rows, query, listedCardsNow(services, companyPk, rows, viewOf(c)));
  reportSpending(c, page.rows);
  return respondPage(services, c, "cards.listed", page);
};

/** The statuses of the cards that a list without the filter `status` has; undefined: all. */
function listedUnder(choices: Choices): CardStatus[] | undefined {
  if (choices["cards.terminated_listed"] === "listed") return undefined;
  return cardStatus.options.filter((status) => status !== "terminated");
}

/** `GET /developer/cards/{id}`. */
export const getCard: Route = (services, c) => {
  const caller = c.get("caller");
  const named = findNamedCard(services, caller, cardIdOf(c));
  const card = cardNow(services, visibleCard(services, named, caller, cardIdOf(c)), viewOf(c));
  reportSpending(c, card);
  return respond(services, c, "cards.shown", card);
};

/** `POST /developer/cards/{id}/freeze`. */
export const freezeCard: Route = (services, c) =>
  change(services, c, "freezeCard", "cards.frozen", { trigger: "freeze" });

/** `POST /developer/cards/{id}/unfreeze`. */
export const unfreezeCard: Route = (services, c) =>
  change(services, c, "unfreezeCard", "cards.unfrozen", { trigger: "unfreeze" });

/** `POST /developer/cards/{id}/terminate`. */
export const terminateCard: Route = (services, c) =>
  change(services, c, "terminateCard", "cards.terminated", { trigger: "terminate" });

/** `PUT /developer/cards/{id}/spending-limit`: the cap rules of spec §2. */
export const setSpendingLimit: Route = (services, c) => {
  refuseMissingCardFirst(services, c);
  const spendingLimit = readBodyAs(services, c, readLimit);
  const fields = { trigger: "change", spendingLimit } as const;
  return change(services, c, "setSpendingLimit", "cards.spending_limit_set", fields);
};

/** `DELETE /developer/cards/{id}/spending-limit`: succeeds if the card has no limit. */
export const removeSpendingLimit: Route = (services, c) => {
  const fields = { trigger: "change", spendingLimit: null } as const;
  return change(services, c, "removeSpendingLimit", "cards.spending_limit_removed", fields);
};

/** `PATCH /developer/cards/{id}`. */
export const changeCard: Route = (services, c) => {
  refuseMissingCardFirst(services, c);
  const fields = { trigger: "change", ...readBodyAs(services, c, readCardChange) } as const;
  return change(services, c, "changeCard", "cards.changed", fields);
};

/** `POST /developer/cards/delivery-options`: the same rules as for an order. */
export const listDeliveryOptions: Route = (services, c) => {
  const address = readBodyAs(services, c, readDeliveryAddress);
  const { choices } = contractOf(services, c);
  const options = deliveryOptionsTo(address, c.get("overlay"), choices);
  return respond(services, c, "cards.delivery_options_listed", options);
};

function cardIdOf(c: RequestContext): string {
  return c.req.param("id") ?? "";
}

function viewOf(c: RequestContext) {
  const { clockOffsetMs } = c.get("caller");
  return { clockOffsetMs, usedUnreadable: c.get("overlay").facts.usedUnreadable };
}

function issueRequest(c: RequestContext, operation: IssuingOperation): IssueRequest {
  return {
    operation,
    caller: c.get("caller"),
    key: c.get("idempotencyKey"),
    generation: c.get("generation"),
    overlay: c.get("overlay"),
  };
}

/** Reads the body of an order; before that it checks the account, if the contract has that order. */
function readOrderBody<Order>(
  services: HttpServices,
  c: RequestContext,
  request: IssueRequest,
  read: (body: Body, choices: Choices) => Order,
): Order {
  if (contractOf(services, c).choices["account.order"] === "before-body") {
    const accountId = accountIdIn(c.get("body"));
    if (accountId !== undefined) refuseMissingAccount(services, request, accountId);
  }
  return readBodyAs(services, c, read);
}

/** Reads the body, and then makes the checks that the contract has after it. */
function readBodyAs<Read>(
  services: HttpServices,
  c: RequestContext,
  read: (body: Body, choices: Choices) => Read,
): Read {
  const fields = read(c.get("body"), contractOf(services, c).choices);
  checkAfterBody(services, c);
  return fields;
}

/** @throws SandboxError 404: the card does not exist, and the contract has this check before the body */
function refuseMissingCardFirst(services: HttpServices, c: RequestContext): void {
  if (contractOf(services, c).choices["card.order"] === "after-body") return;
  const caller = c.get("caller");
  visibleCard(services, findNamedCard(services, caller, cardIdOf(c)), caller, cardIdOf(c));
}

type IssuePoints = Readonly<Record<"made" | "same order" | "other order", SuccessPointId>>;

/** Responds with the card after it is created. */
function respondIssued(
  services: HttpServices,
  c: RequestContext,
  outcome: IssueOutcome | Promise<IssueOutcome>,
  points: IssuePoints,
): Response | Promise<Response> {
  if (!("then" in outcome)) return respondCard(services, c, outcome, points);
  const claim = c.get("claim");
  const respondLater = () => outcome.then((issued) => respondCard(services, c, issued, points));
  if (claim?.step.issuer?.disconnect) {
    // If the connection cannot be lost, nothing waits for the outcome.
    outcome.catch(() => {});
    return loseConnection(services, c, claim, respondLater);
  }
  claim?.reserve();
  return respondLater();
}

function respondCard(
  services: HttpServices,
  c: RequestContext,
  { card, replayed }: IssueOutcome,
  points: IssuePoints,
): Response | Promise<Response> {
  reportSpending(c, card);
  if (replayed === undefined) return respond(services, c, points.made, card);
  const { choices } = services.dialects.of(c.get("caller").companyPk);
  const header = replayHeaders[choices["replay.header"]];
  return respond(services, c, points[replayed], card, header && { [header]: "true" });
}

function change(
  services: HttpServices,
  c: RequestContext,
  operation: ChangingOperation,
  point: SuccessPointId,
  fields: Pick<ChangeRequest, "trigger" | "spendingLimit" | "name" | "autoConvert">,
): Response | Promise<Response> {
  const caller = c.get("caller");
  const overlay = c.get("overlay");
  const request = { operation, caller, overlay, cardId: cardIdOf(c), ...fields };
  const card = changeAsCaller(services, request);
  // A response without a body shows no spending.
  if (services.dialects.of(caller.companyPk).points[point].status !== 204) reportSpending(c, card);
  return respond(services, c, point, card);
}
