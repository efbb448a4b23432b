import type { CardStatus, CardType } from "../contract/card.ts";
import type { ParcelStatus } from "../contract/delivery-address.ts";
import type {
  AccountId,
  CardId,
  CompanyId,
  Environment,
  IdempotencyKey,
  MemberId,
} from "../contract/identifiers.ts";
import type { Area, OperationId } from "../contract/operations.ts";
import type { DeliveryId, DeliveryStatus, EventType, WebhookId, WebhookStatus } from "../contract/webhook.ts";
import type { OrderWorld } from "../rules/facts.ts";
import type { Role } from "../rules/permissions.ts";
import type { CardLimitsMinor, SpendingLimit } from "../rules/spending-limit.ts";
import type { AccountStatus, CompanyStatus, KeyStatus, MemberStatus } from "../rules/statuses.ts";
import type { WebhookFaults } from "../rules/webhook-faults.ts";
import type {
  AccountQueries,
  CompanyOfMember,
  InvoiceQueries,
  Listed,
  Page,
  TransactionQueries,
} from "./ledger-ports.ts";

/** The member who calls, in the company acted for. `…Pk` are the store's own row numbers. */
export interface Caller {
  readonly environment: Environment;
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly companySlug: string;
  readonly entitlements: readonly Area[];
  /** How far the company's time is ahead of the sandbox's clock. */
  readonly clockOffsetMs: number;
  readonly memberPk: number;
  readonly memberId: MemberId;
  readonly memberSlug: string;
  readonly role: Role;
  /** The API key behind the access token, or the one that is exchanged. */
  readonly apiKeyPk: number;
  readonly apiKeyId: string;
  readonly apiKeyPrefix: string;
}

/** A company by what it can be named by. */
export type CompanyNames = Pick<Caller, "companyId" | "companySlug" | "environment">;

export interface ApiKeyRecord {
  readonly status: KeyStatus;
  readonly membershipPk: number;
  readonly memberStatus: MemberStatus;
  /** The member that owns it. */
  readonly caller: Caller;
}

/** A card as it is kept. Neither a PIN nor a card number is among it. */
export interface CardRecord {
  readonly id: CardId;
  readonly token: string;
  readonly companyId: CompanyId;
  readonly accountId: AccountId;
  readonly memberId: MemberId;
  readonly type: CardType;
  readonly designId: string;
  readonly status: CardStatus;
  readonly name: string;
  readonly lastFour: string;
  readonly expiryDate: string;
  readonly autoConvert: boolean;
  readonly threeDsBiometric: boolean;
  readonly spendingLimit: SpendingLimit | null;
  readonly currency: string;
  readonly limits: CardLimitsMinor;
  readonly createdAtMs: number;
}

/** A card, and its row's number. */
export interface NumberedCard {
  readonly pk: number;
  readonly card: CardRecord;
  /** Of a card that was found by its idempotency key, as `CardPlace` says. */
  readonly orderDigest?: string | undefined;
}

/** A card with what the store alone knows of it. */
export interface KeptCard extends NumberedCard {
  readonly companyPk: number;
  readonly memberPk: number;
  /** The state in which the operator's hold found it. */
  readonly heldFrom: CardStatus | null;
}

/** A card whose expiry was just recorded: its number in its company, its status before, and the time of its expiry. */
export interface DueCard {
  readonly number: number;
  readonly status: CardStatus;
  /** By the company's clock. */
  readonly atMs: number;
}

/** Where the parcel of a physical card is (assumed). */
export interface Parcel {
  readonly status: ParcelStatus;
  readonly movedAtMs: number;
}

/** A card, and the rows and the time that a payment by it goes by. */
export interface SpendingCard extends NumberedCard {
  readonly companyPk: number;
  readonly accountPk: number;
  readonly companyStatus: CompanyStatus;
  readonly clockOffsetMs: number;
}

