import * as z from "zod";
import { type BehaviourId, behaviourIds, behaviours } from "../contract/behaviours.ts";
import { type Dialect, defaultOf, type Selection } from "../contract/dialect.ts";
import { dialectInOpenapi, dialectSchema, withSelections } from "../contract/dialect-file.ts";
import type { ContractPointId, Provenance } from "../contract/points.ts";
import type { DialectInput } from "../contract/selections.ts";
import type { Services } from "../runtime/services.ts";
import { ControlError } from "./errors.ts";
import { parse, readJson } from "./input.ts";
import { optionalCompanyPk } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

/**
 * For the OpenAPI document; `dialectRequest` has the rest of the rules.
 * @internal
 */
export const dialectChange = z.lazy(() =>
  z.strictObject({ dialect: dialectInOpenapi, company: z.string().optional() }),
);

const dialectRequest = z.lazy(() =>
  z.strictObject({ dialect: dialectSchema(), company: z.string().optional() }),
);

/** A new dialect for the sandbox, or for one company. */
export interface DialectChange {
  /** All behaviors that it does not name have their default or, for a company, that of the sandbox. */
  readonly dialect: DialectInput;
  /** Only for this company: its id, its slug, or `live/SLUG`. */
  readonly company?: string | undefined;
}

/** One of several ways in which the real service may behave. */
export interface AlternativeListing {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
}

/** A behavior that the specification leaves open, and the alternative that is in effect. */
export interface BehaviourListing {
  readonly id: BehaviourId;
  readonly title: string;
  readonly spec: string;
  readonly scope: "company" | "sandbox";
  readonly points: readonly ContractPointId[];
  /** The alternative that is in effect. */
  readonly use: string;
  readonly is_default: boolean;
  readonly provenance: Exclude<Provenance, "specified">;
  readonly date: string | null;
  readonly note: string | null;
  /** The default first. */
  readonly alternatives: readonly AlternativeListing[];
}

export interface DialectListing {
  readonly behaviors: readonly BehaviourListing[];
}

/** The alternatives that are in effect, for the sandbox and for each company. They are part of the world. */
export class SandboxDialect {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** All behaviors with their alternatives, as they apply to the sandbox or to one company. */
  list(company?: string): DialectListing {
    const { database, dialects } = this.#services;
    return dialectListing(dialects.of(optionalCompanyPk(database, company)).dialect);
  }

  /**
   * Replaces the whole dialect of the sandbox or of one company.
   * @throws ControlError 400 if alternatives conflict, or a behavior cannot differ between companies
   */
  replace(input: DialectChange): DialectListing {
    const normal =
      input instanceof Object && "dialect" in input
        ? { ...input, dialect: withSelections(input.dialect) }
        : input;
    const { dialect, company } = parse(dialectRequest, normal);
    const { database, dialects } = this.#services;
    database.transaction(() => {
      const companyPk = optionalCompanyPk(database, company);
      if (companyPk !== undefined) refuseSandboxWide(dialect as Dialect);
      refuseConflict(dialects.conflictOf(dialect as Dialect, companyPk));
      dialects.replace(dialect as Dialect, companyPk);
    });
    return this.list(company);
  }

  /**
   * Selects one alternative for the sandbox or for one company, and keeps the other selections.
   * @throws ControlError 400 if it is unknown, or conflicts with another one
   */
  select(id: string, use: string, company?: string): BehaviourListing {
    const { database, dialects } = this.#services;
    const companyPk = optionalCompanyPk(database, company);
    const own = companyPk === undefined ? dialects.all.dialect : dialects.ofCompanyAlone(companyPk);
    const { behaviors } = this.replace({ dialect: { ...own, [id]: { use } }, company });
    const selected = behaviors.find((each) => each.id === id);
    if (!selected) throw new Error(`internal error: ${id} was selected, but is not listed`);
    return selected;
  }

  /**
   * Restores the dialect with which the sandbox was started; with a company, that of the sandbox.
   * @throws ControlError 409 if the dialect of a company conflicts with it
   */
  remove(company?: string): void {
    const { database, dialects } = this.#services;
    database.transaction(() => {
      const companyPk = optionalCompanyPk(database, company);
      if (companyPk === undefined) refuseConflict(dialects.conflictOf(dialects.start), 409);
      dialects.remove(companyPk);
    });
  }
}

/**
 * The dialect of a new company.
 * @internal
 * @throws ControlError 400
 */
export function dialectOfCompany({ dialects }: Services, input: unknown): Dialect {
  const { dialect } = parse(dialectRequest, { dialect: withSelections(input) });
  refuseSandboxWide(dialect as Dialect);
  refuseConflict(dialects.conflictOverSandbox(dialect as Dialect));
  return dialect as Dialect;
}

/**
 * All behaviors under a dialect.
 * @internal
 */
export function dialectListing(dialect: Dialect): DialectListing {
  return { behaviors: behaviourIds.map((id) => listingOf(id, dialect)) };
}

function listingOf(id: BehaviourId, dialect: Dialect): BehaviourListing {
  const { title, spec, scope, points, provenance, alternatives } = behaviours[id];
  const selected: Selection | undefined = dialect[id];
  const use = selected?.use ?? defaultOf(id).id;
  return {
    id,
    title,
    spec,
    scope,
    points,
    use,
    is_default: use === defaultOf(id).id,
    provenance: selected?.provenance ?? provenance,
    date: selected?.date ?? null,
    note: selected?.note ?? null,
    alternatives: alternatives.map(({ id, title, reason }) => ({ id, title, reason })),
  };
}

function refuseSandboxWide(dialect: Dialect): void {
  const id = behaviourIds.find((each) => dialect[each] !== undefined && behaviours[each].scope === "sandbox");
  if (id === undefined) return;
  throw new ControlError(
    400,
    `dialect.${id}: cannot differ between companies, because it is decided before the caller is known. Change it for the whole sandbox: PUT /_sandbox/dialect without company.`,
  );
}

function refuseConflict(conflict: string | undefined, status: 400 | 409 = 400): void {
  if (conflict !== undefined) throw new ControlError(status, `dialect.${conflict}`);
}

/** @internal */
export function dialectHandlers(
  dialect: SandboxDialect,
): ControlHandlers<"getDialect" | "replaceDialect" | "removeDialect"> {
  return {
    getDialect: (c) => c.json(dialect.list(c.req.query("company"))),
    replaceDialect: async (c) => c.json(dialect.replace(await readJson(c))),
    removeDialect: (c) => {
      dialect.remove(c.req.query("company"));
      return c.body(null, 204);
    },
  };
}
