export type SqlValue = string | number | null | Uint8Array;

/**
 * Synchronous SQLite. Parameters are positional (`?`), at most 100; a boolean is 0 or 1. Statements are prepared once.
 * Transactions nest, and roll back when `work` throws; only the implementation runs statements that begin or end one.
 */
export interface Database {
  /** Whether its content survives the process. If it does not, nothing waits for a commit. */
  readonly isDurable: boolean;
  exec(sql: string): void;
  all<Row>(sql: string, ...params: SqlValue[]): Row[];
  get<Row>(sql: string, ...params: SqlValue[]): Row | undefined;
  /** @returns how many rows changed */
  run(sql: string, ...params: SqlValue[]): number;
  transaction<Result>(work: () => Result): Result;
  /**
   * Makes the transactions of some work durable together; each still rolls back alone.
   * @throws if they cannot be committed: then all of them are lost
   */
  together(work: () => void): void;
  /** Defines a function without arguments that triggers can call. */
  define(name: string, work: () => void): void;
}

/** A page of a list, the newest row first: only rows before a position, which are older. */
export interface Page {
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A row and its position in the list of its company, member or webhook. */
export type Listed<Row> = Row & { readonly position: number };

/**
 * The next position in the list of a company, a member or a webhook, as an SQL expression.
 * @param owner - the column of the list's owner; its value is the expression's parameter
 */
export const nextPosition = (table: string, owner: string): string =>
  `(SELECT coalesce(max(position), 0) + 1 FROM ${table} WHERE ${owner} = ?)`;

/** The parameters of optional conditions such as `(? IS NULL OR status = ?)`: each value twice. */
export const optional = (...values: (SqlValue | undefined)[]): SqlValue[] =>
  values.flatMap((value) => [value ?? null, value ?? null]);

/** The row number from an `INSERT … RETURNING pk`. */
export function inserted(row: { pk: number } | undefined): number {
  if (!row) throw new Error("INSERT … RETURNING pk returned no row");
  return row.pk;
}

/** The result of a `SELECT count(*) AS n`. */
export function countOf(database: Database, query: string, ...params: SqlValue[]): number {
  return database.get<{ n: number }>(query, ...params)?.n ?? 0;
}
