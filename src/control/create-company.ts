import * as z from "zod";
import { createApiKey } from "../access/create-api-key.ts";
import { type Environment, environment } from "../contract/identifiers.ts";
import type { DialectInput } from "../contract/selections.ts";
import type { KeyQuota } from "../rules/api-key.ts";
import { role } from "../rules/company.ts";
import { Names } from "../rules/names.ts";
import { hashOfSecret } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import { apiKeyByHash } from "../store/api-keys.ts";
import { countCompanies, findCompany, firstCompanyLimits } from "../store/companies.ts";
import { findMembership } from "../store/members.ts";
import { nextNumber } from "../store/meta.ts";
import { captureCompany } from "../store/snapshots.ts";
import { type CompanyListing, listCompanies } from "../store/world-listing.ts";
import {
  type FixtureCompany,
  fixtureCardLimits,
  fixtureCompany,
  inconsistencies,
} from "../world/fixtures.ts";
import { limitsOf, loadCompany } from "../world/load-fixtures.ts";
import { isBelowKeyLimit } from "./api-keys.ts";
import { dialectOfCompany } from "./dialects.ts";
import { ControlError, limits, refuseOver } from "./errors.ts";
import { parse } from "./input.ts";

/** Maximum number of members, of accounts and of cards. 1,000 take a tenth of a second; the time grows with the square of the number. */
export const mostOfOneKind = 1000;

/** A company as in a fixtures file; every field is optional. `complete` fills in the rest and validates it. */
const newCompany = z.lazy(() =>
  z.looseObject({
    environment: environment.optional(),
    slug: z.string().optional(),
    members: z
      .array(
        z.looseObject({
          slug: z.string().optional(),
          role: role.optional(),
          other_companies: z
            .never("is not allowed, because the members of a new company belong to no other company")
            .optional(),
        }),
      )
      .min(1)
      .max(mostOfOneKind)
      .optional(),
    accounts: z
      .array(z.looseObject({ currency: z.string().optional() }))
      .min(1)
      .max(mostOfOneKind)
      .optional(),
    cards: z.array(z.unknown()).max(mostOfOneKind).optional(),
  }),
);

type Wanted = z.output<typeof newCompany>;

type Seed = z.input<typeof fixtureCompany>;
/** A company as in a fixtures file; every field is optional. */
export type NewCompany = Partial<Omit<Seed, "members" | "accounts">> & {
  readonly members?: readonly Partial<NonNullable<Seed["members"]>[number]>[];
  readonly accounts?: readonly Partial<NonNullable<Seed["accounts"]>[number]>[];
  /** Alternatives of behaviors whose scope is a company, over those of the sandbox. */
  readonly dialect?: DialectInput | undefined;
};

/** The card limits of a company in a world that has no other company. */
const defaultLimits = () => limitsOf({ card_limits: fixtureCardLimits.parse({}) });

/**
 * Creates a company, and an API key for each of its active members, up to the limit of active keys.
 * @returns the company with the secrets of its keys
 * @throws ControlError 400 if the first member is no owner or the first account not active, 409 if a slug or secret is
 *   taken or the sandbox holds too many companies
 */
export async function createCompany(services: Services, input: NewCompany): Promise<CompanyListing> {
  const { dialect, ...wanted }: Wanted = parse(newCompany, input);
  const { database, random, clock, fixtureKeys, dialects } = services;
  return database.transaction(() => {
    const most = limits.companies;
    refuseOver(
      most,
      countCompanies(database) + 1,
      `at most ${most} companies can exist. Delete some with DELETE /_sandbox/companies/ID.`,
    );
    let n = nextNumber(database, 0, "company_names");
    while (wanted.slug === undefined && findCompany(database, `company-${n}`)) {
      n = nextNumber(database, 0, "company_names");
    }
    const keyQuota = dialects.all.choices["api_keys.quota"];
    const company = complete(wanted, new Names(random.block("faker", "", n)), n, keyQuota);
    const ownDialect = dialect === undefined ? undefined : dialectOfCompany(services, dialect);
    refuseTaken(services, company);
    const { pk, id, members, secrets } = loadCompany(
      services,
      company,
      firstCompanyLimits(database) ?? defaultLimits(),
      false,
    );
    for (const { slug, status } of company.members) {
      const membershipPk = members.get(slug)?.membershipPk;
      if (membershipPk === undefined || status !== "active") continue;
      if (!isBelowKeyLimit(services, { companyPk: pk, pk: membershipPk })) continue;
      const owner = { companyPk: pk, companyId: id, environment: company.environment, membershipPk };
      const key = createApiKey(services, owner, null);
      secrets.set(key.id, key.secret);
    }
    if (ownDialect) dialects.replace(ownDialect, pk);
    captureCompany(database, pk, clock.now());
    return withSecrets(listCompanies(database, clock.now(), fixtureKeys, [pk])[0], secrets);
  });
}

