import { hasPermission } from "../core/permissions.ts";
import type { CompanyListing } from "../store/world-listing.ts";

/** Who can order a card, from what. */
export interface FirstOrder {
  /** The company's id. */
  readonly company: string;
  /** The account's id. */
  readonly account: string;
  /** The member's key, which is public. */
  readonly secret: string;
}

/** The first member, account and public key by which a card can be ordered, as the listing tells. */
export function firstOrder(companies: readonly CompanyListing[]): FirstOrder | undefined {
  return companies.flatMap(orderable)[0];
}

function orderable(company: CompanyListing): FirstOrder[] {
  const { environment, status, details_complete, entitlements, live_cards, card_quota } = company;
  if (environment !== "sandbox" || status !== "active" || !details_complete) return [];
  if (!entitlements.includes("cards") || live_cards >= card_quota) return [];
  const account = company.accounts.find((each) => each.status === "open");
  if (!account) return [];
  return company.members
    .filter((member) => member.status === "active" && member.details_complete)
    .filter(({ role }) => hasPermission(role, "issue_cards"))
    .flatMap(({ api_keys }) => api_keys)
    .flatMap(({ status, secret }) =>
      status === "active" && secret ? [{ company: company.id, account: account.id, secret }] : [],
    );
}

/** The shell's command that exchanges a key, and keeps the access token in TOKEN. */
export function tokenCommand(url: string, secret: string, curl = "curl -s"): string {
  const path = secret.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
  return `TOKEN=$(${curl} ${url}${path} -d '{"api_key":"${secret}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
}

/** The shell's command that orders a card with that token. */
export function orderCommand(
  url: string,
  { company, account }: FirstOrder,
  { curl = "curl -s", onBehalfOf = false } = {},
): string {
  return [
    `${curl} ${url}/developer/cards/physical \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    "  -H 'Idempotency-Key: 7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30' \\",
    ...(onBehalfOf ? [`  -H 'X-On-Behalf-Of: ${company}' \\`] : []),
    `  -d '${JSON.stringify({
      account_id: account,
      pin: "4821",
      delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
      delivery_method: "express",
    })}'`,
  ].join("\n");
}
