import type { AccountId } from "../contract/identifiers.ts";
import type { Permission } from "../contract/operations.ts";
import type { AccountStatus, CompanyStatus } from "./company.ts";
import type { CardLimitsMinor } from "./limits.ts";

/** Facts that replace those of the world for one request. The world does not change. */
export interface FactsOverlay {
  readonly token?: "expired" | "refused";
  readonly keyRevoked?: true;
  /** False: the request is refused as invalid, for a reason of the service's own. */
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
  /** The amounts that a card has spent cannot be read (spec §2). */
  readonly usedUnreadable?: true;
}

/** The issuer's answers (spec §7: 422, 502, 503). */
export type IssuerAnswer =
  | { readonly outcome: "issued" }
  | { readonly outcome: "rejected"; readonly reason: string }
  | { readonly outcome: "bad_gateway" }
  | { readonly outcome: "unavailable" };

/**
 * The card issuer. If it answers at once, the whole order is one transaction. If it returns a promise, the order's
 * idempotency key is in progress until the promise settles.
 */
export interface Issuer {
  issue(): IssuerAnswer | PromiseLike<IssuerAnswer>;
}

/** Issues every card at once. */
const promptIssuer: Issuer = { issue: () => ({ outcome: "issued" }) };

/** The messages for an issuer that fails (spec §7). */
export const issuerMessages = {
  badGateway: "The card issuer sent no valid response. Retry later with the same Idempotency-Key.",
  unavailable: "The card issuer is unavailable. Retry later with the same Idempotency-Key.",
};

/** The faults for the events of one request. */
export interface EventFaults {
  readonly faults: WebhookFaults;
  /** Whether they were applied to an event. `webhooks/events.ts` sets it, and the request's step claim reads it. */
  applied: boolean;
}

/** Faults in the delivery of an event. */
export interface WebhookFaults {
  /** The delivery arrives twice, with the same `webhook-id`. */
  readonly duplicate?: true | undefined;
  /** It arrives after the webhook's next event or, if there is none, after five seconds of the sandbox's time. */
  readonly reorder?: true | undefined;
  /** Its timestamp is ten minutes old; its signature is valid. */
  readonly stale?: true | undefined;
  /** Its signature matches no secret. */
  readonly badSignature?: true | undefined;
}

/** What a scenario changes for one request. Without a scenario, `plainOverlay`. */
export interface Overlay {
  readonly facts: FactsOverlay;
  readonly issuer: Issuer;
  /** The lifetime of an access token, instead of the usual one. */
  readonly tokenLifetimeMs?: number | undefined;
  /** Faults in the deliveries of the events that the request causes. */
  readonly webhook?: EventFaults | undefined;
}

export const plainOverlay: Overlay = { facts: {}, issuer: promptIssuer };

/** The facts of the world that an order's checks use, read at one instant. */
export interface OrderWorld {
  readonly companyStatus: CompanyStatus;
  readonly companyDetailsComplete: boolean;
  readonly cardholderDetailsComplete: boolean;
  readonly cardQuota: number;
  /** The company's current time. */
  readonly nowMs: number;
  /** Cards neither expired nor terminated. */
  readonly liveCards: number;
  /** The number of cards ever created in the company. */
  readonly cardsMade: number;
  readonly designId: string;
  readonly limits: CardLimitsMinor;
  /** `undefined` if the company has no such account. */
  readonly account:
    | {
        readonly pk: number;
        readonly id: AccountId;
        readonly currency: string;
        readonly status: AccountStatus;
      }
    | undefined;
}

/** The facts that an order's checks use: those of the world, unless the overlay replaces them. */
export interface OrderFacts extends Omit<OrderWorld, "cardQuota" | "liveCards"> {
  /** `undefined`: the list of countries decides. */
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
