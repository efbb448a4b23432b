import type { Account, Company } from "../contract/account.ts";
import { formatMinor } from "../rules/money.ts";
import type { AccountRecord } from "../store/accounts.ts";
import type { CompanyOfMember } from "../store/companies.ts";

/** What may be spent from an account: its balance without what is held of it, in minor units. */
export function availableMinor({ balanceMinor, heldMinor }: AccountRecord): number {
  return balanceMinor - heldMinor;
}

/** The Account of a response. */
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

/** The Company of a response, with the role that the member has in it. */
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
