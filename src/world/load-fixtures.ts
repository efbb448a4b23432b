import { makeCard } from "../cards/card.ts";
import type { AccountId, CompanyId, MemberId } from "../contract/identifiers.ts";
import { shownPrefix } from "../rules/api-key.ts";
import type { CardLimitsMinor } from "../rules/limits.ts";
import { hashOfSecret, uuidOf } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import { insertAccount } from "../store/accounts.ts";
import { insertApiKey } from "../store/api-keys.ts";
import { insertCard } from "../store/cards.ts";
import { insertCompany } from "../store/companies.ts";
import { insertMember, insertMembership } from "../store/members.ts";
import { nextNumber } from "../store/meta.ts";
import type { FixtureCompany, FixtureWorld } from "./fixtures.ts";

/** A company of the fixtures after it was stored, with its members and accounts by slug. */
export interface LoadedCompany {
  readonly pk: number;
  readonly id: CompanyId;
  readonly designId: string;
  readonly members: Map<
    string,
    { readonly pk: number; readonly id: MemberId; readonly membershipPk: number }
  >;
  readonly accounts: Map<string, { readonly pk: number; readonly id: AccountId; readonly currency: string }>;
  /** The secrets of its API keys, by the key's id. */
  readonly secrets: Map<string, string>;
}

/** Stores the fixtures in an empty database, in the caller's transaction. */
export function loadFixtures(services: Services, world: FixtureWorld): void {
  const limits = limitsOf(world);
  const companies = world.companies.map((company) => loadCompany(services, company, limits, true));
  for (const [c, company] of world.companies.entries()) {
    for (const member of company.members) {
      for (const other of member.other_companies) {
        const named = world.companies.findIndex(
          ({ environment, slug }) => environment === company.environment && slug === other.company,
        );
        insertMembership(services.database, {
          memberPk: present(companies[c]?.members.get(member.slug)).pk,
          companyPk: present(companies[named]).pk,
          role: other.role,
          status: "active",
        });
      }
    }
  }
}

/** The card limits of the fixtures in minor units. */
export function limitsOf({ card_limits }: Pick<FixtureWorld, "card_limits">): CardLimitsMinor {
  return {
    maxPerPurchaseMinor: card_limits.max_per_purchase,
    dailyMinor: card_limits.daily,
    rolling32DaysMinor: card_limits.rolling_32_days,
  };
}

/**
 * Stores a company with its accounts, members, keys and cards, in the caller's transaction.
 * @param keysArePublic - whether the secrets of its keys are stored, as those of fixtures are
 */
export function loadCompany(
  services: Services,
  company: FixtureCompany,
  limits: CardLimitsMinor,
  keysArePublic: boolean,
): LoadedCompany {
  const loaded = loadCompanyRow(services, company, limits);
  loadAccounts(services, company, loaded);
  loadMembers(services, company, loaded, keysArePublic);
  loadCards(services, company, loaded, limits);
  return loaded;
}

function loadCompanyRow(
  { database, random, clock }: Services,
  company: FixtureCompany,
  limits: CardLimitsMinor,
): LoadedCompany {
  const id = uuidOf(random.block("company", "", nextNumber(database, 0, "companies"))) as CompanyId;
  const designId = uuidOf(random.block("design", id, 1));
  const pk = insertCompany(database, {
    id,
    environment: company.environment,
    slug: company.slug,
    name: company.name,
    countryCode: company.country_code,
    status: company.status,
    detailsComplete: company.details_complete,
    entitlements: company.entitlements,
    cardQuota: company.card_quota,
    designId,
    limits,
    createdAtMs: clock.now(),
  });
  return { pk, id, designId, members: new Map(), accounts: new Map(), secrets: new Map() };
}

function loadAccounts(
  { database, random, clock }: Services,
  company: FixtureCompany,
  loaded: LoadedCompany,
): void {
  for (const { slug, name, currency, status, balance } of company.accounts) {
    const n = nextNumber(database, loaded.pk, "accounts");
    const id = uuidOf(random.block("account", loaded.id, n)) as AccountId;
    const pk = insertAccount(database, {
      id,
      companyPk: loaded.pk,
      slug,
      name,
      currency,
      status,
      balanceMinor: balance,
      createdAtMs: clock.now(),
    });
    loaded.accounts.set(slug, { pk, id, currency });
  }
}

function loadMembers(
  { database, random }: Services,
  company: FixtureCompany,
  loaded: LoadedCompany,
  keysArePublic: boolean,
): void {
  const { environment } = company;
  for (const { slug, name, role, status, details_complete, api_keys } of company.members) {
    const n = nextNumber(database, loaded.pk, "members");
    const id = uuidOf(random.block("member", loaded.id, n)) as MemberId;
    const pk = insertMember(database, {
      id,
      companyPk: loaded.pk,
      environment,
      slug,
      name,
      detailsComplete: details_complete,
    });
    const membershipPk = insertMembership(database, { memberPk: pk, companyPk: loaded.pk, role, status });
    loaded.members.set(slug, { pk, id, membershipPk });
    for (const { secret, status } of api_keys) {
      const id = uuidOf(random.block("api_key", loaded.id, nextNumber(database, loaded.pk, "api_keys")));
      loaded.secrets.set(id, secret);
      insertApiKey(database, {
        id,
        companyPk: loaded.pk,
        membershipPk,
        environment,
        hash: hashOfSecret(secret),
        prefix: shownPrefix(secret),
        status,
        publicSecret: keysArePublic ? secret : null,
        label: null,
      });
    }
  }
}

function loadCards(
  { database, random, clock }: Services,
  company: FixtureCompany,
  loaded: LoadedCompany,
  limits: CardLimitsMinor,
): void {
  for (const [index, seed] of company.cards.entries()) {
    const member = present(loaded.members.get(seed.member));
    const account = present(loaded.accounts.get(seed.account));
    const number = index + 1;
    const card = makeCard(random, {
      number,
      companyId: loaded.id,
      accountId: account.id,
      memberId: member.id,
      type: seed.type,
      designId: loaded.designId,
      status: seed.status,
      name: seed.name,
      autoConvert: false,
      spendingLimit: null,
      currency: account.currency,
      limits,
      createdAtMs: clock.now(),
    });
    insertCard(database, card, {
      companyPk: loaded.pk,
      accountPk: account.pk,
      memberPk: member.pk,
      number,
      idempotency: null,
    });
  }
}

/** The schema of the fixtures has checked every name. */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the fixtures refer to a row that was not loaded");
  return value;
}
