import type { CompanyId, Environment, MemberId } from "../contract/identifiers.ts";
import type { MemberStatus, Role } from "../rules/company.ts";
import { type Database, inserted, nextPosition } from "./database.ts";

const insert = `
  INSERT INTO members (id, company_pk, environment, slug, name, details_complete)
  VALUES (?, ?, ?, ?, ?, ?) RETURNING pk`;

/** @returns the new row's number */
export function insertMember(
  database: Database,
  member: {
    readonly id: MemberId;
    readonly companyPk: number;
    readonly environment: Environment;
    readonly slug: string;
    readonly name: string;
    readonly detailsComplete: boolean;
  },
): number {
  const { id, companyPk, environment, slug, name, detailsComplete } = member;
  return inserted(database.get(insert, id, companyPk, environment, slug, name, detailsComplete ? 1 : 0));
}

const insertMembershipRow = `
  INSERT INTO memberships (member_pk, company_pk, role, status, position)
  VALUES (?, ?, ?, ?, ${nextPosition("memberships", "member_pk")}) RETURNING pk`;

/** @returns the new row's number */
export function insertMembership(
  database: Database,
  membership: {
    readonly memberPk: number;
    readonly companyPk: number;
    readonly role: Role;
    readonly status: MemberStatus;
  },
): number {
  const { memberPk, companyPk, role, status } = membership;
  return inserted(database.get(insertMembershipRow, memberPk, companyPk, role, status, memberPk));
}

/** A member in one company. */
export interface NamedMembership {
  readonly pk: number;
  readonly status: MemberStatus;
  readonly memberPk: number;
  readonly memberId: MemberId;
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly environment: Environment;
}

const memberships = `
  SELECT s.pk, s.status, m.pk AS memberPk, m.id AS memberId, c.pk AS companyPk, c.id AS companyId, c.environment
  FROM members m
  JOIN memberships s ON s.member_pk = m.pk
  JOIN companies c ON c.pk = s.company_pk
  WHERE (m.id = ? OR (m.slug = ? AND m.environment = ?)) AND s.company_pk = coalesce(?, m.company_pk)`;

/** Finds a member by id or slug, in the given company or, without one, in the company that created it. */
export function findMembership(
  database: Database,
  name: string,
  environment: Environment,
  companyPk?: number,
): NamedMembership | undefined {
  return database.get(memberships, name.toLowerCase(), name, environment, companyPk ?? null);
}

/** Changes a member's role or status in one company, or whether its details are complete. Absent fields stay. */
export function updateMember(
  database: Database,
  { pk, memberPk }: NamedMembership,
  change: {
    readonly role?: Role | undefined;
    readonly status?: MemberStatus | undefined;
    readonly detailsComplete?: boolean | undefined;
  },
): void {
  const { role, status, detailsComplete } = change;
  if (role !== undefined) database.run("UPDATE memberships SET role = ? WHERE pk = ?", role, pk);
  if (status !== undefined) database.run("UPDATE memberships SET status = ? WHERE pk = ?", status, pk);
  if (detailsComplete !== undefined) {
    database.run("UPDATE members SET details_complete = ? WHERE pk = ?", detailsComplete ? 1 : 0, memberPk);
  }
}
