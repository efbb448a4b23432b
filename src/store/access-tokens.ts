import { hashOfSecret } from "../rules/random.ts";
import { type CallerRow, callerColumns, callerOf, callersKnown } from "./callers.ts";
import type { Database } from "./database.ts";
import { inserted } from "./inserted.ts";
import type { Store } from "./open-store.ts";

const insert = `
  INSERT INTO access_tokens (hash, company_pk, api_key_pk, expires_at_ms)
  VALUES (?, ?, ?, ?) RETURNING pk`;

const byHash = `
  SELECT t.expires_at_ms, ${callerColumns}
  FROM access_tokens t
  JOIN api_keys k ON k.pk = t.api_key_pk
  JOIN memberships s ON s.pk = k.membership_pk
  JOIN companies c ON c.pk = s.company_pk
  JOIN members m ON m.pk = s.member_pk
  WHERE t.hash = ?`;

/** So many of the latest are kept in any case: of an expired token 401 says that it is, and not that it is unknown. */
const kept = 10_000;

/** A few of the oldest. Tokens expire about in their order, so that one that is valid holds up few. */
const forgetExpired = `
  DELETE FROM access_tokens WHERE pk IN (
    SELECT t.pk FROM (
      SELECT pk, company_pk, expires_at_ms FROM access_tokens WHERE pk <= ? - ${kept} ORDER BY pk LIMIT 4
    ) t
    JOIN companies c ON c.pk = t.company_pk
    WHERE t.expires_at_ms <= ? + c.clock_offset_ms)`;

export function accessTokens(database: Database): Store["accessTokens"] {
  const callers = callersKnown<ReturnType<Store["accessTokens"]["bySecret"]>>(database);
  return {
    rememberCallers: () => callers.watch(),
    insert({ hash, companyPk, apiKeyPk, expiresAtMs }) {
      return inserted(database.get(insert, hash, companyPk, apiKeyPk, expiresAtMs));
    },
    forgetExpired(latestPk, nowMs) {
      if (latestPk > kept) database.run(forgetExpired, latestPk, nowMs);
    },
    bySecret(accessToken) {
      const known = callers.get(accessToken);
      if (known) return known;
      const row = database.get<CallerRow & { expires_at_ms: number }>(byHash, hashOfSecret(accessToken));
      if (!row) return undefined;
      const found = { expiresAtMs: row.expires_at_ms, caller: callerOf(row) };
      callers.set(accessToken, found);
      return found;
    },
  };
}
