import type { openSandbox } from "./open-sandbox.ts";

/** The id of the nth added company, which has the slug `made-N`. */
export const madeCompany = (n: number) => `00000001-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** Adds companies with a member, a key and an account each, faster than through the control API. */
export function addCompanies({ database }: ReturnType<typeof openSandbox>, count: number): void {
  const numbers = `WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})`;
  const id = (kind: number) => `printf('0000000${kind}-0000-4000-8000-%012d', n)`;
  const columns = database
    .all<{ name: string }>("SELECT name FROM pragma_table_info('companies')")
    .map(({ name }) => name)
    .filter((name) => !["pk", "id", "slug", "name"].includes(name))
    .join(", ");
  database.exec(`
    ${numbers} INSERT INTO companies (pk, id, slug, name, ${columns})
      SELECT 1000 + n, ${id(1)}, 'made-' || n, 'Made ' || n || ' Ltd', ${columns} FROM n, companies WHERE companies.pk = 1;
    ${numbers} INSERT INTO members (pk, id, company_pk, environment, slug, name, details_complete)
      SELECT 1000 + n, ${id(2)}, 1000 + n, 'sandbox', 'member-' || n, 'Member ' || n, 1 FROM n;
    ${numbers} INSERT INTO memberships (pk, company_pk, member_pk, role, status, position)
      SELECT 1000 + n, 1000 + n, 1000 + n, 'owner', 'active', 1 FROM n;
    ${numbers} INSERT INTO api_keys (id, company_pk, membership_pk, environment, hash, prefix, status)
      SELECT ${id(3)}, 1000 + n, 1000 + n, 'sandbox', CAST('hash ' || n AS BLOB), 'sk_sandbox_' || n, 'active' FROM n;
    ${numbers} INSERT INTO accounts (id, company_pk, slug, name, currency, status, balance_minor, held_minor,
      created_at_ms, updated_at_ms, position)
      SELECT ${id(4)}, 1000 + n, 'gbp', 'Main', 'GBP', 'active', 0, 0, 0, 0, 1 FROM n;`);
}
