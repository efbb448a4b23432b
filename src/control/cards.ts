import * as z from "zod";
import { cardNow, listedCardsNow } from "../cards/card.ts";
import { changeCard } from "../cards/change.ts";
import type { Card, CardStatus } from "../contract/card.ts";
import { type ParcelStatus, parcelStatus } from "../contract/delivery-address.ts";
import type { Transaction } from "../contract/transaction.ts";
import type { Journal } from "../journal/journal.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { transactionOf } from "../payments/ledger.ts";
import { statusAfter, type Trigger, transitionsUnder } from "../rules/card-transitions.ts";
import { companyNow } from "../rules/clock.ts";
import { parcelViolation } from "../rules/delivery.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import { endOf32Days, periodEnds, periodStarts } from "../rules/uk-calendar.ts";
import type { Services } from "../runtime/services.ts";
import {
  type CardHolder,
  type CardOrigin,
  companiesOfLatestCards,
  countCardsByStatus,
  findCard,
  findCardByPk,
  holdersOfCards,
  type IdempotencyScope,
  type LatestCards,
  originOfCard,
  pageOfCards,
  parcelOf,
  type StoredCard,
  searchCards,
  updateParcel,
} from "../store/cards.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { type CreatedCard, cardsByKey } from "../store/idempotency-keys.ts";
import { oldestSpending, pageOfTransactions } from "../store/transactions.ts";
import { emit } from "../webhooks/events.ts";
import { type CardEvent, CardLog, historyOf } from "./card-history.ts";
import { idsOf } from "./effects.ts";
import { ControlError } from "./errors.ts";
import { parse, readJson } from "./input.ts";
import { optionalCompanyPk, requireCompany } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

/** The trigger in rules/card-transitions.ts of each action of the service's operator. */
const triggerOf = {
  suspend: "suspend",
  lock: "lock",
  block: "block",
  lift: "lift",
  terminate: "operator_terminate",
  activate: "activate",
} as const satisfies Record<string, Trigger>;

const callerActions = ["freeze", "unfreeze", "terminate"] as const satisfies readonly Trigger[];

/** A change that the cardholder or an owner of the company makes. */
export type CallerAction = (typeof callerActions)[number];

const callerRequest = z.lazy(() => z.strictObject({ action: z.enum(callerActions) }));

/** The history's name of each change. */
const doneOf: { readonly [Name in Trigger]?: string } = {
  freeze: "Frozen",
  unfreeze: "Unfrozen",
  terminate: "Terminated",
  activate: "Activated",
  suspend: "Suspended",
  lock: "Locked",
  block: "Blocked",
  lift: "Hold lifted",
  operator_terminate: "Terminated",
  expire: "Expired",
};

export type OperatorAction = keyof typeof triggerOf;

export const operatorRequest = z.lazy(() =>
  z.strictObject({
    action: z.enum(Object.keys(triggerOf) as [OperatorAction]),
  }),
);

export const parcelRequest = z.lazy(() =>
  z.strictObject({
    status: parcelStatus.exclude(["ordered"]),
  }),
);

/** The delivery of a card. */
export interface ParcelListing {
  readonly card_id: string;
  readonly status: ParcelStatus;
  /** By the company's time. */
  readonly updated_at: string;
}

/** An action that is possible in the card's current state. */
export interface PossibleAction {
  readonly action: OperatorAction | "expire";
  readonly leads_to: CardStatus;
}

/** When the used part of each limit is next reset, by the company's time. */
export interface LimitResets {
  readonly daily: string;
  readonly weekly: string;
  readonly monthly: string;
  /** When the oldest payment leaves the 32 days; null: there is none in them. */
  readonly rolling_32_days: string | null;
}

/** Filters of a list of cards. */
export interface CardFilter {
  readonly status?: CardStatus | undefined;
  /** The card's id, its last four digits or a part of its name. */
  readonly text?: string | undefined;
}

/** Maximum number of cards or transactions in one list. */
export const mostListed = 100;

/** Maximum number of cards that are counted by status. */
export const mostCounted = 10_000;

/** Cards as the service's operator sees and changes them. */
export class Cards {
  readonly #services: Services;
  readonly #journal: Journal;
  readonly #log: CardLog;

  constructor(services: Services, journal: Journal) {
    this.#services = services;
    this.#journal = journal;
    this.#log = new CardLog(services.generations, journal);
  }

