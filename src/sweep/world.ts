import { defaultName } from "../cards/card.ts";
import type { WorldDifference } from "../journal/sweep-report.ts";
import { formatMinor } from "../rules/money.ts";
import type { Services } from "../runtime/services.ts";
import { pageOfCards } from "../store/cards.ts";
import { findCompany } from "../store/companies.ts";
import { type CompanyListing, listCompanies } from "../store/world-listing.ts";

/** Whether the sandbox chose the slug, because the client gave none. */
export function hasGeneratedSlug(label: string): boolean {
  return /(^|\/)company-\d+$/.test(label);
}

/** The label for all companies whose slugs depend on the run. */
export const unnamed = "companies without a fixed slug";

/** The label under which worlds are compared. Generated slugs count companies, so a retried test would shift them. */
export function worldLabelOf(label: string): string {
  return hasGeneratedSlug(label) ? unnamed : label;
}

/** A card as a client leaves it, without anything that depends on time or chance. */
export type CardState = Readonly<Record<string, string>>;

/** The cards that a client leaves, by label. */
export type World = ReadonlyMap<string, readonly CardState[]>;

/** The delivery in the request for a card. */
export interface Delivery {
  readonly address: unknown;
  readonly method: unknown;
}

/** Reads the cards of the called companies at the end of a run, and before a company is reset or deleted. */
export class WorldCapture {
  readonly #services: Services;
  /** The labels of companies that the client called, by row. */
  readonly #companies = new Map<number, string>();
  readonly #deliveries = new Map<string, Delivery>();
  readonly #cards = new Map<string, CardState[]>();

  constructor(services: Services) {
    this.#services = services;
    services.generations.onEnding((companyPk) => {
      const ending = companyPk === undefined ? [...this.#companies.keys()] : [companyPk];
      for (const pk of ending) this.#read(pk);
    });
  }

  add(companyPk: number, label: string): void {
    this.#companies.set(companyPk, label);
  }

  noteDelivery(cardId: string, delivery: Delivery): void {
    this.#deliveries.set(cardId, delivery);
  }

  world(expected: Iterable<string>): World {
    for (const label of expected) {
      const company = this.#cards.has(label) ? undefined : findCompany(this.#services.database, label);
      if (company) this.add(company.pk, label);
    }
    for (const pk of [...this.#companies.keys()]) this.#read(pk);
    return this.#cards;
  }

  #read(companyPk: number): void {
    const label = this.#companies.get(companyPk);
    if (label === undefined) return;
    this.#companies.delete(companyPk);
    const { database, clock, fixtureKeys } = this.#services;
    const [company] = listCompanies(database, clock.now(), fixtureKeys, [companyPk]);
    if (!company) return;
    const name = worldLabelOf(label);
    const cards = this.#cards.get(name) ?? [];
    this.#cards.set(name, cards);
    const all = pageOfCards(database, clock.now(), companyPk, { limit: Number.MAX_SAFE_INTEGER });
    for (const { card } of all) {
      const { address, method } = this.#deliveries.get(card.id) ?? {};
      cards.push({
        type: card.type,
        status: card.status,
        account: company.accounts.find(({ id }) => id === card.accountId)?.slug ?? card.accountId,
        holder: holderIn(company, card.memberId),
        // A default name has digits of the card number.
        name: card.name === defaultName(card.type, card.lastFour) ? "none" : card.name,
        spending_limit: card.spendingLimit
          ? `${formatMinor(card.spendingLimit.amountMinor)} ${card.spendingLimit.period}`
          : "none",
        auto_convert: String(card.autoConvert),
        delivery_address: address === undefined ? "none" : JSON.stringify(address),
        delivery_method: typeof method === "string" ? method : "none",
      });
    }
  }
}

/** A member's slug, without the slug of the company with which a generated one begins. */
function holderIn({ slug, members }: CompanyListing, memberId: string): string {
  const holder = members.find(({ id }) => id === memberId)?.slug ?? memberId;
  return holder.startsWith(`${slug}-`) ? holder.slice(slug.length + 1) : holder;
}

/** The number of cards, as a field on which two worlds can differ. */
const numberOfCards = "number of cards";

/** The fields by which the cards of a label cannot be compared, because two runs without faults differ in them. */
export type LeftOut = ReadonlyMap<string, readonly string[]>;

export function leftOutOf(first: World, second: World): LeftOut {
  const leftOut = new Map<string, readonly string[]>();
  for (const label of new Set([...first.keys(), ...second.keys()])) {
    const fields = differingFields(first.get(label) ?? [], second.get(label) ?? []);
    if (fields.length > 0) leftOut.set(label, fields);
  }
  return leftOut;
}

function differingFields(first: readonly CardState[], second: readonly CardState[]): string[] {
  if (first.length !== second.length) return [numberOfCards];
  const fields = Object.keys(first[0] ?? {});
  const differing = fields.filter((field) => !areEqual(first, second, (card) => card[field] ?? ""));
  // Fields that agree one by one can still differ in combination: then more of them are left out, the longest texts first.
  for (const field of ["delivery_address", "name", "spending_limit", ...fields]) {
    if (areEqual(first, second, (card) => textOf(card, differing))) break;
    if (!differing.includes(field)) differing.push(field);
  }
  return differing;
}

function areEqual(
  first: readonly CardState[],
  second: readonly CardState[],
  text: (card: CardState) => string,
): boolean {
  return surplus(first.map(text), second.map(text)).size === 0 && first.length === second.length;
}

function textOf(card: CardState, leftOut: readonly string[]): string {
  return JSON.stringify(Object.entries(card).filter(([field]) => !leftOut.includes(field)));
}

/** The texts that occur more often in `some` than in `others`, and how much more often. */
function surplus(some: readonly string[], others: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of some) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) - 1);
  return new Map([...counts].filter(([, times]) => times > 0));
}

/** The cards that only one of two worlds has. Labels with a varying number of cards are not compared. */
export function differencesBetween(reference: World, cell: World, leftOut: LeftOut): WorldDifference[] {
  const labels = [...new Set([...reference.keys(), ...cell.keys()])].sort();
  return labels.flatMap((label) => {
    const ignored = leftOut.get(label) ?? [];
    if (ignored.includes(numberOfCards)) return [];
    const [expected, actual] = [reference, cell].map((world) =>
      (world.get(label) ?? []).map((card) => textOf(card, ignored)),
    ) as [string[], string[]];
    const only = (which: "reference" | "cell", texts: ReadonlyMap<string, number>): WorldDifference[] =>
      [...texts]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([text, times]) => ({ label, only: which, times, card: Object.fromEntries(JSON.parse(text)) }));
    return [...only("reference", surplus(expected, actual)), ...only("cell", surplus(actual, expected))];
  });
}

/** The labels that have more cards than in the reference run, with both numbers. */
export function labelsWithMoreCards(reference: World, cell: World, leftOut: LeftOut) {
  return [...cell].flatMap(([label, cards]) => {
    const expected = reference.get(label)?.length ?? 0;
    const varies = leftOut.get(label)?.includes(numberOfCards);
    return !varies && cards.length > expected ? [{ label, expected, actual: cards.length }] : [];
  });
}
