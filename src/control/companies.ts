import * as z from "zod";
import { environment } from "../contract/identifiers.ts";
import { accountOf } from "../payments/account.ts";
import { companyNow } from "../rules/clock.ts";
import { accountStatus, companyStatus, memberStatus, role } from "../rules/company.ts";
import { quoted } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import { accountByPk, findAccount, setAccountStatus } from "../store/accounts.ts";
import {
  type CompanyFilter,
  clockOffsetOf,
  companiesOfMembers,
  countCompanies,
  deleteCompany,
  hasCardsElsewhere,
  pageOfCompanies,
  updateCompany,
} from "../store/companies.ts";
import { updateMember } from "../store/members.ts";
import { deleteUnusedStarts } from "../store/snapshots.ts";
import {
  type AccountListing,
  type CompanyListing,
  listCompanies,
  type MemberListing,
  type WorldListing,
} from "../store/world-listing.ts";
import { emit } from "../webhooks/events.ts";
import { entitlements } from "../world/fixtures.ts";
import { createCompany, type NewCompany } from "./create-company.ts";
import { ControlError } from "./errors.ts";
import { mustBe, parse, readJson, readQuery, wholeNumber } from "./input.ts";
import { optionalCompanyPk, requireCompany, requireMember } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

export const companyChange = z.lazy(() =>
  z.strictObject({
    status: companyStatus.optional(),
    card_quota: z.int().min(0).optional(),
    details_complete: z.boolean().optional(),
    entitlements: entitlements.optional(),
  }),
);

export const accountChange = z.lazy(() =>
  z.strictObject({ status: accountStatus, company: z.string().optional() }),
);

export const memberChange = z.lazy(() =>
  z.strictObject({
    role: role.optional(),
    status: memberStatus.optional(),
    details_complete: z.boolean().optional(),
    company: z.string().optional(),
  }),
);

/** The query parameter of operations that can be limited to one company. */
export const companyQuery = z.lazy(() => z.strictObject({ company: z.string().optional() }));

/** Maximum number of companies in one response. */
const mostListed = 500;

const allowedLimit = `an integer from 1 to ${mostListed}`;

const error = mustBe(allowedLimit);
const worldQuery = z.lazy(() =>
  z.strictObject({
    company: z.string().optional(),
    environment: environment.optional(),
    search: z.string().max(200).optional(),
    limit: z.int({ error }).min(1, { error }).max(mostListed, { error }).optional(),
    after: z.string().optional(),
  }),
);
export type WorldQuery = z.input<typeof worldQuery>;

export const worldParameters = z.lazy(() =>
  z.strictObject({
    ...worldQuery.unwrap().shape,
    limit: wholeNumber(1, mostListed, allowedLimit).optional(),
  }),
);

