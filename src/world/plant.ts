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
import type { SeedCompany, SeedWorld } from "./seed-world.ts";

/** A planted company, and its members and accounts by slug. */
export interface Plot {
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

/** Puts a seed world into an empty store, within the caller's transaction. */
export function plantWorld(services: Services, world: SeedWorld): void {
  const limits = limitsOf(world);
  const plots = world.companies.map((company) => plantCompany(services, company, limits, true));
  for (const [c, company] of world.companies.entries()) {
    for (const member of company.members) {
      for (const other of member.other_companies) {
        const named = world.companies.findIndex(
          ({ environment, slug }) => environment === company.environment && slug === other.company,
        );
        insertMembership(services.database, {
          memberPk: present(plots[c]?.members.get(member.slug)).pk,
          companyPk: present(plots[named]).pk,
          role: other.role,
          status: "active",
        });
      }
    }
  }
}

/** A seed world's card limits in minor units. */
export function limitsOf({ card_limits }: Pick<SeedWorld, "card_limits">): CardLimitsMinor {
  return {
    maxPerPurchaseMinor: card_limits.max_per_purchase,
    dailyMinor: card_limits.daily,
    rolling32DaysMinor: card_limits.rolling_32_days,
  };
}

/**
 * Plants one company with all its rows, within the caller's transaction.
 * @param keysArePublic - whether the secrets of its keys are kept, as those of fixtures are
 */
export function plantCompany(
  services: Services,
  company: SeedCompany,
  limits: CardLimitsMinor,
  keysArePublic: boolean,
): Plot {
  const plot = plantGround(services, company, limits);
  plantAccounts(services, company, plot);
  plantMembers(services, company, plot, keysArePublic);
  plantCards(services, company, plot, limits);
  return plot;
}

function plantGround(
  { database, random, clock }: Services,
  company: SeedCompany,
  limits: CardLimitsMinor,
): Plot {
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

function plantAccounts({ database, random, clock }: Services, company: SeedCompany, plot: Plot): void {
  for (const { slug, name, currency, status, balance } of company.accounts) {
    const n = nextNumber(database, plot.pk, "accounts");
    const id = uuidOf(random.block("account", plot.id, n)) as AccountId;
    const pk = insertAccount(database, {
      id,
      companyPk: plot.pk,
      slug,
      name,
      currency,
      status,
      balanceMinor: balance,
      createdAtMs: clock.now(),
    });
    plot.accounts.set(slug, { pk, id, currency });
  }
}

function plantMembers(
  { database, random }: Services,
  company: SeedCompany,
  plot: Plot,
  keysArePublic: boolean,
): void {
  const { environment } = company;
  for (const { slug, name, role, status, details_complete, api_keys } of company.members) {
    const n = nextNumber(database, plot.pk, "members");
    const id = uuidOf(random.block("member", plot.id, n)) as MemberId;
    const pk = insertMember(database, {
      id,
      companyPk: plot.pk,
      environment,
      slug,
      name,
      detailsComplete: details_complete,
    });
    const membershipPk = insertMembership(database, { memberPk: pk, companyPk: plot.pk, role, status });
    plot.members.set(slug, { pk, id, membershipPk });
    for (const { secret, status } of api_keys) {
      const id = uuidOf(random.block("api_key", plot.id, nextNumber(database, plot.pk, "api_keys")));
      plot.secrets.set(id, secret);
      insertApiKey(database, {
        id,
        companyPk: plot.pk,
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

function plantCards(
  { database, random, clock }: Services,
  company: SeedCompany,
  plot: Plot,
  limits: CardLimitsMinor,
): void {
  for (const [index, card] of company.cards.entries()) {
    const member = present(plot.members.get(card.member));
    const account = present(plot.accounts.get(card.account));
    const number = index + 1;
    const made = makeCard(random, {
      number,
      companyId: plot.id,
      accountId: account.id,
      memberId: member.id,
      type: card.type,
      designId: plot.designId,
      status: card.status,
      name: card.name,
      autoConvert: false,
      spendingLimit: null,
      currency: account.currency,
      limits,
      createdAtMs: clock.now(),
    });
    insertCard(database, made, {
      companyPk: plot.pk,
      accountPk: account.pk,
      memberPk: member.pk,
      number,
      idempotency: null,
    });
  }
}

/** The world's schema has checked every name in it. */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("a seed world that names what it does not hold was let through");
  return value;
}
