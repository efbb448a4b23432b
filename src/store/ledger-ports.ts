import type { AccountId, CardId, CompanyId, InvoiceId, TransactionId } from "../contract/identifiers.ts";
import type { InvoiceStatus } from "../contract/invoice.ts";
import type {
  DeclineReason,
  Merchant,
  TransactionDirection,
  TransactionStatus,
  TransactionType,
} from "../contract/transaction.ts";
import type { CardSpending } from "../rules/card-use.ts";
import type { Role } from "../rules/permissions.ts";
import type { AccountStatus, CompanyStatus } from "../rules/statuses.ts";
import type { PeriodStarts } from "../rules/uk-calendar.ts";

/** A page of a list, the newest row first: only rows before a position, which are older. */
export interface Page {
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A row and its position in its list: that of the company, the member or the webhook, and of no other. */
export type Listed<Row> = Row & { readonly position: number };

/** An account as it is kept, its amounts in minor units of its currency. */
export interface AccountRecord {
  readonly pk: number;
  readonly id: AccountId;
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly balanceMinor: number;
  /** What pending card payments hold of the balance. */
  readonly heldMinor: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface AccountQueries {
  /** One that is there. */
  byPk(pk: number): AccountRecord;
  /** Whichever company's it is. */
  anywhere(id: AccountId): AccountRecord | undefined;
  /** A company's active accounts, the oldest first. */
  activeOf(companyPk: number): AccountRecord[];
  /** Keeps its balance, what is held, and when that changed. */
  update(account: AccountRecord): void;
  byId(companyPk: number, id: AccountId): AccountRecord | undefined;
  list(companyPk: number, page: Page): Listed<AccountRecord>[];
}

/** A company in which a member has a place. */
export interface CompanyOfMember {
  readonly id: CompanyId;
  readonly name: string;
  readonly countryCode: string;
  readonly status: CompanyStatus;
  readonly role: Role;
  readonly createdAtMs: number;
}

/** An invoice as it is kept; its total is its net and its VAT. */
export interface InvoiceRecord {
  readonly pk: number;
  readonly id: InvoiceId;
  readonly companyPk: number;
  readonly number: string;
  readonly status: InvoiceStatus;
  readonly currency: string;
  readonly netMinor: number;
  readonly vatMinor: number;
  /** ISO dates by the UK calendar, as all of an invoice's. */
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly paidAtMs: number | null;
}

export interface InvoiceFilters extends Page {
  readonly status?: readonly InvoiceStatus[] | undefined;
  /** Issued on this date or later. */
  readonly from?: string | undefined;
  /** Issued before this date. */
  readonly to?: string | undefined;
}

export interface InvoiceQueries {
  insert(invoice: Omit<InvoiceRecord, "pk">): InvoiceRecord;
  byId(companyPk: number, id: InvoiceId): InvoiceRecord | undefined;
  list(companyPk: number, filters: InvoiceFilters): Listed<InvoiceRecord>[];
  setStatus(pk: number, status: InvoiceStatus, paidAtMs: number | null): void;
}

/**
 * A transaction as it is kept. `…Minor` are of the account's currency, `original…Minor` of the merchant's, and
 * `spentEurMinor` of the card limits'.
 */
export interface TransactionRecord {
  readonly pk: number;
  readonly id: TransactionId;
  readonly companyPk: number;
  readonly accountPk: number;
  readonly accountId: AccountId;
  readonly currency: string;
  readonly cardPk: number | null;
  readonly cardId: CardId | null;
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly direction: TransactionDirection;
  /** What it holds, moved, let go or was refused. */
  readonly amountMinor: number;
  readonly originalMinor: number;
  readonly originalCurrency: string;
  readonly exchangeRate: string | null;
  readonly runningBalanceMinor: number | null;
  /** Which of the company's bookings it is, from 1; null where it moved nothing. */
  readonly booking: number | null;
  readonly merchant: Merchant | null;
  readonly declineReason: DeclineReason | null;
  readonly relatedId: TransactionId | null;
  /** What counts against the card's limits, from `spentAtMs` on; below zero for a refund. */
  readonly spentMinor: number;
  readonly spentEurMinor: number;
  readonly spentAtMs: number;
  /** How much of it was refunded, in the merchant's currency. */
  readonly refundedOriginalMinor: number;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
}

export interface TransactionFilters extends Page {
  /** The member whose cards' transactions alone are meant. */
  readonly memberPk?: number | undefined;
  readonly account_id?: AccountId | undefined;
  readonly card_id?: CardId | undefined;
  readonly type?: readonly TransactionType[] | undefined;
  readonly status?: readonly TransactionStatus[] | undefined;
  readonly direction?: TransactionDirection | undefined;
  /** Made at this instant or later. */
  readonly fromMs?: number | undefined;
  /** Made before this instant. */
  readonly toMs?: number | undefined;
  readonly minMinor?: number | undefined;
  readonly maxMinor?: number | undefined;
}

export interface TransactionQueries {
  insert(transaction: Omit<TransactionRecord, "pk">): TransactionRecord;
  /** Keeps what may change of it. */
  update(transaction: TransactionRecord): void;
  /** @param memberPk - the member whose cards' transactions alone are meant */
  byId(companyPk: number, id: TransactionId, memberPk?: number): TransactionRecord | undefined;
  /** Whichever company's it is. */
  anywhere(id: TransactionId): TransactionRecord | undefined;
  list(companyPk: number, filters: TransactionFilters): Listed<TransactionRecord>[];
  /** What was spent from a card in the periods that began then. */
  spentFrom(cardPk: number, starts: PeriodStarts): CardSpending;
  /** The same of several cards, by their numbers; those from which nothing was spent may be absent. */
  spentFromEach(cardPks: readonly number[], starts: PeriodStarts): ReadonlyMap<number, CardSpending>;
}
