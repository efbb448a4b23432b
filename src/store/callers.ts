import type { CompanyId, Environment, MemberId } from "../contract/identifiers.ts";
import type { Area } from "../contract/operations.ts";
import type { Role } from "../core/permissions.ts";
import type { Caller } from "../core/ports.ts";

/** What every query for a caller selects: `c` is the company, `m` the member, `s` the membership. */
export const callerColumns = `
  c.environment, c.pk AS company_pk, c.id AS company_id, c.slug AS company_slug, c.entitlements,
  c.clock_offset_ms,
  m.pk AS member_pk, m.id AS member_id, s.role`;

export interface CallerRow {
  environment: Environment;
  company_pk: number;
  company_id: CompanyId;
  company_slug: string;
  entitlements: string;
  clock_offset_ms: number;
  member_pk: number;
  member_id: MemberId;
  role: Role;
}

export function callerOf(row: CallerRow): Caller {
  return {
    environment: row.environment,
    companyPk: row.company_pk,
    companyId: row.company_id,
    companySlug: row.company_slug,
    entitlements: areasOf(row.entitlements),
    clockOffsetMs: row.clock_offset_ms,
    memberPk: row.member_pk,
    memberId: row.member_id,
    role: row.role,
  };
}

/** The areas that a company is entitled to, as its row keeps them. */
export function areasOf(entitlements: string): Area[] {
  return entitlements === "" ? [] : (entitlements.split(" ") as Area[]);
}
