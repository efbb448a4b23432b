import type { AccountId } from "../contract/identifiers.ts";
import type { Permission } from "../contract/operations.ts";
import { type Issuer, promptIssuer } from "./issuer.ts";
import type { CardLimitsMinor } from "./spending-limit.ts";
import type { AccountStatus, CompanyStatus } from "./statuses.ts";
import type { EventFaults } from "./webhook-faults.ts";

/** What the world holds that an order is judged by, read at one instant. */
export interface OrderWorld {
  readonly companyStatus: CompanyStatus;
  readonly companyDetailsComplete: boolean;
  readonly cardholderDetailsComplete: boolean;
  readonly cardQuota: number;
  /** The company's time at that instant. */
  readonly nowMs: number;
  /** Cards neither expired nor terminated. */
  readonly liveCards: number;
  /** Cards ever made in the company: its card counter. */
  readonly cardsMade: number;
  readonly designId: string;
  readonly limits: CardLimitsMinor;
  /** `undefined` where the company has no such account. */
  readonly account:
    | {
        readonly pk: number;
        readonly id: AccountId;
        readonly currency: string;
        readonly status: AccountStatus;
      }
    | undefined;
}

/** What one request is to believe in place of the world. It edits nothing. */
export interface FactsOverlay {
  readonly token?: "expired" | "refused";
  readonly keyRevoked?: true;
  /** False: refused as invalid, for a reason of the service's own. */
  readonly requestValid?: false;
  readonly permissions?: readonly Permission[];
  readonly entitled?: boolean;
  readonly account?: AccountStatus | "missing";
  readonly changeInProgress?: boolean;
  readonly companyStatus?: CompanyStatus;
  readonly companyDetailsComplete?: boolean;
  readonly cardholderDetailsComplete?: boolean;
  readonly countryDeliverable?: boolean;
  readonly quotaReached?: boolean;
  /** What a card has spent cannot be read (spec §2). */
  readonly usedUnreadable?: true;
}

/** What is forced on one request: the facts that it believes, and the issuer that it meets. */
export interface Overlay {
  readonly facts: FactsOverlay;
  readonly issuer: Issuer;
  /** How long an access token lives; absent: as usual. */
  readonly tokenLifetimeMs?: number | undefined;
  /** What goes wrong with the deliveries of the events that it causes. */
  readonly webhook?: EventFaults | undefined;
}

/** The world as it is. */
export const plainOverlay: Overlay = { facts: {}, issuer: promptIssuer };

/** What an order is judged by: the world under the request's overlay. */
export interface OrderFacts extends Omit<OrderWorld, "cardQuota" | "liveCards"> {
  /** `undefined`: as the country list says. */
  readonly countryDeliverable: boolean | undefined;
  readonly quotaReached: boolean;
}

export function factsOf(world: OrderWorld, overlay: FactsOverlay): OrderFacts {
  return {
    cardsMade: world.cardsMade,
    nowMs: world.nowMs,
    designId: world.designId,
    limits: world.limits,
    companyStatus: overlay.companyStatus ?? world.companyStatus,
    companyDetailsComplete: overlay.companyDetailsComplete ?? world.companyDetailsComplete,
    cardholderDetailsComplete: overlay.cardholderDetailsComplete ?? world.cardholderDetailsComplete,
    account: accountUnder(overlay.account, world.account),
    countryDeliverable: overlay.countryDeliverable,
    quotaReached: overlay.quotaReached ?? world.liveCards >= world.cardQuota,
  };
}

function accountUnder(overlay: FactsOverlay["account"], account: OrderWorld["account"]) {
  if (overlay === "missing") return undefined;
  return account && overlay ? { ...account, status: overlay } : account;
}
