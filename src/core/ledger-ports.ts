import type { AccountId, CompanyId, InvoiceId } from "../contract/identifiers.ts";
import type { InvoiceStatus } from "../contract/invoice.ts";
import type { Role } from "./permissions.ts";
import type { AccountStatus, CompanyStatus } from "./statuses.ts";

/** Which of a list's rows are meant: those older than the row with this number, the newest first. */
export interface Page {
  readonly beforePk?: number | undefined;
  readonly limit: number;
}

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
  byId(companyPk: number, id: AccountId): AccountRecord | undefined;
  list(companyPk: number, page: Page): AccountRecord[];
}

/** A company in which a member has a place. */
export interface CompanyOfMember {
  /** The row of the membership. */
  readonly pk: number;
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
  list(companyPk: number, filters: InvoiceFilters): InvoiceRecord[];
  setStatus(pk: number, status: InvoiceStatus, paidAtMs: number | null): void;
}
