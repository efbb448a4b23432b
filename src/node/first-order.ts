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

/** Why nobody of an environment can order a card, as far as the listing tells: a line for each company. */
export function ordererObstacles(companies: readonly CompanyListing[], environment: Environment): string[] {
  return companies
    .filter((company) => company.environment === environment)
    .map((company) => `${company.slug} (${environment}) ${companyObstacle(company) ?? noOrderer}`);
}

const noOrderer = "has nobody active who may order and has an active public key";

function companyObstacle(company: CompanyListing): string | undefined {
  const { status, details_complete, entitlements, live_cards, card_quota, accounts } = company;
  if (status !== "active") return `is ${status}`;
  if (!details_complete) return "lacks details";
  if (!entitlements.includes("cards")) return "is not entitled to cards";
  if (live_cards >= card_quota) return `has reached its card quota, ${live_cards} of ${card_quota}`;
  return accounts.some((each) => each.status === "open") ? undefined : "has no open account";
}

function* orderers(company: CompanyListing): Generator<Orderer> {
  const account = company.accounts.find((each) => each.status === "open");
  if (!account || companyObstacle(company)) return;
  for (const member of company.members) {
    if (member.status !== "active" || !member.details_complete) continue;
    if (!hasPermission(member.role, "issue_cards")) continue;
    for (const { status, secret } of member.api_keys) {
      if (status === "active" && secret) {
        yield { company: company.id, member: member.id, account: account.id, secret };
      }
    }
  }
}