/** Companies with their members and accounts. */
export class Companies {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Creates an isolated company, its first member an owner, its first account active, with an API key for each of its
   * active members, up to the limit of active keys.
   * @returns the company with the secrets of its keys, which no later response shows
   * @throws ControlError 409 if a slug is taken
   */
  create(input: NewCompany = {}): Promise<CompanyListing> {
    return createCompany(this.#services, input);
  }

  change(name: string, input: z.input<typeof companyChange>): CompanyListing {
    const change = parse(companyChange, input);
    const { database } = this.#services;
    const { pk, id } = requireCompany(database, name);
    updateCompany(database, pk, {
      status: change.status,
      cardQuota: change.card_quota,
      detailsComplete: change.details_complete,
      entitlements: change.entitlements,
    });
    return this.show(id);
  }

  /**
   * The row number of a company.
   * @internal
   */
  pkOf(name: string): number {
    return requireCompany(this.#services.database, name).pk;
  }

  /** @throws ControlError 409 if one of its members has cards in another company */
  delete(name: string): void {
    const { database, generations } = this.#services;
    database.transaction(() => {
      const { pk } = requireCompany(database, name);
      if (hasCardsElsewhere(database, pk)) {
        throw new ControlError(
          409,
          `company: ${name} cannot be deleted, because one of its members has cards in another company. Reset the other company first: POST /_sandbox/reset with its name as company.`,
        );
      }
      generations.ending(pk);
      for (const each of [pk, ...companiesOfMembers(database, pk)]) generations.end(each);
      deleteCompany(database, pk);
      deleteUnusedStarts(database, pk);
    });
  }

  changeAccount(name: string, input: z.input<typeof accountChange>): AccountListing {
    const { status, company } = parse(accountChange, input);
    const { database, clock } = this.#services;
    const account = findAccount(database, name, optionalCompanyPk(database, company));
    if (!account) {
      throw new ControlError(
        404,
        `name: no account has the id or slug ${quoted(name)}. Use the id of an account, or its slug together with company. GET /_sandbox/world lists all accounts.`,
      );
    }
    const { pk, companyPk, companyId } = account;
    const nowMs = companyNow(clock, clockOffsetOf(database, companyPk));
    database.transaction(() => {
      const before = accountOf(accountByPk(database, pk));
      setAccountStatus(database, pk, status, nowMs);
      const changed = accountOf(accountByPk(database, pk));
      if (changed.status === before.status) return;
      const extra = { previous_status: before.status };
      emit(this.#services, { companyPk, type: "account.updated", data: () => changed, extra });
    });
    return listed(this.show(companyId).accounts, account.id);
  }

  /**
   * Changes a member in one company. The keys of an inactive member cannot be exchanged; issued tokens stay valid until they
   * expire, as after a key is revoked.
   */
  changeMember(name: string, input: z.input<typeof memberChange>): MemberListing {
    const { role, status, details_complete, company } = parse(memberChange, input);
    const { database } = this.#services;
    const member = requireMember(database, name, undefined, company);
    updateMember(database, member, { role, status, detailsComplete: details_complete });
    return listed(this.show(member.companyId).members, member.memberId);
  }

  /** Lists companies with their members, keys and accounts, in order of creation; at most 500 at once. */
  world(query: WorldQuery = {}): WorldListing {
    const { company, after, limit = mostListed, ...filter } = parse(worldQuery, query);
    const { database } = this.#services;
    if (company !== undefined) return { companies: [this.show(company)], has_more: false };
    const afterPk = optionalCompanyPk(database, after, "after");
    const page = pageOfCompanies(database, filter, { afterPk, limit: limit + 1 });
    const pks = page.slice(0, limit).map(({ companyPk }) => companyPk);
    return { companies: this.#list(pks), has_more: page.length > limit };
  }

  /** The number of companies that match. */
  count(filter?: CompanyFilter): number {
    return countCompanies(this.#services.database, filter);
  }

  /** The company with this id, slug, or live/SLUG. */
  show(name: string): CompanyListing {
    const { pk, id } = requireCompany(this.#services.database, name);
    return listed(this.#list([pk]), id);
  }

  #list(pks: readonly number[]): CompanyListing[] {
    const { database, clock, fixtureKeys } = this.#services;
    return listCompanies(database, clock.now(), fixtureKeys, pks);
  }
}

function listed<Listing extends { readonly id: string }>(listings: readonly Listing[], id: string): Listing {
  const listing = listings.find((each) => each.id === id);
  if (listing === undefined) throw new Error(`internal error: ${id} was found, but is not listed`);
  return listing;
}

/** @internal */
export function companyHandlers(
  companies: Companies,
): ControlHandlers<
  "getWorld" | "createCompany" | "changeCompany" | "deleteCompany" | "changeAccount" | "changeMember"
> {
  return {
    getWorld: (c) => c.json(companies.world(readQuery(c, worldParameters))),
    createCompany: async (c) => c.json(await companies.create(await readJson(c)), 201),
    changeCompany: async (c) => c.json(companies.change(c.req.param("name"), await readJson(c))),
    deleteCompany: (c) => {
      companies.delete(c.req.param("name"));
      return c.body(null, 204);
    },
    changeAccount: async (c) => c.json(companies.changeAccount(c.req.param("name"), await readJson(c))),
    changeMember: async (c) => c.json(companies.changeMember(c.req.param("name"), await readJson(c))),
  };
}
