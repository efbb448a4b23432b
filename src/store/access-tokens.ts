import type { Database, Store } from "../core/ports.ts";
import { type CallerRow, callerColumns, callerOf } from "./callers.ts";

const insert = `
  INSERT INTO access_tokens (hash, company_pk, api_key_pk, membership_pk, expires_at_ms)
  VALUES (?, ?, ?, ?, ?)`;

const byHash = `
  SELECT t.expires_at_ms, ${callerColumns}
  FROM access_tokens t
  JOIN memberships s ON s.pk = t.membership_pk
  JOIN companies c ON c.pk = s.company_pk
  JOIN members m ON m.pk = s.member_pk
  JOIN api_keys k ON k.pk = t.api_key_pk
  WHERE t.hash = ?`;

export function accessTokens(database: Database): Store["accessTokens"] {
  return {
    insert(token) {
      const { hash, companyPk, apiKeyPk, membershipPk, expiresAtMs } = token;
      database.run(insert, hash, companyPk, apiKeyPk, membershipPk, expiresAtMs);
    },
    byHash(hash) {
      const row = database.get<CallerRow & { expires_at_ms: number }>(byHash, hash);
      return row && { expiresAtMs: row.expires_at_ms, caller: callerOf(row) };
    },
  };
}
