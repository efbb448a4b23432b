import type { CompanyId } from "../contract/identifiers.ts";
import type { Database, Store } from "../core/ports.ts";
import type { KeyStatus, MemberStatus } from "../core/statuses.ts";
import { inserted } from "./inserted.ts";

const insert = `
  INSERT INTO api_keys (id, company_pk, membership_pk, environment, hash, prefix, status, public_secret)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk`;

const byHash = `
  SELECT k.pk, k.status, k.membership_pk, s.status AS member_status, c.pk AS company_pk, c.id AS company_id,
    c.clock_offset_ms
  FROM api_keys k
  JOIN memberships s ON s.pk = k.membership_pk
  JOIN companies c ON c.pk = s.company_pk
  WHERE k.hash = ?`;

interface KeyRow {
  pk: number;
  status: KeyStatus;
  membership_pk: number;
  member_status: MemberStatus;
  company_pk: number;
  company_id: CompanyId;
  clock_offset_ms: number;
}

export function apiKeys(database: Database): Store["apiKeys"] {
  return {
    insert(key) {
      const { id, companyPk, membershipPk, environment, hash, prefix, status, publicSecret } = key;
      return inserted(
        database.get(insert, id, companyPk, membershipPk, environment, hash, prefix, status, publicSecret),
      );
    },
    byHash(hash) {
      const row = database.get<KeyRow>(byHash, hash);
      return (
        row && {
          pk: row.pk,
          status: row.status,
          membershipPk: row.membership_pk,
          memberStatus: row.member_status,
          companyPk: row.company_pk,
          companyId: row.company_id,
          clockOffsetMs: row.clock_offset_ms,
        }
      );
    },
  };
}
