import type { Context } from "hono";
import { cardNow, listedCardsNow } from "../../cards/current-card.ts";
import { seesOwnAlone, visibleCard } from "../../cards/visible-card.ts";
import { cardFilters } from "../../contract/list-filters.ts";
import { pageOfCards } from "../../store/cards.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";
import { pageOf, readListQuery } from "../list-query.ts";

/** `GET /developer/cards` (spec §2: the `tokens` filter, and `used` in `card_limits`). */
export function listCards(services: HttpServices): Route {
  return (c) => {
    const { companyPk, companyId, memberPk } = c.get("caller");
    const own = seesOwnAlone(c.get("caller"));
    const scope = `${companyId}/${own ? memberPk : ""}`;
    const query = readListQuery(c, cardFilters, scope, "cards.query_invalid");
    const rows = pageOfCards(services.database, services.clock.now(), companyPk, {
      ...query.filters,
      memberPk: own ? memberPk : undefined,
      before: query.after,
      limit: query.limit + 1,
    });
    const page = pageOf(rows, query, listedCardsNow(services, rows, viewOf(c)));
    return answer(services, c, "cards.listed", page);
  };
}

/** `GET /developer/cards/{id}`. */
export function getCard(services: HttpServices): Route {
  return (c) => {
    const caller = c.get("caller");
    const card = visibleCard(services, caller, c.req.param("id") ?? "");
    return answer(services, c, "cards.shown", cardNow(services, card, viewOf(c)));
  };
}

/** How the caller looks at a card. */
function viewOf(c: Context<HttpEnv>) {
  const { clockOffsetMs } = c.get("caller");
  return { clockOffsetMs, usedUnreadable: c.get("overlay").facts.usedUnreadable };
}