  /** Lists the latest cards of a company or of all with the used part of their limits, newest first. */
  list(company?: string, filter: CardFilter = {}): Card[] {
    const { database, clock } = this.#services;
    if (filter.status ?? filter.text) return this.#search(company, filter);
    return this.#latestPerCompany(company)
      .flatMap(({ companyPk, clockOffsetMs, limit }) => {
        const cards = pageOfCards(database, clock.now(), companyPk, { limit });
        return cards.map(listedCardsNow(this.#services, companyPk, cards, { clockOffsetMs }));
      })
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
      .slice(0, mostListed);
  }

  #search(company: string | undefined, filter: CardFilter): Card[] {
    const { database, clock } = this.#services;
    const companyPk = optionalCompanyPk(database, company);
    return searchCards(database, clock.now(), { ...filter, companyPk }, mostListed).flatMap((pk) => {
      const stored = findCardByPk(database, clock.now(), pk);
      return stored ? [this.#shown(stored)] : [];
    });
  }

  /** The number of the latest cards of each company. */
  #latestPerCompany(company: string | undefined): LatestCards[] {
    const { database } = this.#services;
    if (company === undefined) return companiesOfLatestCards(database, mostListed);
    const { pk, clockOffsetMs } = requireCompany(database, company);
    return [{ companyPk: pk, clockOffsetMs, limit: mostListed }];
  }

  /** The names of cards' companies and holders, by the cards' ids. */
  holders(cards: readonly Card[]): ReadonlyMap<string, CardHolder> {
    const ids = cards.map(({ id }) => id);
    return new Map(holdersOfCards(this.#services.database, ids).map((holder) => [holder.cardId, holder]));
  }

  /** How many of the latest 10,000 cards of a company or of all have each status, the most frequent first. */
  counts(company?: string): { readonly status: CardStatus; readonly count: number }[] {
    const { database, clock } = this.#services;
    return countCardsByStatus(database, clock.now(), optionalCompanyPk(database, company), mostCounted);
  }

  /** Lists the cards that a member's Idempotency-Key created. */
  createdBy(scope: Omit<IdempotencyScope, "operation">): CreatedCard[] {
    return cardsByKey(this.#services.database, scope);
  }

  /** Shows a card with the used part of its limits. */
  show(id: string): Card {
    return this.#shown(this.#requireCard(id));
  }

  #shown(stored: StoredCard): Card {
    return listedCardsNow(this.#services, stored.companyPk, [stored], stored)(stored);
  }

  /** What happened to a card, oldest first. After a restart, changes that only memory knew are missing. */
  history(id: string): CardEvent[] {
    const stored = this.#requireCard(id);
    const { database } = this.#services;
    return historyOf({
      stored,
      origin: originOfCard(database, stored.pk),
      parcel: parcelOf(database, stored.pk),
      transactions: this.transactions(id),
      log: this.#log,
      journal: this.#journal,
      nowMs: this.#nowMs(stored),
    });
  }

  /** The ids of the card that this card replaced, and of the one that replaced it; null: none. */
  replacements(id: string): Pick<CardOrigin, "replaces" | "replacedBy"> {
    const { replaces = null, replacedBy = null } =
      originOfCard(this.#services.database, this.#requireCard(id).pk) ?? {};
    return { replaces, replacedBy };
  }

  /** When the used part of each limit is next reset. */
  limitResets(id: string): LimitResets {
    const stored = this.#requireCard(id);
    const nowMs = this.#nowMs(stored);
    const { dayMs, weekMs, monthMs } = periodEnds(nowMs);
    const { rolling32DaysMs } = periodStarts(nowMs);
    const oldestMs = oldestSpending(this.#services.database, stored.pk, rolling32DaysMs);
    const iso = (ms: number) => new Date(ms).toISOString();
    return {
      daily: iso(dayMs),
      weekly: iso(weekMs),
      monthly: iso(monthMs),
      rolling_32_days: oldestMs === undefined ? null : iso(endOf32Days(oldestMs)),
    };
  }

  /**
   * The cards that a request names, made or changed, as they are now.
   * @internal
   */
  ofRequest(entry: JournalEntry): Card[] {
    return idsOf(this.#services.database, entry).flatMap((id) =>
      findCard(this.#services.database, this.#services.clock.now(), id) ? [this.show(id)] : [],
    );
  }

  /** The possible actions on a card in its current state, and the state after each. */
  possible(id: string): PossibleAction[] {
    const { card, companyPk, heldFrom } = this.#requireCard(id);
    const transitions = transitionsUnder(this.#services.dialects.of(companyPk).choices);
    return [...Object.entries(triggerOf), ["expire", "expire"] as const].flatMap(([action, trigger]) => {
      const leadsTo = statusAfter(transitions, trigger, card.status, heldFrom);
      return leadsTo ? [{ action: action as PossibleAction["action"], leads_to: leadsTo }] : [];
    });
  }

  /** The changes that the cardholder or an owner can make in the card's current state, and the state after each. */
  possibleAsCaller(id: string): { readonly action: CallerAction; readonly leads_to: CardStatus }[] {
    const { card, companyPk, heldFrom } = this.#requireCard(id);
    const transitions = transitionsUnder(this.#services.dialects.of(companyPk).choices);
    return callerActions.flatMap((action) => {
      const leadsTo = statusAfter(transitions, action, card.status, heldFrom);
      return leadsTo && leadsTo !== card.status ? [{ action, leads_to: leadsTo }] : [];
    });
  }

  /** Lists a card's latest transactions, newest first. */
  transactions(id: string): Transaction[] {
    const { card, companyPk } = this.#requireCard(id);
    const query = { card_id: card.id, limit: mostListed };
    return pageOfTransactions(this.#services.database, companyPk, query).map(transactionOf);
  }

  /**
   * Changes a card as the service's operator.
   * @throws ControlError 409 if the card's state does not allow the action
   */
  operate(id: string, input: z.input<typeof operatorRequest>): Card {
    const { action } = parse(operatorRequest, input);
    return this.#change(id, triggerOf[action], "operator");
  }

  /** Expires a card before its date. */
  expire(id: string): Card {
    return this.#change(id, "expire", "operator");
  }

  /**
   * Changes a card as the cardholder or an owner of the company, without a request to the service.
   * @throws ControlError 409 if the card's state does not allow the change
   */
  actAsCaller(id: string, action: CallerAction): Card {
    return this.#change(id, parse(callerRequest, { action }).action, "cardholder or owner, in the dashboard");
  }

  delivery(id: string): ParcelListing {
    return this.#parcelOf(this.#requirePhysical(id));
  }

  /** @throws ControlError 409 if the status would move backwards */
  moveDelivery(id: string, input: z.input<typeof parcelRequest>): ParcelListing {
    const { status } = parse(parcelRequest, input);
    const { database } = this.#services;
    const stored = this.#requirePhysical(id);
    const moved = database.transaction(() => {
      const violation = parcelViolation(this.#parcelOf(stored).status, status);
      if (violation) throw new ControlError(409, violation);
      updateParcel(database, stored.pk, { status, movedAtMs: this.#nowMs(stored) });
      const moved = this.#parcelOf(stored);
      const { companyPk } = stored;
      emit(this.#services, { companyPk, type: "card.delivery_updated", data: () => moved });
      return moved;
    });
    const what = `Delivery: ${status}`;
    this.#log.add(stored, { at: moved.updated_at, what, by: "delivery service", parcel: status });
    return moved;
  }

  #change(id: string, trigger: Trigger, by: string): Card {
    const stored = this.#requireCard(id);
    const changed = this.#services.database.transaction(() => {
      try {
        const clockOffsetMs = clockOffsetOf(this.#services.database, stored.companyPk);
        return cardNow(this.#services, changeCard(this.#services, stored, trigger), { clockOffsetMs });
      } catch (refused) {
        throw refused instanceof SandboxError ? new ControlError(409, refused.message) : refused;
      }
    });
    const at = new Date(this.#nowMs(stored)).toISOString();
    this.#log.add(stored, { at, what: doneOf[trigger] ?? trigger, by, to: changed.status });
    return changed;
  }

  #requireCard(id: string): StoredCard {
    const { database, clock } = this.#services;
    const stored = findCard(database, clock.now(), id);
    if (stored) return stored;
    throw new ControlError(
      404,
      `id: no card has the id ${quoted(id)}. GET /developer/cards lists the cards of a company.`,
    );
  }

  #requirePhysical(id: string): StoredCard {
    const stored = this.#requireCard(id);
    if (stored.card.type === "physical") return stored;
    throw new ControlError(404, `id: card ${stored.card.id} is virtual, so it has no delivery`);
  }

  #parcelOf({ pk, card }: StoredCard): ParcelListing {
    const { status, movedAtMs } = parcelOf(this.#services.database, pk) ?? {
      status: "ordered",
      movedAtMs: card.createdAtMs,
    };
    return { card_id: card.id, status, updated_at: new Date(movedAtMs).toISOString() };
  }

  #nowMs({ companyPk }: StoredCard): number {
    return companyNow(this.#services.clock, clockOffsetOf(this.#services.database, companyPk));
  }
}

/** @internal */
export function cardHandlers(
  cards: Cards,
): ControlHandlers<"changeCardAsOperator" | "expireCard" | "getCardDelivery" | "changeCardDelivery"> {
  return {
    changeCardAsOperator: async (c) => c.json(cards.operate(c.req.param("id"), await readJson(c))),
    expireCard: (c) => c.json(cards.expire(c.req.param("id"))),
    getCardDelivery: (c) => c.json(cards.delivery(c.req.param("id"))),
    changeCardDelivery: async (c) => c.json(cards.moveDelivery(c.req.param("id"), await readJson(c))),
  };
}
