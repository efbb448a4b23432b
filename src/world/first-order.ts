import { defaultContract } from "../contract/dialect.ts";
import type { Environment } from "../contract/identifiers.ts";
import { hasPermission } from "../rules/company.ts";
import type { CompanyListing } from "../store/world-listing.ts";

/** The company, member, account and key for an order. */
export interface Orderer {
  readonly company: string;
  readonly member: string;
  readonly account: string;
  /** The secret of an API key. */
  readonly secret: string;
}

/** The first company and member of an environment that can order a card. */
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

/** The reason why a company cannot order a card: a line for each company of the environment. */
export function ordererObstacles(companies: readonly CompanyListing[], environment: Environment): string[] {
  return companies
    .filter((company) => company.environment === environment)
    .map((company) => `${company.slug} (${environment}) ${companyObstacle(company) ?? noOrderer}`);
}

const noOrderer = "has no active member with both the permission to order cards and an active public API key";

function companyObstacle(company: CompanyListing): string | undefined {
  const { status, details_complete, entitlements, live_cards, card_quota, accounts } = company;
  if (status !== "active") return `is ${status}`;
  if (!details_complete) return "has incomplete details";
  if (!entitlements.includes("cards")) return "is not entitled to cards";
  if (live_cards >= card_quota) return `has reached its card quota (${live_cards} of ${card_quota})`;
  return accounts.some((each) => each.status === "active") ? undefined : "has no active account";
}

function* orderers(company: CompanyListing): Generator<Orderer> {
  const account = company.accounts.find((each) => each.status === "active");
  if (!account || companyObstacle(company)) return;
  for (const member of company.members) {
    if (member.status !== "active" || !member.details_complete) continue;
    // The dialect can change later, so examples follow the default.
    if (!hasPermission(member.role, "issue_cards", defaultContract.choices)) continue;
    for (const { status, secret } of member.api_keys) {
      if (status === "active" && secret) {
        yield { company: company.id, member: member.id, account: account.id, secret };
      }
    }
  }
}

/** The shell command that exchanges a key and sets TOKEN to the access token. */
export function tokenCommand(url: string, secret: string, curl = "curl -s"): string {
  const path = secret.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
  return `TOKEN=$(${curl} ${url}${path} -d '{"api_key":"${secret}"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
}

/** The shell command that orders a card with TOKEN. */
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
