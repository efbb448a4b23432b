import type { Database, Store } from "../core/ports.ts";
import { type CallerRow, callerColumns, callerOf } from "./callers.ts";
import { inserted } from "./inserted.ts";

const insert = `
  INSERT INTO members (id, company_pk, environment, slug, name, details_complete)
  VALUES (?, ?, ?, ?, ?, ?) RETURNING pk`;

const join = `
  INSERT INTO memberships (member_pk, company_pk, role, status) VALUES (?, ?, ?, ?) RETURNING pk`;

const inCompany = `
  SELECT ${callerColumns}
  FROM companies c
  JOIN memberships s ON s.company_pk = c.pk
  JOIN members m ON m.pk = s.member_pk
  WHERE c.id = ? AND s.member_pk = ? AND s.status = 'active'`;

export function members(database: Database): Store["members"] {
  return {
    insert({ id, companyPk, environment, slug, name, detailsComplete }) {
      return inserted(database.get(insert, id, companyPk, environment, slug, name, detailsComplete ? 1 : 0));
    },
    join({ memberPk, companyPk, role, status }) {
      return inserted(database.get(join, memberPk, companyPk, role, status));
    },
    inCompany(memberPk, companyId) {
      const row = database.get<CallerRow>(inCompany, companyId, memberPk);
      return row && callerOf(row);
    },
  };
}
