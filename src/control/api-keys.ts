import * as z from "zod";
import { type CreatedKey, createApiKey } from "../access/create-api-key.ts";
import { environment } from "../contract/identifiers.ts";
import { activeKeysAllowed, type KeyQuota } from "../rules/api-key.ts";
import type { Services } from "../runtime/services.ts";
import {
  countActiveKeys,
  countKeys,
  type ListedKey,
  listKeys,
  publicSecretOf,
  revokeKey,
} from "../store/api-keys.ts";
import { ControlError } from "./control-error.ts";
import { limits, refuseOver } from "./limits.ts";
import { companyNamed, memberNamed } from "./named.ts";
import { parsed } from "./read-json.ts";

const newApiKey = z.strictObject({
  member: z.string({ error: "is required: a member's id or slug" }),
  environment,
  company: z.string().optional(),
  label: z.string().max(100).optional(),
});

/** Whether the company, or the member, may have one more active key. */
export function hasFreeSlot(
  { database, fixtureKeys }: Pick<Services, "database" | "fixtureKeys">,
  quota: KeyQuota,
  { companyPk, pk }: { readonly companyPk: number; readonly pk: number },
): boolean {
  const active = countActiveKeys(database, fixtureKeys, companyPk, quota === "member" ? pk : undefined);
  return active < activeKeysAllowed;
}

/** The most keys in one response: as many as a company keeps. */
const mostListed = limits.apiKeys;

export interface KeyListing {
  readonly api_keys: readonly ListedKey[];
  /** Whether more follow: list them by company. */
  readonly has_more: boolean;
}

/** API keys, as the service's dashboard has them (spec §2, §5). */
export class ApiKeys {
  readonly #services: Services;
  readonly #quota: KeyQuota;

  constructor(services: Services, quota: KeyQuota) {
    this.#services = services;
    this.#quota = quota;
  }

  /**
   * Makes a key for an active member, and shows its secret this once.
   * @throws ControlError 404 where there is no such member, 409 where it is inactive or the slots are taken
   */
  create(asked: z.input<typeof newApiKey>): CreatedKey {
    const { member, environment, company, label } = parsed(newApiKey, asked);
    const { database } = this.#services;
    return database.transaction(() => {
      const owner = memberNamed(database, member, environment, company);
      if (owner.status !== "active") {
        throw new ControlError(
          409,
          `member_inactive: ${member} is not an active member, and has no keys made`,
        );
      }
      if (!hasFreeSlot(this.#services, this.#quota, owner)) {
        throw new ControlError(
          409,
          `key_limit_reached: the ${this.#quota} has ${activeKeysAllowed} active ${environment} keys; revoke one to free a slot`,
        );
      }
      const most = limits.apiKeys;
      const kept = `a company keeps up to ${most} API keys, including revoked ones`;
      refuseOver(most, countKeys(database, owner.companyPk) + 1, `${kept}: reset or delete the company`);
      return createApiKey(this.#services, { ...owner, membershipPk: owner.pk }, label ?? null);
    });
  }

  /** For whom active keys are counted, and how many there may be in each environment. */
  get slots(): { readonly per: KeyQuota; readonly allowed: number } {
    return { per: this.#quota, allowed: activeKeysAllowed };
  }

  /** The first 1,000 keys of one company or of all, by prefix; never a secret. */
  list(company?: string): KeyListing {
    const { database, fixtureKeys } = this.#services;
    const companyPk = company === undefined ? undefined : companyNamed(database, company).pk;
    const keys = listKeys(database, fixtureKeys, companyPk, mostListed + 1);
    return { api_keys: keys.slice(0, mostListed), has_more: keys.length > mostListed };
  }

  /** The secret of a fixture key, which is public; undefined for any other key. */
  publicSecret(id: string): string | undefined {
    return publicSecretOf(this.#services.database, this.#services.fixtureKeys, id);
  }

  /**
   * Revokes a key, again where it already is: new exchanges stop, issued tokens live on (spec §5.4).
   * @throws ControlError 404 where there is none
   */
  revoke(id: string): ListedKey {
    const revoked = revokeKey(this.#services.database, id);
    if (!revoked) throw new ControlError(404, "no such key: GET /_sandbox/api-keys lists them by id");
    return revoked;
  }
}
