import type { CompanyListing } from "../store/world-listing.ts";
import { firstOrderer, type Orderer } from "../world/first-order.ts";

/** The base URLs of a sandbox, and the admin token of its control API. */
export interface SandboxUrls {
  readonly url: string;
  readonly liveUrl: string;
  /** Undefined if the control API needs no token. */
  readonly adminToken: string | undefined;
}

/** The environment variables for the tests of a client; undefined if the sandbox has no such value. */
export function clientVariables(
  { url, liveUrl, adminToken }: SandboxUrls,
  companies: readonly CompanyListing[],
): Record<string, string | undefined> {
  return {
    CARD_SANDBOX_URL: url,
    CARD_SANDBOX_LIVE_URL: liveUrl,
    ...ordererVariables("CARD_SANDBOX_", firstOrderer(companies, "sandbox")),
    ...ordererVariables("CARD_SANDBOX_LIVE_", firstOrderer(companies, "live")),
    CARD_SANDBOX_ADMIN_TOKEN: adminToken,
  };
}

function ordererVariables(prefix: string, orderer: Orderer | undefined): Record<string, string | undefined> {
  return {
    [`${prefix}API_KEY`]: orderer?.secret,
    [`${prefix}COMPANY_ID`]: orderer?.company,
    [`${prefix}MEMBER_ID`]: orderer?.member,
    [`${prefix}ACCOUNT_ID`]: orderer?.account,
  };
}
