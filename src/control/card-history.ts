import type { CardStatus } from "../contract/card.ts";
import type { ParcelStatus } from "../contract/delivery-address.ts";
import { type OperationId, operations } from "../contract/operations.ts";
import type { Transaction } from "../contract/transaction.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Journal, RecordedRequest } from "../journal/journal.ts";
import { endOfDay } from "../rules/uk-calendar.ts";
import type { Generations } from "../runtime/generations.ts";
import type { CardOrigin, Parcel, StoredCard } from "../store/cards.ts";

/** Something that happened to a card. */
export interface CardEvent {
  /** By the company's time; null: the sandbox no longer knows. */
  readonly at: string | null;
  readonly what: string;
  /** Who or what did it. */
  readonly by: string;
  readonly isRefused?: boolean;
  /** The status that the card got. */
  readonly to?: CardStatus | undefined;
  readonly parcel?: ParcelStatus | undefined;
  /** The id of the recorded request. */
  readonly request?: string | undefined;
  readonly transaction?: string | undefined;
  /** The id of the card that this card replaced, or of the one that replaced it. */
  readonly card?: string | undefined;
}

/** Maximum number of events in one history. */
const mostEvents = 100;
const mostLogged = { cards: 1000, perCard: 20 };

/** The latest changes of cards by the control API, in memory. A reset ends them: it may bring back the same ids. */
export class CardLog {
  readonly #generations: Generations;
  readonly #events = new Map<string, CardEvent[]>();
  /** The id of the last request before the latest reset of all companies (0), or of one. */
  readonly #lastBefore = new Map<number, number>();

  constructor(generations: Generations, journal: Journal) {
    this.#generations = generations;
    generations.onEnd((companyPk = 0) => {
      if (companyPk === 0) this.#lastBefore.clear();
      this.#lastBefore.set(companyPk, journal.lastId);
    });
  }

