import type { Faker } from "@faker-js/faker";
import * as z from "zod";
import { createApiKey } from "../access/create-api-key.ts";
import { environment } from "../contract/identifiers.ts";
import { accountOf } from "../payments/account.ts";
import type { KeyQuota } from "../rules/api-key.ts";
import { companyNow } from "../rules/clock.ts";
import { quoted } from "../rules/errors.ts";
import { role } from "../rules/permissions.ts";
import { hashOfSecret } from "../rules/random.ts";
import { accountStatus, companyStatus, memberStatus } from "../rules/statuses.ts";
import type { Services } from "../runtime/services.ts";
import { accountByPk, findAccount, setAccountStatus } from "../store/accounts.ts";
import { apiKeyByHash } from "../store/api-keys.ts";
import {
  type CompanyFilter,
  clockOffsetOf,
  companiesOfMembers,
  countCompanies,
  deleteCompany,
  findCompany,
  firstCompanyLimits,
  hasCardsElsewhere,
  pageOfCompanies,
  updateCompany,
} from "../store/companies.ts";
import { findMembership, updateMember } from "../store/members.ts";
import { nextNumber } from "../store/meta.ts";
import { captureCompany, forgetLostBeginnings } from "../store/snapshots.ts";
import {
  type AccountListing,
  type CompanyListing,
  listCompanies,
  type MemberListing,
  type WorldListing,
} from "../store/world-listing.ts";
import { emit } from "../webhooks/events.ts";
import { limitsOf, plantCompany } from "../world/plant.ts";
import {
  entitlements,
  inconsistencies,
  type SeedCompany,
  seedCardLimits,
  seedCompany,
} from "../world/seed-world.ts";
import { hasFreeSlot } from "./api-keys.ts";
import { ControlError } from "./control-error.ts";
import { limits, refuseOver } from "./limits.ts";
import { companyNamed, memberNamed } from "./named.ts";
import { parsed } from "./read-json.ts";
import { wholeNumber } from "./requests.ts";

/** Of members, accounts or cards: so many take a tenth of a second to make, and the time grows with their square. */
const mostOfOneKind = 1000;
const tooMany = `must be up to ${mostOfOneKind}`;

/** What a company may be asked to be: as in a fixtures file, and all of it may be left out. */
const newCompany = z.looseObject({
  environment: environment.optional(),
  slug: z.string().optional(),
  members: z
    .array(
      z.looseObject({
        slug: z.string().optional(),
        role: role.optional(),
        other_companies: z.never("a company made here is isolated").optional(),
      }),
    )
    .min(1)
    .max(mostOfOneKind, tooMany)
    .optional(),
  accounts: z
    .array(z.looseObject({ currency: z.string().optional() }))
    .min(1)
    .max(mostOfOneKind, tooMany)
    .optional(),
  cards: z.array(z.unknown()).max(mostOfOneKind, tooMany).optional(),
});

type Seed = z.input<typeof seedCompany>;
/** A company as a fixtures file has it, of which all may be left out. */
export type NewCompany = Partial<Omit<Seed, "members" | "accounts">> & {
  readonly members?: readonly Partial<NonNullable<Seed["members"]>[number]>[];
  readonly accounts?: readonly Partial<NonNullable<Seed["accounts"]>[number]>[];
};
type Asked = z.output<typeof newCompany>;
type AskedMember = NonNullable<Asked["members"]>[number];
type AskedAccount = NonNullable<Asked["accounts"]>[number];

const companyChange = z.strictObject({
  status: companyStatus.optional(),
  card_quota: z.int().min(0).optional(),
  details_complete: z.boolean().optional(),
  entitlements: entitlements.optional(),
});

const accountChange = z.strictObject({ status: accountStatus, company: z.string().optional() });

const memberChange = z.strictObject({
  role: role.optional(),
  status: memberStatus.optional(),
  details_complete: z.boolean().optional(),
  company: z.string().optional(),
});

/** The most companies in one response. */
const mostListed = 500;

const limitError = `must be a whole number from 1 to ${mostListed}`;

/** Which companies to list. */
const worldQuery = z.strictObject({
  company: z.string().optional(),
  environment: environment.optional(),
  search: z.string().max(200, "must be up to 200 characters").optional(),
  limit: z.int(limitError).min(1, limitError).max(mostListed, limitError).optional(),
  after: z.string().optional(),
});
export type WorldQuery = z.input<typeof worldQuery>;
/** The same, as query parameters. */
export const worldParameters = z.strictObject({
  ...worldQuery.shape,
  limit: wholeNumber(1, mostListed, limitError).optional(),
});

/** Isolated companies, one a test: made, changed and deleted without touching any other. */
/** The card limits of a company in a world that has no other company. */
const defaultLimits = limitsOf({ card_limits: seedCardLimits.parse({}) });

