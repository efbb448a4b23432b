import * as z from "zod";
import { type CreatedKey, createApiKey } from "../access/create-api-key.ts";
import { issueToken } from "../access/exchange-key.ts";
import { environment } from "../contract/identifiers.ts";
import type { TokenExchangeResponse } from "../contract/token-exchange.ts";
import { activeKeysAllowed, type KeyQuota } from "../rules/api-key.ts";
import { quoted } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import {
  apiKeyById,
  countActiveKeys,
  countKeys,
  type ListedKey,
  listKeys,
  publicSecretOf,
  revokeKey,
} from "../store/api-keys.ts";
import { ControlError, limits, refuseOver } from "./errors.ts";
import { parse, readJson, requiredText } from "./input.ts";
import { optionalCompanyPk, requireMember } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

export const newApiKey = z.lazy(() =>
  z.strictObject({
    member: requiredText("the id or slug of a member"),
    environment,
    company: z.string().optional(),
    label: z.string().max(100).optional(),
  }),
);

/** Whether the company, or the member, is below its limit of active keys. */
export function isBelowKeyLimit(
  { database, fixtureKeys, dialects }: Services,
  { companyPk, pk }: { readonly companyPk: number; readonly pk: number },
): boolean {
  const quota = dialects.all.choices["api_keys.quota"];
  const active = countActiveKeys(database, fixtureKeys, companyPk, quota === "member" ? pk : undefined);
  return active < activeKeysAllowed;
}

/** Maximum number of keys in one response: as many as a company keeps. */
const mostListed = limits.apiKeys;

export interface KeyListing {
  readonly api_keys: readonly ListedKey[];
  /** Whether more follow: list them by company. */
  readonly has_more: boolean;
}

/** API keys, which users of the service create and revoke in its dashboard (spec §2, §5). */
export class ApiKeys {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Creates a key for an active member. Only this response shows its secret.
   * @throws ControlError 409 if the member is inactive, or the limit of active keys is reached
   */
  create(input: z.input<typeof newApiKey>): CreatedKey {
    const { member, environment, company, label } = parse(newApiKey, input);
    const { database } = this.#services;
    return database.transaction(() => {
      const owner = requireMember(database, member, environment, company);
      if (owner.status !== "active") throw memberInactive(member);
      if (!isBelowKeyLimit(this.#services, owner)) {
        throw new ControlError(
          409,
          `key_limit_reached: the ${this.slots.per} has ${activeKeysAllowed} active ${environment} keys. Revoke one first (DELETE /_sandbox/api-keys/ID).`,
        );
      }
      const most = limits.apiKeys;
      const message = `a company can have at most ${most} API keys, including revoked ones. Reset the company (POST /_sandbox/reset) or delete it (DELETE /_sandbox/companies/NAME).`;
      refuseOver(most, countKeys(database, owner.companyPk) + 1, message);
      return createApiKey(this.#services, { ...owner, membershipPk: owner.pk }, label ?? null);
    });
  }

  /** The number of active keys that each company or member can have in an environment. */
  get slots(): { readonly per: KeyQuota; readonly allowed: number } {
    return { per: this.#services.dialects.all.choices["api_keys.quota"], allowed: activeKeysAllowed };
  }

  /** The first 1,000 keys of one company or of all, by prefix; never a secret. */
  list(company?: string): KeyListing {
    const { database, fixtureKeys } = this.#services;
    const companyPk = optionalCompanyPk(database, company);
    const keys = listKeys(database, fixtureKeys, companyPk, mostListed + 1);
    return { api_keys: keys.slice(0, mostListed), has_more: keys.length > mostListed };
  }

  /** The secret of a fixture key, which is public; undefined for any other key. */
  publicSecret(id: string): string | undefined {
    return publicSecretOf(this.#services.database, this.#services.fixtureKeys, id);
  }

  /**
   * Revokes a key; to revoke it again changes nothing. No new token is issued; issued tokens stay valid (spec §5.4).
   */
  revoke(id: string): ListedKey {
    const revoked = revokeKey(this.#services.database, id);
    if (revoked) return revoked;
    throw unknownKey(id);
  }

  /**
   * Issues an access token for a key without its secret, as an exchange of the key does. No scenario acts on it.
   * @throws ControlError 409 if the key is revoked, or its member is inactive
   */
  issueToken(id: string): TokenExchangeResponse {
    const { database, fixtureKeys } = this.#services;
    return database.transaction(() => {
      const key = apiKeyById(database, fixtureKeys, id);
      if (!key) throw unknownKey(id);
      const { memberSlug, apiKeyPrefix } = key.caller;
      if (key.status === "revoked") {
        throw new ControlError(
          409,
          `key_revoked: the API key ${apiKeyPrefix}… is revoked. Use an active key, or create one (POST /_sandbox/api-keys).`,
        );
      }
      if (key.memberStatus !== "active") throw memberInactive(memberSlug);
      return issueToken(this.#services, key.caller);
    });
  }
}

function unknownKey(id: string): ControlError {
  const remedy = "GET /_sandbox/api-keys lists all API keys.";
  return new ControlError(404, `id: no API key has the id ${quoted(id)}. ${remedy}`);
}

function memberInactive(member: string): ControlError {
  const remedy = "Activate the member first (PATCH /_sandbox/members/NAME).";
  return new ControlError(409, `member_inactive: ${member} is inactive. ${remedy}`);
}

/** @internal */
export function apiKeyHandlers(
  apiKeys: ApiKeys,
): ControlHandlers<"listApiKeys" | "createApiKey" | "revokeApiKey" | "issueAccessToken"> {
  return {
    listApiKeys: (c) => c.json(apiKeys.list(c.req.query("company"))),
    createApiKey: async (c) => c.json(apiKeys.create(await readJson(c)), 201),
    revokeApiKey: (c) => c.json(apiKeys.revoke(c.req.param("id"))),
    issueAccessToken: (c) => c.json(apiKeys.issueToken(c.req.param("id")), 201),
  };
}
