import * as z from "zod";
import { changeCard } from "../cards/change.ts";
import { cardNow, listedCardsNow } from "../cards/current-card.ts";
import { parcelViolation } from "../cards/parcel.ts";
import type { Card, CardStatus } from "../contract/card.ts";
import { type ParcelStatus, parcelStatus } from "../contract/delivery-address.ts";
import type { Transaction } from "../contract/transaction.ts";
import { transactionOf } from "../payments/transaction.ts";
import { statusAfter, type Trigger } from "../rules/card-transitions.ts";
import { companyNow } from "../rules/clock.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import {
  type CardHolder,
  companiesOfLatestCards,
  findCard,
  holdersOfCards,
  type LatestCards,
  pageOfCards,
  parcelOf,
  type StoredCard,
  updateParcel,
} from "../store/cards.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { pageOfTransactions } from "../store/transactions.ts";
import { emit } from "../webhooks/events.ts";
import { ControlError } from "./control-error.ts";
import { companyNamed } from "./named.ts";
import { parsed } from "./read-json.ts";

/** What the service's operator does to a card, each by its name in rules/card-transitions.ts. */
const triggerOf = {
  suspend: "suspend",
  lock: "lock",
  block: "block",
  lift: "lift",
  terminate: "operator_terminate",
  activate: "activate",
} as const satisfies Record<string, Trigger>;

export type OperatorAction = keyof typeof triggerOf;

const operatorRequest = z.strictObject({
  action: z.enum(Object.keys(triggerOf) as [OperatorAction], {
    error: `must be one of ${Object.keys(triggerOf).join(", ")}`,
  }),
});

const parcelRequest = z.strictObject({
  status: parcelStatus.exclude(["ordered"], {
    error: "must be one of produced, shipped, delivered, returned, failed",
  }),
});

/** Where the parcel of a card is. */
export interface ParcelListing {
  readonly card_id: string;
  readonly status: ParcelStatus;
  /** By the company's time. */
  readonly updated_at: string;
}

/** What a card can be made to do in its state. */
export interface PossibleAction {
  readonly action: OperatorAction | "expire";
  readonly leads_to: CardStatus;
}

/** How many cards or transactions are listed at most. */
export const mostListed = 100;

/** What happens to cards without a caller: by the service's operator, the post, and time. */
export class Cards {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * The latest cards of a company, or of all, with what is used of their limits; the newest first.
   * @throws ControlError 404 where there is no such company
   */
  list(company?: string): Card[] {
    const { database, clock } = this.#services;
    return this.#shareOfLatest(company)
      .flatMap(({ companyPk, clockOffsetMs, limit }) => {
        const cards = pageOfCards(database, clock.now(), companyPk, { limit });
        return cards.map(listedCardsNow(this.#services, cards, { clockOffsetMs }));
      })
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
      .slice(0, mostListed);
  }

  /** The number of the latest cards that each company has. */
  #shareOfLatest(company: string | undefined): LatestCards[] {
    const { database } = this.#services;
    if (company === undefined) return companiesOfLatestCards(database, mostListed);
    const { pk, clockOffsetMs } = companyNamed(database, company);
    return [{ companyPk: pk, clockOffsetMs, limit: mostListed }];
  }

  /** The names of cards' companies and holders, by the cards' ids. */
  holders(cards: readonly Card[]): ReadonlyMap<string, CardHolder> {
    const ids = cards.map(({ id }) => id);
    return new Map(holdersOfCards(this.#services.database, ids).map((holder) => [holder.cardId, holder]));
  }

  /**
   * A card as lists show it, with what is used of its limits.
   * @throws ControlError 404 where there is none
   */
  show(id: string): Card {
    const kept = this.#named(id);
    const clockOffsetMs = clockOffsetOf(this.#services.database, kept.companyPk);
    return listedCardsNow(this.#services, [kept], { clockOffsetMs })(kept);
  }

  /**
   * What the operator, or time, can do to a card in its state, and where each leads.
   * @throws ControlError 404 where there is none
   */
  possible(id: string): PossibleAction[] {
    const { card, heldFrom } = this.#named(id);
    return [...Object.entries(triggerOf), ["expire", "expire"] as const].flatMap(([action, trigger]) => {
      const leadsTo = statusAfter(trigger, card.status, heldFrom);
      return leadsTo ? [{ action: action as PossibleAction["action"], leads_to: leadsTo }] : [];
    });
  }

  /**
   * A card's latest transactions, the newest first.
   * @throws ControlError 404 where there is no such card
   */
  transactions(id: string): Transaction[] {
    const { card, companyPk } = this.#named(id);
    const query = { card_id: card.id, limit: mostListed };
    return pageOfTransactions(this.#services.database, companyPk, query).map(transactionOf);
  }

  /**
   * Does to a card what the service's operator does.
   * @throws ControlError 400, 404, or 409 where the card cannot make the change
   */
  operate(id: string, asked: z.input<typeof operatorRequest>): Card {
    const { action } = parsed(operatorRequest, asked);
    return this.#change(id, triggerOf[action]);
  }

  /** Expires a card before its date. */
  expire(id: string): Card {
    return this.#change(id, "expire");
  }

  /** @throws ControlError 404 where there is no such card, or nothing of it is delivered */
  delivery(id: string): ParcelListing {
    return this.#parcelOf(this.#delivered(id));
  }

  /** @throws ControlError 400, 404, or 409 where the parcel would go back */
  moveDelivery(id: string, asked: z.input<typeof parcelRequest>): ParcelListing {
    const { status } = parsed(parcelRequest, asked);
    const { database } = this.#services;
    return database.transaction(() => {
      const kept = this.#delivered(id);
      const violation = parcelViolation(this.#parcelOf(kept).status, status);
      if (violation) throw new ControlError(409, violation);
      updateParcel(database, kept.pk, { status, movedAtMs: this.#nowMs(kept) });
      const moved = this.#parcelOf(kept);
      const { companyPk } = kept;
      emit(this.#services, { companyPk, type: "card.delivery_updated", data: () => moved });
      return moved;
    });
  }

  #change(id: string, trigger: Trigger): Card {
    const kept = this.#named(id);
    return this.#services.database.transaction(() => {
      try {
        const clockOffsetMs = clockOffsetOf(this.#services.database, kept.companyPk);
        return cardNow(this.#services, changeCard(this.#services, kept, trigger), { clockOffsetMs });
      } catch (refused) {
        throw refused instanceof SandboxError ? new ControlError(409, refused.message) : refused;
      }
    });
  }

  #named(id: string): StoredCard {
    const { database, clock } = this.#services;
    const kept = findCard(database, clock.now(), id);
    if (kept) return kept;
    throw new ControlError(404, `no card ${quoted(id)}: name it by its id`);
  }

  #delivered(id: string): StoredCard {
    const kept = this.#named(id);
    if (kept.card.type === "physical") return kept;
    throw new ControlError(404, `card ${kept.card.id} is virtual: nothing of it is delivered`);
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