/** Which of a company's cards are meant; what is absent filters nothing. */
export interface CardFilters {
  readonly memberPk?: number | undefined;
  readonly tokens?: readonly string[] | undefined;
  readonly account_id?: AccountId | undefined;
  readonly user_id?: MemberId | undefined;
  readonly status?: readonly CardStatus[] | undefined;
  readonly type?: CardType | undefined;
  /** Only cards before this position, which are older. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Within which an idempotency key means one thing; it outlives tokens and API keys. A company is of one environment. */
export interface IdempotencyScope {
  readonly companyPk: number;
  readonly memberPk: number;
  readonly operation: OperationId;
  readonly key: IdempotencyKey;
}

/** The rows that a new card points to; `idempotency` is null for a card of the seed world. */
export interface CardPlace {
  readonly companyPk: number;
  readonly accountPk: number;
  readonly memberPk: number;
  /** Which of its company's cards it is, from 1; also its position in the company's list. */
  readonly number: number;
  readonly idempotency: Pick<IdempotencyScope, "operation" | "key"> | null;
  /** Hash of the order, to recognise a repeated one. */
  readonly orderDigest?: string | undefined;
}

/** What a company counts on its own; its cards are counted in its row. */
export type CounterKind =
  | "companies"
  | "company_names"
  | "members"
  | "accounts"
  | "api_keys"
  | "access_tokens"
  | "armed_scenarios"
  | "transactions"
  | "bookings"
  | "invoices"
  | "webhooks"
  | "webhook_secrets"
  | "webhook_deliveries";

export interface NewCompany {
  readonly id: CompanyId;
  readonly environment: Environment;
  readonly slug: string;
  readonly name: string;
  readonly countryCode: string;
  readonly status: CompanyStatus;
  readonly detailsComplete: boolean;
  readonly entitlements: readonly Area[];
  readonly cardQuota: number;
  readonly designId: string;
  readonly limits: CardLimitsMinor;
  readonly createdAtMs: number;
}

export interface NewMember {
  readonly id: MemberId;
  readonly companyPk: number;
  readonly environment: Environment;
  readonly slug: string;
  readonly name: string;
  readonly detailsComplete: boolean;
}

export interface NewAccount {
  readonly id: AccountId;
  readonly companyPk: number;
  readonly slug: string;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly balanceMinor: number;
  readonly createdAtMs: number;
}

export interface NewApiKey {
  readonly id: string;
  readonly companyPk: number;
  readonly membershipPk: number;
  readonly environment: Environment;
  readonly hash: Uint8Array;
  readonly prefix: string;
  readonly status: KeyStatus;
  /** The secret of a key of the fixtures, which is public; every other key is stored as a hash only. */
  readonly publicSecret: string | null;
  readonly label: string | null;
}

/** An earlier secret that signs until an instant by the company's clock. */
export interface PreviousSecret {
  readonly number: number;
  readonly untilMs: number;
}

/** A webhook, its secrets by their numbers. */
export interface WebhookRecord {
  readonly pk: number;
  readonly id: WebhookId;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly status: WebhookStatus;
  /** Which of its company's secrets it has. */
  readonly secretNumber: number;
  /** The newest first; those that expired may be among them. */
  readonly previousSecrets: readonly PreviousSecret[];
  readonly pendingDeliveries: number;
  readonly createdAtMs: number;
}

export interface NewWebhook extends Omit<WebhookRecord, "pk" | "previousSecrets" | "pendingDeliveries"> {
  readonly companyPk: number;
}

/** One event on its way to one webhook, times by the company's clock. */
export interface DeliveryRecord {
  readonly pk: number;
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  readonly event: EventType;
  /** The bytes that are signed and sent. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly dueAtMs: number;
  readonly createdAtMs: number;
  readonly attempts: readonly {
    readonly atMs: number;
    /** Null where the receiver did not answer. */
    readonly responseStatus: number | null;
    /** Null where it was a success. */
    readonly error: string | null;
  }[];
}

export interface NewDelivery {
  readonly id: DeliveryId;
  readonly companyPk: number;
  readonly webhookPk: number;
  readonly event: EventType;
  readonly body: string;
  readonly dueAtMs: number;
  /** The reason why it is not sent; undefined: it is pending. */
  readonly rejected: string | undefined;
  readonly faults: WebhookFaults | undefined;
  readonly createdAtMs: number;
}

/** What core asks of the store; each insert answers the new row's number. */
export interface Store {
  /** The next number of a counter, from 1; `companyPk` 0 is the sandbox as a whole. */
  nextNumber(companyPk: number, kind: CounterKind): number;

