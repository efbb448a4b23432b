import type { CompanyId, Environment } from "../contract/identifiers.ts";
import { makeSecret, shownPrefix } from "../rules/api-key.ts";
import { hashOfSecret, uuidOf } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import { insertApiKey } from "../store/api-keys.ts";
import { nextNumber } from "../store/meta.ts";

/** The owner of a new key. */
export interface KeyOwner {
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly membershipPk: number;
  readonly environment: Environment;
}

/** A new API key. Its secret is shown only here, and stored as a hash (spec §2). */
export interface CreatedKey {
  readonly id: string;
  readonly environment: Environment;
  readonly prefix: string;
  readonly status: "active";
  readonly secret: string;
}

/** Creates an API key, in the caller's transaction. */
export function createApiKey(
  { database, random }: Pick<Services, "database" | "random">,
  { companyPk, companyId, membershipPk, environment }: KeyOwner,
  label: string | null,
): CreatedKey {
  const n = nextNumber(database, companyPk, "api_keys");
  const id = uuidOf(random.block("api_key", companyId, n));
  const secret = makeSecret(environment, random.secret("api_key_secret", companyId, n));
  const prefix = shownPrefix(secret);
  insertApiKey(database, {
    id,
    companyPk,
    membershipPk,
    environment,
    hash: hashOfSecret(secret),
    prefix,
    status: "active",
    publicSecret: null,
    label,
  });
  return { id, environment, prefix, status: "active", secret };
}
