import type { Database } from "./database.ts";

/** The dialect of one company or, without a company, of the sandbox. */
export interface DialectRow {
  readonly companyPk: number | null;
  /** As JSON. */
  readonly selections: string;
}

export function dialectRows(database: Database): DialectRow[] {
  return database.all<DialectRow>("SELECT company_pk AS companyPk, selections FROM dialects");
}

/** The dialect of a company or, without one, of the sandbox, as JSON; undefined if it has none of its own. */
export function selectionsOf(database: Database, companyPk: number | null): string | undefined {
  return database.get<DialectRow>("SELECT selections FROM dialects WHERE company_pk IS ?", companyPk)
    ?.selections;
}

/** Replaces the dialect of a company or of the sandbox. */
export function replaceDialect(database: Database, { companyPk, selections }: DialectRow): void {
  deleteDialect(database, companyPk);
  database.run("INSERT INTO dialects (company_pk, selections) VALUES (?, ?)", companyPk, selections);
}

export function deleteDialect(database: Database, companyPk: number | null): void {
  database.run("DELETE FROM dialects WHERE company_pk IS ?", companyPk);
}
