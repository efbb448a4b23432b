import fc from "fast-check";
import type { History } from "./history.ts";
import { anyOf, pick, pickFitting } from "./step.ts";
import { type Account, type Card, type Company, hasEnded, minorOf, type Period } from "./world.ts";

/** No account and no card has this id. */
export const unknownId = "9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11";

/** Spending limits that are reached soon, or that are at their caps. */
export const limits = fc.record({
  period: fc.constantFrom<Period[]>("daily", "weekly", "monthly", "lifetime"),
  amount: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("40.00", "100.5") },
    { weight: 4, arbitrary: fc.constantFrom("10000.00", "10000.01", "50000.00", "50000.01") },
  ),
});
type AccountChoice = "main" | "small" | "closed" | "foreign" | "unknown";
export const accountChoices = fc.oneof(
  { weight: 5, arbitrary: fc.constant<AccountChoice>("main") },
  { weight: 2, arbitrary: fc.constant<AccountChoice>("small") },
  { weight: 3, arbitrary: fc.constantFrom<AccountChoice[]>("closed", "foreign", "unknown") },
);

/** An account by its relation to the company; an unknown id if the company has no such account. */
export function accountChosen(
  history: History,
  company: Company | undefined,
  choice: AccountChoice,
): Pick<Account, "id"> {
  const own = company?.accounts ?? history.world.companies[0]?.accounts ?? [];
  const others = history.world.companies.filter(({ id }) => id !== company?.id);
  const found = {
    main: own[0],
    small: own[1] ?? own[0],
    closed: own.find(({ status }) => status === "closed"),
    foreign: others[0]?.accounts[0],
    unknown: undefined,
  }[choice];
  return found ?? { id: unknownId };
}

export const limitOf = (limit: { period: Period; amount: string } | undefined): Card["limit"] =>
  limit ? { period: limit.period, amountMinor: minorOf(limit.amount) } : null;

/** Few keys, so that they are reused. */
const idempotencyKeys = ["7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30", "0d1f7a52-58c3-4f0e-8a6b-2b9e4c7d1a11"];
export const keyChoices = fc.oneof(
  { weight: 9, arbitrary: fc.record({ n: fc.nat(1), isUpper: fc.boolean() }) },
  { weight: 9, arbitrary: fc.constant("new" as const) },
  { weight: 1, arbitrary: fc.constantFrom("missing" as const, "no UUID" as const) },
);
type KeyChoice = typeof keyChoices extends fc.Arbitrary<infer Value> ? Value : never;

/** The chosen Idempotency-Key; undefined if none is sent. */
export function keyOf(history: History, choice: KeyChoice): string | undefined {
  if (choice === "missing") return undefined;
  if (choice === "no UUID") return "order-1";
  if (choice === "new") return history.newUuid();
  const key = pick(idempotencyKeys, choice.n) ?? "";
  return choice.isUpper ? key.toUpperCase() : key;
}

/** Any card, mostly of the caller's company. */
export const cardChoices = fc.record({ own: fc.nat(9).map((n) => n > 0), n: anyOf });

export function cardChosen(
  history: History,
  company: Company | undefined,
  { own, n }: { own: boolean; n: number },
  fits = (card: Card) => !hasEnded(card),
): Card | undefined {
  const among = own && company ? company.cards : history.world.companies.flatMap(({ cards }) => cards);
  return pickFitting(among, n, fits);
}
