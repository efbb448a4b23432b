import type { Caller } from "./authentication.ts";
import { expiryDate } from "./calendar.ts";
import type { History } from "./history.ts";
import { caps, usedMinor } from "./limits.ts";
import { type Card, type Company, decimalOf, hasEnded, type Period } from "./world.ts";

/** A card in a response; only lists have `used` in the fixed limits. */
export function cardResponse(history: History, company: Company, card: Card, isListed = false) {
  const nowMs = history.nowMs(company);
  const used = (period: Period | "rolling") => decimalOf(usedMinor(company, card, period, nowMs));
  const limited = (capMinor: number, usedNow: () => string) => ({
    amount: decimalOf(capMinor),
    ...(isListed && { used: usedNow() }),
  });
  return {
    id: card.id,
    token: card.token,
    company_id: company.id,
    account_id: card.accountId,
    user_id: card.memberId,
    type: card.type,
    status: card.status,
    name: card.name,
    last_four: card.lastFour,
    expiry_date: card.expiryDate,
    auto_convert: card.autoConvert,
    spending_limit: card.limit && {
      period: card.limit.period,
      amount: decimalOf(card.limit.amountMinor),
      currency: "EUR",
      ...(!hasEnded(card) && { used: used(card.limit.period) }),
    },
    card_limits: {
      currency: "EUR",
      max_per_purchase: limited(caps.purchase, () => "0.00"),
      daily: limited(caps.daily, () => used("daily")),
      rolling_32_days: limited(caps.rolling, () => used("rolling")),
    },
    created_at: new Date(card.createdMs).toISOString(),
  };
}

/** The properties of a card that its order determines. */
export interface Ordered {
  readonly type: Card["type"];
  readonly accountId: string;
  readonly memberId: string;
  readonly name: string | undefined;
  readonly autoConvert: boolean;
  readonly limit: Card["limit"];
  readonly replaces?: Card;
}

/** The default name of a card. */
export const defaultName = ({ type, lastFour }: Pick<Card, "type" | "lastFour">) =>
  `${type === "physical" ? "Physical" : "Virtual"} ${lastFour}`;

/** Adds the new card to the model; id, token and last four are those that the service chose. */
export function addNewest(history: History, { company }: Caller, ordered: Ordered): Card {
  const listed = history.sandbox.control.cards.list(company.id);
  history.checkEqual("the number of cards", listed.length, company.cards.length + 1);
  const known = new Set(company.cards.map(({ id }) => id));
  const made = listed.find(({ id }) => !known.has(id));
  if (!made) throw history.failure("the new card", listed, "in the list");
  const nowMs = history.nowMs(company);
  const card: Card = {
    id: made.id,
    token: made.token,
    lastFour: made.last_four,
    type: ordered.type,
    accountId: ordered.accountId,
    memberId: ordered.memberId,
    status: "active",
    heldFrom: "active",
    name: ordered.name ?? defaultName({ type: ordered.type, lastFour: made.last_four }),
    autoConvert: ordered.autoConvert,
    limit: ordered.limit,
    createdMs: nowMs,
    expiryDate: expiryDate(nowMs),
    replaces: ordered.replaces,
    isReplaced: false,
  };
  company.cards.push(card);
  return card;
}
