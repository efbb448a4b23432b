import type { Environment } from "../../src/contract/identifiers.ts";
import type { CompanyListing } from "../../src/store/world-listing.ts";
import type { Armed } from "./scenarios.ts";

export type Status =
  | "inactive"
  | "active"
  | "frozen"
  | "suspended"
  | "locked"
  | "blocked"
  | "expired"
  | "terminated";
export type Role = CompanyListing["members"][number]["role"];
export type Period = "daily" | "weekly" | "monthly" | "lifetime";

export interface Card {
  id: string;
  token: string;
  lastFour: string;
  type: "physical" | "virtual";
  accountId: string;
  memberId: string;
  status: Status;
  /** The state before the operator held it. */
  heldFrom: Status;
  name: string;
  autoConvert: boolean;
  limit: { period: Period; amountMinor: number } | null;
  createdMs: number;
  expiryDate: string;
  /** The card that it replaces. */
  replaces: Card | undefined;
  isReplaced: boolean;
}

export interface Transaction {
  id: string;
  accountId: string;
  card: Card | undefined;
  type: "card_payment" | "card_refund" | "topup";
  status: "pending" | "completed" | "declined" | "reverted";
  amountMinor: number;
  /** When its payment was authorised, which decides the period. */
  spentMs: number;
  refundedMinor: number;
  runningMinor: number | null;
  declineReason: string | null;
}

export interface Account {
  id: string;
  status: string;
  balanceMinor: number;
}

export interface Member {
  id: string;
  slug: string;
  role: Role;
  detailsComplete: boolean;
  /** The company with which the member was made. */
  homeId: string;
}

export interface Key {
  id: string;
  secret: string;
  memberId: string;
  status: string;
}

/** The card of an Idempotency-Key. */
export interface Made {
  operation: string;
  memberId: string;
  key: string;
  card: Card;
  meaning: string | undefined;
}

export interface Company {
  id: string;
  slug: string;
  environment: Environment;
  status: string;
  detailsComplete: boolean;
  quota: number;
  /** Its clock offset from the sandbox. */
  aheadMs: number;
  accounts: Account[];
  members: Member[];
  keys: Key[];
  cards: Card[];
  transactions: Transaction[];
  made: Made[];
  /** The number of steps taken of chosen scenarios, by scenario and key. */
  chosen: Record<string, number>;
}

export interface Token {
  value: string;
  /** The company and the member of its API key. */
  companyId: string;
  memberId: string;
  expiresMs: number;
}

/** Everything that a reset discards and a snapshot keeps, as plain data that can be cloned. */
export interface World {
  clock: { frozenAtMs: number | null; aheadMs: number };
  companies: Company[];
  tokens: Token[];
  armed: Armed[];
  /** The initial state of each company by id. */
  beginnings: Record<string, Company>;
}

const owner = (slug: string) => ({
  slug: `${slug}-owner`,
  name: "Olivia Hartley",
  role: "owner",
  api_keys: [{ secret: `sk_sandbox_${slug}_owner` }],
});

/** The default world, with small quotas and balances, which short histories use up. */
export const seedOfHistories = {
  companies: [
    {
      slug: "acme",
      name: "Acme Ltd",
      country_code: "GB",
      card_quota: 3,
      accounts: [
        { slug: "main", name: "Main", currency: "EUR", balance: "20000.00" },
        { slug: "small", name: "Small", currency: "EUR", balance: "50.00" },
        { slug: "closed", name: "Closed", currency: "EUR", status: "closed" },
      ],
      members: [
        {
          ...owner("acme"),
          api_keys: [
            { secret: "sk_sandbox_acme_owner" },
            { secret: "sk_sandbox_acme_revoked", status: "revoked" },
          ],
        },
        {
          slug: "acme-admin",
          name: "Arjun Mehta",
          role: "admin",
          api_keys: [{ secret: "sk_sandbox_acme_admin" }],
          other_companies: [{ company: "bolt", role: "admin" }],
        },
        {
          slug: "acme-employee",
          name: "Emma Lindqvist",
          role: "employee",
          api_keys: [{ secret: "sk_sandbox_acme_employee" }],
        },
        {
          slug: "acme-incomplete",
          name: "Ivo Marek",
          role: "owner",
          details_complete: false,
          api_keys: [{ secret: "sk_sandbox_acme_incomplete" }],
        },
      ],
    },
    {
      slug: "bolt",
      name: "Bolt Ltd",
      country_code: "GB",
      card_quota: 2,
      accounts: [{ slug: "main", name: "Main", currency: "EUR", balance: "500.00" }],
      members: [owner("bolt")],
    },
    {
      slug: "acme",
      environment: "live",
      name: "Acme Ltd",
      country_code: "GB",
      card_quota: 1,
      accounts: [{ slug: "main", name: "Main", currency: "EUR", balance: "500.00" }],
      members: [{ ...owner("acme"), api_keys: [{ secret: "sk_live_acme_owner" }] }],
    },
  ],
};

export const minorOf = (decimal: string) => Math.round(Number(decimal) * 100);
export const decimalOf = (minor: number) => (minor / 100).toFixed(2);

/** The initial state of a company from its listing. */
function companyOf(listing: CompanyListing, known: readonly Company[]): Company {
  const homeOf = (memberId: string) =>
    known.find(({ members }) => members.some(({ id }) => id === memberId))?.id ?? listing.id;
  return {
    id: listing.id,
    slug: listing.slug,
    environment: listing.environment,
    status: listing.status,
    detailsComplete: listing.details_complete,
    quota: listing.card_quota,
    aheadMs: 0,
    accounts: listing.accounts.map(({ id, status, balance }) => ({
      id,
      status,
      balanceMinor: minorOf(balance),
    })),
    members: listing.members.map(({ id, slug, role, details_complete }) => ({
      id,
      slug,
      role,
      detailsComplete: details_complete,
      homeId: homeOf(id),
    })),
    keys: listing.members.flatMap(({ id: memberId, api_keys }) =>
      api_keys.map(({ id, secret = "", status }) => ({ id, secret, memberId, status })),
    ),
    cards: [],
    transactions: [],
    made: [],
    chosen: {},
  };
}

export const hasEnded = ({ status }: Card) => status === "expired" || status === "terminated";
export const liveCards = ({ cards }: Company) => cards.filter((card) => !hasEnded(card)).length;
/** Its name in the control API. */
export const nameOf = ({ environment, slug }: Company) => (environment === "live" ? `live/${slug}` : slug);

/** Adds a new company, and keeps its initial state. */
export function addCompany(world: World, listing: CompanyListing): void {
  const company = companyOf(listing, world.companies);
  world.companies.push(company);
  world.beginnings[company.id] = structuredClone(company);
}
