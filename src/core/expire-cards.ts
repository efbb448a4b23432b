import type { AccountId } from "../contract/identifiers.ts";
import { changeCard } from "./change-card.ts";
import type { Caller, OrderWorld } from "./ports.ts";
import type { Services } from "./services.ts";
import { londonDate } from "./uk-calendar.ts";

/** A company, and how far its time is ahead of the sandbox's clock. */
type Company = Pick<Caller, "companyPk" | "clockOffsetMs">;

/**
 * Ends the cards whose time has come: a card expires at 00:00 by the UK calendar after its `expiry_date` (assumed).
 * Nothing runs at that hour. Whoever lists, counts or changes a company's cards asks first, and the company's row
 * says whether any can be due, so that asking costs no look at the cards.
 * @returns whether any may have ended
 */
export function expireDueCards(services: Services, company: Company): boolean {
  const today = todayOf(services, company);
  const isAnyDue = services.store.companies.nextExpiry(company.companyPk) < today;
  if (isAnyDue) expire(services, company, today);
  return isAnyDue;
}

/** Ends the cards of every company whose time has come. */
export function expireAllDueCards(services: Services): void {
  for (const company of services.store.companies.all()) expireDueCards(services, company);
}

/** What an order is judged by, once the cards whose time has come have ended; within the caller's transaction. */
export function orderWorldToday(
  services: Services,
  caller: Caller,
  memberPk: number,
  accountId: AccountId,
): OrderWorld {
  const { store } = services;
  const world = store.orderWorld(caller.companyPk, memberPk, accountId);
  const today = todayOf(services, caller);
  if (world.nextExpiry >= today) return world;
  expire(services, caller, today);
  return store.orderWorld(caller.companyPk, memberPk, accountId);
}

function expire(services: Services, { companyPk }: Company, today: string): void {
  const { database, store } = services;
  database.transaction(() => {
    for (const due of store.cards.due(companyPk, today)) changeCard(services, due, "expire");
    store.companies.renewNextExpiry(companyPk);
  });
}

function todayOf({ clock }: Services, { clockOffsetMs }: Company): string {
  return londonDate(clock.now() + clockOffsetMs);
}
