import type { ApiKeyListing, CompanyListing, MemberListing } from "../store/world-listing.ts";
import type { StartedSandbox } from "./start-sandbox.ts";

/** What a person reads once the port is bound: where, with which keys, and a first order to paste. */
export function startUpLines(sandbox: StartedSandbox, version: string, tlsCert: string | undefined): string {
  const { companies } = sandbox.world();
  return [
    `card-sandbox ${version}`,
    "",
    `Sandbox base address  ${sandbox.url}`,
    `Live base address     ${sandbox.liveUrl}`,
    ...(tlsCert
      ? []
      : ["Plain HTTP: the service itself is HTTPS only (--tls-cert and --tls-key serve it so)."]),
    "",
    "API keys",
    ...keyLines(companies),
    "",
    ...orderLines(sandbox.url, companies, tlsCert),
    "Ready.",
    "",
  ].join("\n");
}

function keyLines(companies: readonly CompanyListing[]): string[] {
  const rows = companies.flatMap((company) =>
    company.members.flatMap((member) =>
      member.api_keys.map((key) => ({
        company: company.slug,
        environment: company.environment,
        role: member.role,
        secret: key.secret ?? `${key.prefix}… (shown once, when it was made)`,
        remarks: remarksOn(company, member, key),
      })),
    ),
  );
  const columns = ["company", "environment", "role", "secret"] as const;
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => {
    const cells = columns.map((column, c) => row[column].padEnd(widths[c] ?? 0));
    return `  ${cells.join("  ")}  ${row.remarks}`.trimEnd();
  });
}

function remarksOn(company: CompanyListing, member: MemberListing, key: ApiKeyListing): string {
  const remarks = [
    key.status === "active" ? "" : key.status,
    member.status === "active" ? "" : `member ${member.status}`,
    company.status === "active" ? "" : `company ${company.status}`,
    company.live_cards >= company.card_quota ? "card quota reached" : "",
  ];
  return remarks.filter((remark) => remark !== "").join(", ");
}

/** Two commands that order a card, for the first company that can; nothing where none can. */
function orderLines(
  url: string,
  companies: readonly CompanyListing[],
  tlsCert: string | undefined,
): string[] {
  const company = companies.find(
    ({ environment, status, live_cards, card_quota }) =>
      environment === "sandbox" && status === "active" && live_cards < card_quota,
  );
  const account = company?.accounts.find(({ status }) => status === "open");
  const secret = company?.members
    .filter(({ role, status }) => status === "active" && (role === "owner" || role === "admin"))
    .flatMap((member) => member.api_keys)
    .find((key) => key.status === "active" && key.secret)?.secret;
  if (!account || !secret) return [];
  const curl = `curl -s${tlsCert ? ` --cacert ${shellQuoted(tlsCert)}` : ""}`;
  return [
    "Order a card (paste it twice: the second time the same card comes back)",
    "",
    `TOKEN=$(${curl} ${url}/auth/v1/sandbox/token -d '{"api_key":"${secret}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `${curl} ${url}/developer/cards/physical \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    "  -H 'Idempotency-Key: 7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30' \\",
    `  -d '${JSON.stringify({
      account_id: account.id,
      pin: "4821",
      delivery_address: {
        line1: "1 Long Lane",
        city: "London",
        post_code: "SE1 4PG",
        country_code: "GB",
      },
      delivery_method: "express",
    })}'`,
    "",
  ];
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
