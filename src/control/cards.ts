import * as z from "zod";
import { cardNow, listedCardsNow } from "../cards/card.ts";
import { changeCard } from "../cards/change.ts";
import type { Card, CardStatus } from "../contract/card.ts";
import { type ParcelStatus, parcelStatus } from "../contract/delivery-address.ts";
import type { Transaction } from "../contract/transaction.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { transactionOf } from "../payments/ledger.ts";
import { statusAfter, type Trigger, transitionsUnder } from "../rules/card-transitions.ts";
import { companyNow } from "../rules/clock.ts";
import { parcelViolation } from "../rules/delivery.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import {
  type CardHolder,
  companiesOfLatestCards,
  countCardsByStatus,
  findCard,
  holdersOfCards,
  type IdempotencyScope,
  type LatestCards,
  pageOfCards,
  parcelOf,
  type StoredCard,
  updateParcel,
} from "../store/cards.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { type CreatedCard, cardsByKey } from "../store/idempotency-keys.ts";
import { pageOfTransactions } from "../store/transactions.ts";
import { emit } from "../webhooks/events.ts";
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

/** Maximum number of cards or transactions in one list. */
export const mostListed = 100;

/** Maximum number of cards that are counted by status. */
export const mostCounted = 10_000;

/** Cards as the service's operator sees and changes them. */
export class Cards {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Lists the latest cards of a company or of all with the used part of their limits, newest first. */
  list(company?: string): Card[] {
    const { database, clock } = this.#services;
    return this.#latestPerCompany(company)
      .flatMap(({ companyPk, clockOffsetMs, limit }) => {
        const cards = pageOfCards(database, clock.now(), companyPk, { limit });
        return cards.map(listedCardsNow(this.#services, companyPk, cards, { clockOffsetMs }));
      })
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
      .slice(0, mostListed);
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
    const stored = this.#requireCard(id);
    const { companyPk } = stored;
    const clockOffsetMs = clockOffsetOf(this.#services.database, companyPk);
    return listedCardsNow(this.#services, companyPk, [stored], { clockOffsetMs })(stored);
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
    return this.#change(id, triggerOf[action]);
  }

  /** Expires a card before its date. */
  expire(id: string): Card {
    return this.#change(id, "expire");
  }

  delivery(id: string): ParcelListing {
    return this.#parcelOf(this.#requirePhysical(id));
  }

  /** @throws ControlError 409 if the status would move backwards */
  moveDelivery(id: string, input: z.input<typeof parcelRequest>): ParcelListing {
    const { status } = parse(parcelRequest, input);
    const { database } = this.#services;
    return database.transaction(() => {
      const stored = this.#requirePhysical(id);
      const violation = parcelViolation(this.#parcelOf(stored).status, status);
      if (violation) throw new ControlError(409, violation);
      updateParcel(database, stored.pk, { status, movedAtMs: this.#nowMs(stored) });
      const moved = this.#parcelOf(stored);
      const { companyPk } = stored;
      emit(this.#services, { companyPk, type: "card.delivery_updated", data: () => moved });
      return moved;
    });
  }

  #change(id: string, trigger: Trigger): Card {
    const stored = this.#requireCard(id);
    return this.#services.database.transaction(() => {
      try {
        const clockOffsetMs = clockOffsetOf(this.#services.database, stored.companyPk);
        return cardNow(this.#services, changeCard(this.#services, stored, trigger), { clockOffsetMs });
      } catch (refused) {
        throw refused instanceof SandboxError ? new ControlError(409, refused.message) : refused;
      }
    });
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
