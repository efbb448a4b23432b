import type { Environment } from "../contract/identifiers.ts";
import { hasPermission } from "../core/permissions.ts";
import type { CompanyListing } from "../store/world-listing.ts";

/** Who can order a card, from which account and with which key. */
export interface Orderer {
  /** Ids. */
  readonly company: string;
  readonly member: string;
  readonly account: string;
  /** The secret of an API key. */
  readonly secret: string;
}

/** The first company and member of an environment that can order a card, as the listing tells. */
export function firstOrderer(
  companies: readonly CompanyListing[],
  environment: Environment,
): Orderer | undefined {
  for (const company of companies) {
    const [orderer] = company.environment === environment ? orderers(company) : [];
    if (orderer) return orderer;
  }
  return undefined;
}

function* orderers(company: CompanyListing): Generator<Orderer> {
  const { status, details_complete, entitlements, live_cards, card_quota } = company;
  if (status !== "active" || !details_complete) return;
  if (!entitlements.includes("cards") || live_cards >= card_quota) return;
  const account = company.accounts.find((each) => each.status === "open");
  for (const member of company.members) {
    if (member.status !== "active" || !member.details_complete) continue;
    if (!hasPermission(member.role, "issue_cards")) continue;
    for (const { status, secret } of member.api_keys) {
      if (account && status === "active" && secret) {
        yield { company: company.id, member: member.id, account: account.id, secret };
      }
    }
  }
}

/** The shell's command that exchanges a key, and keeps the access token in TOKEN. */
export function tokenCommand(url: string, secret: string, curl = "curl -s"): string {
  const path = secret.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
  return `TOKEN=$(${curl} ${url}${path} -d '{"api_key":"${secret}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
}

/** The shell's command that orders a card with that token. */
export function orderCommand(
  url: string,
  { company, account }: Orderer,
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