export class Companies {
  readonly #services: Services;
  readonly #keyQuota: KeyQuota;

  constructor(services: Services, keyQuota: KeyQuota) {
    this.#services = services;
    this.#keyQuota = keyQuota;
  }

  /**
   * Makes a company, its first member an owner, its first account active, and a key for each of its active members
   * while there is a free slot.
   * @returns it as the world lists it, with the new keys' secrets, shown this once
   * @throws ControlError 400 where the first member is no owner or the first account not active, 409 where the
   *   slug is taken
   */
  async create(wanted: NewCompany = {}): Promise<CompanyListing> {
    const asked = parsed(newCompany, wanted);
    // Loaded when first needed: no order needs it.
    const { faker } = await import("@faker-js/faker/locale/en");
    const { database, random, clock } = this.#services;
    return database.transaction(() => {
      const remedy = "delete companies that are no longer needed (DELETE /_sandbox/companies/ID)";
      const most = limits.companies;
      refuseOver(most, this.count() + 1, `a sandbox holds up to ${most} companies: ${remedy}`);
      let n = nextNumber(database, 0, "company_names");
      while (asked.slug === undefined && findCompany(database, `company-${n}`)) {
        n = nextNumber(database, 0, "company_names");
      }
      faker.seed([...random.block("faker", "", n)]);
      const company = completed(asked, faker, n, this.#keyQuota);
      this.#refuseTaken(company);
      const limitsOfCards = firstCompanyLimits(database) ?? defaultLimits;
      const plot = plantCompany(this.#services, company, limitsOfCards, false);
      const secrets = new Map<string, string>();
      for (const member of company.members) {
        const planted = plot.members.get(member.slug);
        if (!planted || member.status !== "active") continue;
        const { membershipPk } = planted;
        if (!hasFreeSlot(this.#services, this.#keyQuota, { companyPk: plot.pk, pk: membershipPk })) continue;
        const owner = { companyPk: plot.pk, companyId: plot.id, environment: company.environment };
        const key = createApiKey(this.#services, { ...owner, membershipPk }, null);
        secrets.set(key.id, key.secret);
      }
      captureCompany(database, plot.pk, clock.now());
      return withSecrets(this.show(plot.id), new Map([...plot.secrets, ...secrets]));
    });
  }

  /** Slugs and secrets are names, and each names one thing. */
  #refuseTaken({ environment, slug, members }: SeedCompany): void {
    const { database, fixtureKeys } = this.#services;
    const name = environment === "live" ? `live/${slug}` : slug;
    if (findCompany(database, name)) {
      throw new ControlError(409, `slug: ${name} is taken; leave the slug out to have one made`);
    }
    for (const member of members) {
      if (findMembership(database, member.slug, environment)) {
        throw new ControlError(
          409,
          `members: the slug ${member.slug} is taken in the ${environment} environment`,
        );
      }
      if (member.api_keys.some(({ secret }) => apiKeyByHash(database, fixtureKeys, hashOfSecret(secret)))) {
        throw new ControlError(409, `members: a key of ${member.slug} is another's already`);
      }
    }
  }

  /** @throws ControlError 404 where there is none */
  change(name: string, wanted: z.input<typeof companyChange>): CompanyListing {
    const change = parsed(companyChange, wanted);
    const { database } = this.#services;
    const { pk, id } = companyNamed(database, name);
    updateCompany(database, pk, {
      status: change.status,
      cardQuota: change.card_quota,
      detailsComplete: change.details_complete,
      entitlements: change.entitlements,
    });
    return this.show(id);
  }

  /** @throws ControlError 404 where there is none, 409 where a member of it has cards in another company */
  delete(name: string): void {
    const { database, generations } = this.#services;
    database.transaction(() => {
      const { pk } = companyNamed(database, name);
      if (hasCardsElsewhere(database, pk)) {
        throw new ControlError(409, `a member of ${name} has cards in another company: reset that one first`);
      }
      for (const each of [pk, ...companiesOfMembers(database, pk)]) generations.end(each);
      deleteCompany(database, pk);
      forgetLostBeginnings(database, pk);
    });
  }

  /** @throws ControlError 404 where there is none */
  changeAccount(name: string, change: z.input<typeof accountChange>): AccountListing {
    const { status, company } = parsed(accountChange, change);
    const { database, clock } = this.#services;
    const companyPk = company === undefined ? undefined : companyNamed(database, company).pk;
    const account = findAccount(database, name, companyPk);
    if (!account) {
      throw new ControlError(
        404,
        `no account ${quoted(name)}: name it by its id, or by its slug and a company`,
      );
    }
    const nowMs = companyNow(clock, clockOffsetOf(database, account.companyPk));
    database.transaction(() => {
      const before = accountOf(accountByPk(database, account.pk));
      setAccountStatus(database, account.pk, status, nowMs);
      const changed = accountOf(accountByPk(database, account.pk));
      if (changed.status === before.status) return;
      emit(this.#services, {
        companyPk: account.companyPk,
        type: "account.updated",
        data: () => changed,
        beside: { previous_status: before.status },
      });
    });
    return present(this.show(account.companyId).accounts.find((each) => each.id === account.id));
  }

  /**
   * Changes a member in one company. The keys of an inactive member obtain no token; issued tokens stay valid until they
   * expire, as after a key is revoked.
   * @throws ControlError 404 if there is no such member
   */
  changeMember(name: string, change: z.input<typeof memberChange>): MemberListing {
    const { role, status, details_complete, company } = parsed(memberChange, change);
    const { database } = this.#services;
    const member = memberNamed(database, name, undefined, company);
    updateMember(database, member, { role, status, detailsComplete: details_complete });
    return present(this.show(member.companyId).members.find((each) => each.id === member.memberId));
  }

  /**
   * Companies with their members, keys and accounts, in the order in which they were made; at most 500 at once.
   * @throws ControlError 400, or 404 if `company` or `after` names no company
   */
  world(asked: WorldQuery = {}): WorldListing {
    const { company, after, limit = mostListed, ...filter } = parsed(worldQuery, asked);
    const { database } = this.#services;
    if (company !== undefined) {
      const { pk, clockOffsetMs } = companyNamed(database, company);
      return { companies: this.#list([{ companyPk: pk, clockOffsetMs }]), has_more: false };
    }
    const afterPk = after === undefined ? undefined : companyNamed(database, after).pk;
    const page = pageOfCompanies(database, filter, { afterPk, limit: limit + 1 });
    return { companies: this.#list(page.slice(0, limit)), has_more: page.length > limit };
  }

  /** The number of companies that match. */
  count(filter?: CompanyFilter): number {
    return countCompanies(this.#services.database, filter);
  }

  /**
   * The company with this id, slug, or live/SLUG.
   * @throws ControlError 404 if there is none
   */
  show(name: string): CompanyListing {
    return present(this.world({ company: name }).companies[0]);
  }

  #list(companies: readonly { readonly companyPk: number; readonly clockOffsetMs: number }[]) {
    const { database, clock, fixtureKeys } = this.#services;
    return listCompanies(
      database,
      clock.now(),
      fixtureKeys,
      companies.map(({ companyPk }) => companyPk),
    );
  }
}

/** What was just found or made is listed. */
function present<Listing>(listing: Listing | undefined): Listing {
  if (listing === undefined) throw new Error("the world does not list what it was just found to hold");
  return listing;
}

function withSecrets(company: CompanyListing, secrets: ReadonlyMap<string, string>): CompanyListing {
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

const defaultMembers = [{ role: "owner" }, { role: "admin" }, { role: "employee" }] as const;
const defaultAccounts = [{ currency: "GBP" }, { currency: "EUR" }] as const;

/** Fills in what was left out, realistic and the same for the same seed. */
function completed(asked: Asked, faker: Faker, n: number, keyQuota: KeyQuota): SeedCompany {
  const slug = asked.slug ?? `company-${n}`;
  const given = [...(asked.members ?? []), ...(asked.accounts ?? [])].map((each) => each.slug);
  const taken = new Set<unknown>(given);
  const unused = (wanted: string) => {
    let name = wanted;
    for (let i = 2; taken.has(name); i++) name = `${wanted}-${i}`;
    taken.add(name);
    return name;
  };
  const members = (asked.members ?? defaultMembers).map((member: AskedMember, i) => {
    const role = member.role ?? (i === 0 ? "owner" : "employee");
    const memberSlug = member.slug ?? unused(`${slug}-${role}`);
    return { name: faker.person.fullName(), ...member, role, slug: memberSlug };
  });
  const accounts = (asked.accounts ?? defaultAccounts).map((account: AskedAccount) => {
    const currency = account.currency ?? "GBP";
    const accountSlug = account.slug ?? unused(currency.toLowerCase());
    const balance = `${faker.number.int({ min: 1_000, max: 250_000 })}.00`;
    return { name: `${currency} account`, balance, ...account, currency, slug: accountSlug };
  });
  const filled = { name: faker.company.name(), country_code: "GB", ...asked, slug, members, accounts };
  const company = parsed(seedCompany, filled);
  for (const { path, message } of inconsistencies({ companies: [company] }, keyQuota)) {
    throw new ControlError(400, `${path.slice(2).join(".")}: ${message}`);
  }
  if (company.members[0]?.role !== "owner")
    throw new ControlError(400, "members.0.role: the first member must be an owner");
  if (company.accounts[0]?.status !== "active") {
    throw new ControlError(400, "accounts.0.status: the first account must be active");
  }
  return company;
}
