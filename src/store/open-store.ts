import type { AccountId, CardId, CompanyId, Environment, IdempotencyKey } from "../contract/identifiers.ts";
import type { DeliveryId, EventType, WebhookId } from "../contract/webhook.ts";
import type { Clock } from "../rules/clock.ts";
import type { OrderWorld } from "../rules/facts.ts";
import type { Role } from "../rules/permissions.ts";
import type { MemberStatus } from "../rules/statuses.ts";
import { accessTokens } from "./access-tokens.ts";
import { type AccountQueries, accounts, type NewAccount } from "./accounts.ts";
import { type ApiKeyRecord, apiKeys, type NewApiKey } from "./api-keys.ts";
import type { Caller } from "./callers.ts";
import {
  type CardFilters,
  type CardPlace,
  type CardRecord,
  cards,
  type DueCard,
  type IdempotencyScope,
  type KeptCard,
  type NumberedCard,
  type Parcel,
  type SpendingCard,
} from "./cards.ts";
import { type CompanyOfMember, companies, type NewCompany } from "./companies.ts";
import type { Database, Listed, Page } from "./database.ts";
import { type InvoiceQueries, invoices } from "./invoices.ts";
import { members, type NewMember } from "./members.ts";
import { orderWorld } from "./order-world.ts";
import { type TransactionQueries, transactions } from "./transactions.ts";
import { type DeliveryRecord, deliveries, type NewDelivery } from "./webhook-deliveries.ts";
import { type NewWebhook, type PreviousSecret, type WebhookRecord, webhooks } from "./webhooks.ts";

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

const nextNumber = `
  INSERT INTO counters (company_pk, kind, value) VALUES (?, ?, 1)
  ON CONFLICT (company_pk, kind) DO UPDATE SET value = value + 1 RETURNING value`;

/** The store behind core's operations, on a database that has the current schema. */
export function openStore(database: Database, fixtureKeys: boolean, clock: Pick<Clock, "now">): Store {
  return {
    nextNumber(companyPk: number, kind: CounterKind) {
      const row = database.get<{ value: number }>(nextNumber, companyPk, kind);
      if (!row) throw new Error("INSERT … RETURNING value answered no row");
      return row.value;
    },
    apiKeys: apiKeys(database, fixtureKeys),
    accessTokens: accessTokens(database),
    companies: companies(database),
    members: members(database),
    accounts: accounts(database),
    cards: cards(database, clock),
    transactions: transactions(database),
    invoices: invoices(database),
    orderWorld: orderWorld(database, clock),
    webhooks: webhooks(database),
    deliveries: deliveries(database),
  };
}