  readonly apiKeys: {
    insert(key: NewApiKey): number;
    byHash(hash: Uint8Array): ApiKeyRecord | undefined;
  };
  readonly accessTokens: {
    /** From here on who calls is looked up once for many requests. Not within a transaction, nor before the schema. */
    rememberCallers(): void;
    insert(token: {
      readonly hash: Uint8Array;
      readonly companyPk: number;
      readonly apiKeyPk: number;
      readonly expiresAtMs: number;
    }): number;
    /** Forgets some that expired long ago, by how many have been made since, so that they do not pile up. */
    forgetExpired(latestPk: number, nowMs: number): void;
    bySecret(accessToken: string): { readonly expiresAtMs: number; readonly caller: Caller } | undefined;
  };
  readonly companies: {
    insert(company: NewCompany): number;
    pkBySlug(environment: Environment, slug: string): number | undefined;
    /** Each company, and how far its time is ahead of the sandbox's clock. */
    all(): { readonly companyPk: number; readonly clockOffsetMs: number }[];
    /** How far its time is ahead of the sandbox's clock. */
    clockOffset(companyPk: number): number;
    /** Those in which the member is active. */
    ofMember(memberPk: number, page: Page): Listed<CompanyOfMember>[];
  };
  readonly members: {
    insert(member: NewMember): number;
    join(membership: {
      readonly memberPk: number;
      readonly companyPk: number;
      readonly role: Role;
      readonly status: MemberStatus;
    }): number;
    /** The caller as an active member of another company. */
    inCompany(caller: Caller, companyId: CompanyId): Caller | undefined;
  };
  readonly accounts: AccountQueries & {
    insert(account: NewAccount): number;
  };
  readonly transactions: TransactionQueries;
  readonly invoices: InvoiceQueries;
  /** Everything an order is judged by, in one query. */
  orderWorld(companyPk: number, memberPk: number, accountId: AccountId): OrderWorld;
  readonly cards: {
    byIdempotencyKey(scope: IdempotencyScope): NumberedCard | undefined;
    /** The card that a replacement under the key made. */
    byReplacementKey(companyPk: number, memberPk: number, key: IdempotencyKey): NumberedCard | undefined;
    byId(companyPk: number, id: CardId): KeptCard | undefined;
    /** Whichever company's it is. */
    anywhere(id: CardId): SpendingCard | undefined;
    /** The companies with webhooks that have expired cards whose expiry is not recorded yet. */
    companiesWithDue(): {
      readonly companyPk: number;
      readonly companyId: CompanyId;
      readonly cardsMade: number;
    }[];
    /**
     * Records the expiry of the expired cards with a number above `after`, up to `last`.
     * @returns these cards as they were before, ordered by number
     */
    expire(among: { readonly companyPk: number; readonly after: number; readonly last: number }): DueCard[];
    /** When the next card of a company with webhooks expires, by the sandbox's clock. */
    nextExpiryMs(): number | undefined;
    /** The newest first. */
    list(companyPk: number, filters: CardFilters): Listed<NumberedCard>[];
    /** Keeps the card and counts it in its company's row. */
    insert(card: CardRecord, place: CardPlace): void;
    /** @param hasJustEnded - whether it counts no more in its company's row */
    update(kept: KeptCard, hasJustEnded: boolean): void;
    /** Records that a card took another's place, and under which key a member asked for it. */
    recordReplacement(replacement: {
      readonly companyPk: number;
      readonly memberPk: number;
      readonly key: IdempotencyKey;
      readonly oldPk: number;
      readonly newId: CardId;
    }): void;
    /** Whether another card took its place. */
    isReplaced(pk: number): boolean;
    /** How far a card's parcel has come; undefined while nothing was said of it. */
    parcel(pk: number): Parcel | undefined;
    moveParcel(pk: number, parcel: Parcel): void;
  };
  readonly webhooks: {
    insert(webhook: NewWebhook): number;
    /** The newest first. */
    list(companyPk: number, page: Page): Listed<WebhookRecord>[];
    byId(companyPk: number, id: WebhookId): WebhookRecord | undefined;
    count(companyPk: number): number;
    /** What an event of a company is measured by: its active webhooks, and its own time. One look-up. */
    ofCompany(companyPk: number): readonly {
      readonly pk: number;
      readonly events: readonly EventType[];
      readonly id: WebhookId;
      readonly createdAtMs: number;
      readonly pendingDeliveries: number;
      readonly companyId: CompanyId;
      readonly clockOffsetMs: number;
    }[];
    change(pk: number, change: Pick<WebhookRecord, "url" | "events" | "status">): void;
    /** Its deliveries go with it. */
    delete(pk: number): void;
    rotate(pk: number, secretNumber: number, previousSecrets: readonly PreviousSecret[]): void;
  };
  readonly deliveries: {
    insert(delivery: NewDelivery): number;
    /** The newest first. */
    list(webhookPk: number, page: Page): Listed<DeliveryRecord>[];
    byId(webhookPk: number, id: DeliveryId): DeliveryRecord | undefined;
    /** Whether one of the webhook's is held back, to arrive after the next. */
    isHoldingBack(webhookPk: number): boolean;
    /** Sends it on its way anew. */
    renew(pk: number, dueAtMs: number): void;
  };
}