  add(stored: StoredCard, event: CardEvent): void {
    const key = this.#keyOf(stored);
    const events = [...(this.#events.get(key) ?? []), event].slice(-mostLogged.perCard);
    // Moves the card to the end: the first one is the one that was changed the longest time ago.
    this.#events.delete(key);
    this.#events.set(key, events);
    const [oldest] = this.#events.keys();
    if (this.#events.size > mostLogged.cards && oldest) this.#events.delete(oldest);
  }

  of(stored: StoredCard): readonly CardEvent[] {
    return this.#events.get(this.#keyOf(stored)) ?? [];
  }

  /** The id of the last request to an earlier world of the company. */
  lastRequestBefore(companyPk: number): number {
    return Math.max(this.#lastBefore.get(0) ?? 0, this.#lastBefore.get(companyPk) ?? 0);
  }

  #keyOf({ companyPk, card }: StoredCard): string {
    return `${this.#generations.of(companyPk)}/${companyPk}/${card.id}`;
  }
}

interface Sources {
  readonly stored: StoredCard;
  readonly origin: CardOrigin | undefined;
  readonly parcel: Parcel | undefined;
  /** Newest first. */
  readonly transactions: readonly Transaction[];
  readonly log: CardLog;
  readonly journal: Journal;
  /** The company's time. */
  readonly nowMs: number;
}

/** What happened to a card, oldest first, without requests that only read it. */
export function historyOf(sources: Sources): CardEvent[] {
  const requests = requestsOf(sources);
  const known = [
    orderOf(sources, requests),
    ...requests.flatMap((each) => requestEvent(each, journalId(sources.journal, each))),
    ...replacementOf(sources, requests),
    ...sources.log.of(sources.stored),
    ...transactionsOf(sources),
    ...deliveryOf(sources),
  ];
  return [...known, ...statusWithoutCause(sources, known)]
    .toSorted((a, b) => (a.at ?? "9").localeCompare(b.at ?? "9"))
    .slice(-mostEvents);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

const issuing: ReadonlySet<OperationId | undefined> = new Set([
  "orderPhysicalCard",
  "orderVirtualCard",
  "replaceCard",
]);

/** The latest requests that named, made or changed the card, oldest first. */
function requestsOf({ stored, origin, journal, log }: Sources): RecordedRequest[] {
  const { card, companyPk } = stored;
  const found: RecordedRequest[] = [];
  const concerns = ({ caller, method, path, operation }: Exchange) =>
    caller?.companyPk === companyPk &&
    method !== "GET" &&
    (issuing.has(operation) || path.toLowerCase().includes(card.id));
  const lastBefore = log.lastRequestBefore(companyPk);
  for (const request of journal.latest(concerns)) {
    if (request.id <= lastBefore) break;
    const { path } = request.exchange;
    if (path.toLowerCase().includes(card.id) || isOrderOf(request, card.id, origin)) found.push(request);
    if (found.length === mostEvents) break;
  }
  return found.toReversed();
}

/** Whether a request has the Idempotency-Key that made the card or, if that is no longer known, returned the card. */
function isOrderOf(request: RecordedRequest, id: string, origin: CardOrigin | undefined): boolean {
  const { idempotencyKey, caller, status = 0 } = request.exchange;
  if (origin?.key) return idempotencyKey === origin.key && caller?.memberPk === origin.memberPk;
  const body = request.entry?.response?.body ?? request.messages.responseBody;
  return status >= 200 && status < 300 && (body?.includes(id) ?? false);
}

function hasSucceeded({ operation, point }: Exchange): boolean {
  return operation !== undefined && operations[operation].success === point;
}

/** The id of a request that the journal still shows. */
function journalId(journal: Journal, { id }: RecordedRequest): string | undefined {
  return journal.get(String(id))?.id;
}

/** The name of each change, and of the request for it. */
const changes: { readonly [Id in OperationId]?: readonly [done: string, wanted: string, to?: CardStatus] } = {
  orderPhysicalCard: ["Ordered", "Order"],
  orderVirtualCard: ["Ordered", "Order"],
  replaceCard: ["Replaced", "Replacement"],
  freezeCard: ["Frozen", "Freeze", "frozen"],
  unfreezeCard: ["Unfrozen", "Unfreeze", "active"],
  setSpendingLimit: ["Spending limit set", "Spending limit"],
  removeSpendingLimit: ["Spending limit removed", "Removal of the spending limit"],
  changeCard: ["Changed", "Change"],
  terminateCard: ["Terminated", "Termination", "terminated"],
};

function requestEvent({ exchange }: RecordedRequest, request: string | undefined): CardEvent[] {
  const { operation, point, status, caller, atMs } = exchange;
  const names = operation && changes[operation];
  if (!names || !caller) return [];
  const [done, wanted, to] = names;
  const event = { at: iso(atMs), by: `${caller.memberSlug} (${caller.role})`, request };
  if (hasSucceeded(exchange)) return issuing.has(operation) ? [] : [{ ...event, what: done, to }];
  if (status !== undefined && status < 300) return [{ ...event, what: `${wanted} repeated: ${point}` }];
  return [{ ...event, what: `${wanted}: ${point ?? "connection lost"}`, isRefused: true }];
}

/** The request that made a card. The response of the first attempt may be lost. */
function orderOf({ stored, origin, journal }: Sources, requests: readonly RecordedRequest[]): CardEvent {
  const { card } = stored;
  const order = requests.find(
    (each) => hasSucceeded(each.exchange) && isOrderOf(each, card.id, origin) && !isOf(each, card.id),
  );
  const isFixture = !origin?.key && !order;
  return {
    at: iso(card.createdAtMs),
    what: origin?.replaces ? "Ordered as a replacement" : isFixture ? "Created with the company" : "Ordered",
    by: isFixture ? "fixtures" : (origin?.member ?? "–"),
    request: order && journalId(journal, order),
    card: origin?.replaces ?? undefined,
  };
}

/** Whether a request's path names the card. */
function isOf({ exchange }: RecordedRequest, id: string): boolean {
  return exchange.path.toLowerCase().includes(id);
}

function replacementOf(
  { stored, origin, journal }: Sources,
  requests: readonly RecordedRequest[],
): CardEvent[] {
  if (!origin?.replacedBy) return [];
  const request = requests.find(
    (each) =>
      each.exchange.operation === "replaceCard" && hasSucceeded(each.exchange) && isOf(each, stored.card.id),
  );
  return [
    {
      at: iso(origin.replacedAtMs ?? 0),
      what: "Replaced",
      by: origin.replacedByMember ?? "–",
      to: "terminated",
      request: request && journalId(journal, request),
      card: origin.replacedBy,
    },
  ];
}

function transactionsOf({ transactions }: Sources): CardEvent[] {
  return transactions.toReversed().flatMap((each) => {
    const { id, status, direction, type, amount, currency, merchant, decline_reason, completed_at } = each;
    const paid = direction === "credit" ? "Refund" : type === "atm" ? "Withdrawal" : "Payment";
    const sum = `${amount} ${currency}`;
    const event = { by: merchant?.name ?? "–", transaction: id };
    const isDeclined = status === "declined";
    const outcome = isDeclined
      ? `: ${decline_reason?.replaceAll("_", " ")}`
      : status === "reverted"
        ? ", reversed since"
        : "";
    const made = {
      ...event,
      at: each.created_at,
      what: `${paid} of ${sum}${outcome}`,
      isRefused: isDeclined,
    };
    const wasPending = completed_at !== null && completed_at !== each.created_at && direction === "debit";
    return wasPending ? [made, { ...event, at: completed_at, what: `${paid} of ${sum} cleared` }] : [made];
  });
}

/** The database only has the latest status of the delivery. */
function deliveryOf({ parcel, log, stored }: Sources): CardEvent[] {
  if (!parcel || log.of(stored).some((each) => each.parcel === parcel.status)) return [];
  const { status, movedAtMs } = parcel;
  return [{ at: iso(movedAtMs), what: `Delivery: ${status}`, by: "delivery service", parcel: status }];
}

const untouched: ReadonlySet<CardStatus> = new Set(["inactive", "active"]);

/** The card's status if no known event led to it: the card expired by its date, or the sandbox was restarted. */
function statusWithoutCause({ stored, nowMs }: Sources, known: readonly CardEvent[]): CardEvent[] {
  const { status, expiryDate } = stored.card;
  if (untouched.has(status) || known.some(({ to }) => to === status)) return [];
  const endMs = endOfDay(expiryDate);
  if (status === "expired" && endMs <= nowMs) {
    return [{ at: iso(endMs), what: "Expired", by: "its expiry date", to: status }];
  }
  return [{ at: null, what: `Became ${status}`, by: "no longer known", to: status }];
}