function withSecrets(
  company: CompanyListing | undefined,
  secrets: ReadonlyMap<string, string>,
): CompanyListing {
  if (!company) throw new Error("internal error: the new company is not listed");
  return {
    ...company,
    members: company.members.map((member) => ({
      ...member,
      api_keys: member.api_keys.map((key) => {
        const secret = secrets.get(key.id);
        return secret === undefined ? key : { ...key, secret };
      }),
    })),
  };
}

/** @throws ControlError 409 if a slug or a secret belongs to another company */
function refuseTaken({ database }: Services, { environment, slug, members }: FixtureCompany): void {
  if (findCompany(database, environment === "live" ? `live/${slug}` : slug))
    throw taken("slug", slug, environment);
  for (const [m, member] of members.entries()) {
    if (findMembership(database, member.slug, environment)) {
      throw taken(`members.${m}.slug`, member.slug, environment);
    }
    for (const [k, { secret }] of member.api_keys.entries()) {
      // A fixture key keeps its secret even while fixture keys are hidden.
      if (!apiKeyByHash(database, true, hashOfSecret(secret))) continue;
      const field = `members.${m}.api_keys.${k}.secret`;
      throw new ControlError(
        409,
        `${field}: is already used by another API key. Use another secret, or omit api_keys.`,
      );
    }
  }
}

function taken(field: string, slug: string, environment: Environment): ControlError {
  const message = `${field}: "${slug}" is already used in the ${environment} environment. Use another slug, or omit it.`;
  return new ControlError(409, message);
}

const defaultMembers: NonNullable<Wanted["members"]> = [
  { role: "owner" },
  { role: "admin" },
  { role: "employee" },
];
const defaultAccounts: NonNullable<Wanted["accounts"]> = [{ currency: "GBP" }, { currency: "EUR" }];

/**
 * Fills in missing fields with realistic data that depends on the seed alone.
 * @param n - the company's number
 */
function complete(wanted: Wanted, names: Names, n: number, keyQuota: KeyQuota): FixtureCompany {
  const slug = wanted.slug ?? `company-${n}`;
  const taken = new Set<unknown>(
    [...(wanted.members ?? []), ...(wanted.accounts ?? [])].map((each) => each.slug),
  );
  const unused = (base: string) => {
    let name = base;
    for (let i = 2; taken.has(name); i++) name = `${base}-${i}`;
    taken.add(name);
    return name;
  };
  const members = (wanted.members ?? defaultMembers).map((member, i) => {
    const role = member.role ?? (i === 0 ? "owner" : "employee");
    const memberSlug = member.slug ?? unused(`${slug}-${role}`);
    return { name: names.person(), ...member, role, slug: memberSlug };
  });
  const accounts = (wanted.accounts ?? defaultAccounts).map((account) => {
    const currency = account.currency ?? "GBP";
    const accountSlug = account.slug ?? unused(currency.toLowerCase());
    const balance = `${names.integer(1_000, 250_000)}.00`;
    return { name: `${currency} account`, balance, ...account, currency, slug: accountSlug };
  });
  const filled = { name: names.company(), country_code: "GB", ...wanted, slug, members, accounts };
  const company = parse(fixtureCompany, filled);
  for (const { path, message } of inconsistencies({ companies: [company] }, keyQuota)) {
    throw new ControlError(400, `${path.slice(2).join(".")}: ${message}`);
  }
  if (company.members[0]?.role !== "owner") {
    throw new ControlError(400, 'members.0.role: must be "owner", because the first member must be an owner');
  }
  if (company.accounts[0]?.status !== "active") {
    throw new ControlError(
      400,
      'accounts.0.status: must be "active", because the first account must be active',
    );
  }
  return company;
}
