import { behaviourIds, behaviours } from "../contract/behaviours.ts";
import {
  type Contract,
  conflictIn,
  contractUnder,
  type Dialect,
  defaultContract,
  merged,
} from "../contract/dialect.ts";
import { SetupError } from "../rules/errors.ts";
import type { Database } from "../store/database.ts";
import { deleteDialect, dialectRows, replaceDialect, selectionsOf } from "../store/dialects.ts";
import type { Generations } from "./generations.ts";

/**
 * The dialects in effect: that of the sandbox, and those of companies, which are over it. They are part of the world. A
 * reset restores the dialect of the start.
 */
export class Dialects {
  readonly #database: Database;
  #start: Dialect;
  #all: Contract = defaultContract;
  readonly #byCompany = new Map<number, Contract>();
  /** The companies whose dialects may have changed since they were read; undefined: the sandbox, and so all. */
  readonly #changed = new Set<number | undefined>([undefined]);
  /** Those that were read in an open transaction, which may still roll back: they are read again after it. */
  readonly #unsettled = new Set<number | undefined>();

  /** @param start - the dialect that is in effect unless it is replaced */
  constructor(database: Database, generations: Generations, start: Dialect = {}) {
    this.#database = database;
    this.#start = start;
    generations.onEnd((companyPk) => void this.#changed.add(companyPk));
  }

  /** The contract of requests whose caller is not known. */
  get all(): Contract {
    this.refresh();
    return this.#all;
  }

  /** Reads the dialects if they changed. */
  refresh(): void {
    if (this.#unsettled.size > 0 && !this.#database.isInTransaction) {
      for (const companyPk of this.#unsettled) this.#changed.add(companyPk);
      this.#unsettled.clear();
    }
    if (this.#changed.size > 0) this.#load();
  }

  /** The contract for a company; undefined: for a caller that is not known. */
  of(companyPk: number | undefined): Contract {
    const { all } = this;
    if (companyPk === undefined || this.#byCompany.size === 0) return all;
    return this.#byCompany.get(companyPk) ?? all;
  }

  /** The selections of one company, without those of the sandbox. */
  ofCompanyAlone(companyPk: number): Dialect {
    const selections = selectionsOf(this.#database, companyPk);
    return selections === undefined ? {} : dialectOf(selections);
  }

  /** The dialect that is in effect unless it is replaced. */
  get start(): Dialect {
    return this.#start;
  }

  /**
   * Why a dialect for a company or, without one, for the sandbox would conflict with itself, or with that of the sandbox
   * or of a company; undefined if it would not.
   */
  conflictOf(dialect: Dialect, companyPk?: number): string | undefined {
    if (companyPk !== undefined) return this.conflictOverSandbox(dialect);
    const ofSandbox = conflictIn(dialect);
    if (ofSandbox !== undefined) return ofSandbox;
    for (const { companyPk, selections } of dialectRows(this.#database)) {
      const conflict = companyPk === null ? undefined : conflictIn(merged(dialect, dialectOf(selections)));
      if (conflict !== undefined) return `${conflict}, in the dialect of a company`;
    }
    return undefined;
  }

  /** Why a dialect of a company would conflict with itself or with that of the sandbox. */
  conflictOverSandbox(dialect: Dialect): string | undefined {
    return conflictIn(merged(this.all.dialect, dialect));
  }

  /** Replaces the dialect of a company or, without one, of the sandbox. It must be valid. */
  replace(dialect: Dialect, companyPk?: number): void {
    const row = { companyPk: companyPk ?? null, selections: JSON.stringify(dialect) };
    replaceDialect(this.#database, row);
    this.#changed.add(companyPk);
  }

  /** Removes the dialect of a company; without a company, restores that of the start. */
  remove(companyPk?: number): void {
    deleteDialect(this.#database, companyPk ?? null);
    this.#changed.add(companyPk);
  }

  /**
   * Replaces the dialect of the start, after its file has changed.
   * @returns whether it is in effect, because no other dialect has replaced it
   * @throws SetupError if the dialect of a company conflicts with it
   */
  changeStart(dialect: Dialect): boolean {
    const conflict = this.conflictOf(dialect);
    if (conflict !== undefined) throw new SetupError(`dialect: ${conflict}`);
    this.#start = dialect;
    this.#changed.add(undefined);
    return dialectRows(this.#database).every(({ companyPk }) => companyPk !== null);
  }

  #load(): void {
    if (this.#changed.has(undefined)) this.#loadAll();
    else for (const companyPk of this.#changed) this.#loadOne(companyPk as number);
    if (this.#database.isInTransaction) {
      for (const companyPk of this.#changed) this.#unsettled.add(companyPk);
    }
    this.#changed.clear();
  }

  #loadAll(): void {
    const own = selectionsOf(this.#database, null);
    const dialect = own === undefined ? this.#start : dialectOf(own);
    this.#all = Object.keys(dialect).length === 0 ? defaultContract : contractUnder(dialect);
    this.#byCompany.clear();
    for (const { companyPk, selections } of dialectRows(this.#database)) {
      if (companyPk !== null) this.#put(companyPk, selections);
    }
  }

  #loadOne(companyPk: number): void {
    this.#byCompany.delete(companyPk);
    const selections = selectionsOf(this.#database, companyPk);
    if (selections !== undefined) this.#put(companyPk, selections);
  }

  #put(companyPk: number, selections: string): void {
    const whole = merged(this.#all.dialect, dialectOf(selections));
    // A snapshot or a database file may be opened with another dialect of the start, which wins.
    if (conflictIn(whole) === undefined) this.#byCompany.set(companyPk, contractUnder(whole));
  }
}

/** A database file may have been written by a version with other behaviors and alternatives: these are left out. */
function dialectOf(selections: string): Dialect {
  const stored = JSON.parse(selections) as Record<string, { readonly use: string }>;
  const known = behaviourIds.filter((id) =>
    behaviours[id].alternatives.some((each) => each.id === stored[id]?.use),
  );
  return Object.fromEntries(known.map((id) => [id, stored[id]])) as Dialect;
}
