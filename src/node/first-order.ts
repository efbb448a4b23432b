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
