import { Hono } from "hono";
import * as z from "zod";
import { environment } from "../contract/identifiers.ts";
import { accountOf } from "../payments/account.ts";
import type { KeyQuota } from "../rules/api-key.ts";
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
import { entitlements } from "../world/seed-world.ts";
import { createCompany, type NewCompany } from "./create-company.ts";
import { ControlError } from "./errors.ts";
import { parse, readJson, readQuery, wholeNumber } from "./input.ts";
import { optionalCompanyPk, requireCompany, requireMember } from "./lookup.ts";

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

const worldQuery = z.strictObject({
  company: z.string().optional(),
  environment: environment.optional(),
  search: z.string().max(200, "must be up to 200 characters").optional(),
  limit: z.int(limitError).min(1, limitError).max(mostListed, limitError).optional(),
  after: z.string().optional(),
});
export type WorldQuery = z.input<typeof worldQuery>;

const worldParameters = z.strictObject({
  ...worldQuery.shape,
  limit: wholeNumber(1, mostListed, limitError).optional(),
});

/** Companies with their members and accounts. */
export class Companies {
  readonly #services: Services;
  readonly #keyQuota: KeyQuota;

  constructor(services: Services, keyQuota: KeyQuota) {
    this.#services = services;
    this.#keyQuota = keyQuota;
  }

  /**
   * Creates an isolated company, its first member an owner, its first account active, with an API key for each of its
   * active members while there is a free slot.
   * @returns the company with the secrets of its keys, which no later response shows
   * @throws ControlError 409 if a slug is taken
   */
  create(input: NewCompany = {}): Promise<CompanyListing> {
    return createCompany(this.#services, this.#keyQuota, input);
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

  /** @throws ControlError 409 if one of its members has cards in another company */
  delete(name: string): void {
    const { database, generations } = this.#services;
    database.transaction(() => {
      const { pk } = requireCompany(database, name);
      if (hasCardsElsewhere(database, pk)) {
        throw new ControlError(409, `a member of ${name} has cards in another company: reset that one first`);
      }
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
        `no account ${quoted(name)}: name it by its id, or by its slug and a company`,
      );
    }
    const { pk, companyPk, companyId } = account;
    const nowMs = companyNow(clock, clockOffsetOf(database, companyPk));
    database.transaction(() => {
      const before = accountOf(accountByPk(database, pk));
      setAccountStatus(database, pk, status, nowMs);
      const changed = accountOf(accountByPk(database, pk));
      if (changed.status === before.status) return;
      const beside = { previous_status: before.status };
      emit(this.#services, { companyPk, type: "account.updated", data: () => changed, beside });
    });
    return listed(this.show(companyId).accounts, account.id);
  }

  /**
   * Changes a member in one company. The keys of an inactive member obtain no token; issued tokens stay valid until they
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
    const afterPk = optionalCompanyPk(database, after);
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
  if (listing === undefined) throw new Error(`${id} was found, but is not listed`);
  return listing;
}

/** @internal */
export function companyRoutes(companies: Companies): Hono {
  const routes = new Hono();
  routes.get("/world", (c) => c.json(companies.world(readQuery(c, worldParameters))));
  routes.post("/companies", async (c) => c.json(await companies.create(await readJson(c)), 201));
  // `.+`: a live company is named live/SLUG.
  routes.patch("/companies/:name{.+}", async (c) =>
    c.json(companies.change(c.req.param("name"), await readJson(c))),
  );
  routes.delete("/companies/:name{.+}", (c) => {
    companies.delete(c.req.param("name"));
    return c.body(null, 204);
  });
  routes.patch("/accounts/:name", async (c) =>
    c.json(companies.changeAccount(c.req.param("name"), await readJson(c))),
  );
  routes.patch("/members/:name", async (c) =>
    c.json(companies.changeMember(c.req.param("name"), await readJson(c))),
  );
  return routes;
}
