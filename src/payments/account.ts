import type { Account, Company } from "../contract/account.ts";
import { formatMinor } from "../rules/money.ts";
import type { AccountRecord } from "../store/accounts.ts";
import type { CompanyOfMember } from "../store/companies.ts";

/** The part of the balance that is not held, in minor units. */
export function availableMinor({ balanceMinor, heldMinor }: AccountRecord): number {
  return balanceMinor - heldMinor;
}

/** An account in responses. */
export function accountOf(record: AccountRecord): Account {
  return {
    id: record.id,
    company_id: record.companyId,
    name: record.name,
    currency: record.currency,
    status: record.status,
    balance: formatMinor(record.balanceMinor),
    available_balance: formatMinor(availableMinor(record)),
    created_at: new Date(record.createdAtMs).toISOString(),
    updated_at: new Date(record.updatedAtMs).toISOString(),
  };
}

/** A company in responses, with the member's role in it. */
export function companyOf(record: CompanyOfMember): Company {
  return {
    id: record.id,
    name: record.name,
    country_code: record.countryCode,
    status: record.status,
    role: record.role,
    created_at: new Date(record.createdAtMs).toISOString(),
  };
}
