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
  /** Whether changes may still roll back, because a transaction or a batch is open. */
  readonly isInTransaction: boolean;
  /**
   * Commits the transactions of some work as one batch. Each of them still rolls back alone.
   * @throws if the batch cannot be committed: then all its transactions are lost
   */
  batch(work: () => void): void;
  /** Defines a function without arguments that triggers can call. */
  define(name: string, work: () => void): void;
  /** Copies of databases in memory; absent if this one cannot be copied. */
  readonly copies?: DatabaseCopies;
}

/** Copies of whole databases, by name, which all databases of this process share. The latest few are kept. */
export interface DatabaseCopies {
  /** Keeps a copy of this database, uncommitted changes included. */
  save(name: string): void;
  /**
   * Replaces this database, which must be empty, with a copy. Call it outside a transaction.
   * @returns whether there is a copy with this name
   */
  load(name: string): boolean;
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

/**
 * The end of a query whose last parameter is the number of rows. SQLite plans for the value of a bare parameter, and so
 * prepares the statement again at every call: that took a quarter of the time of a request for a page of cards.
 */
export const limitParameter = "LIMIT CAST(? AS INTEGER)";

/** The row number from an `INSERT … RETURNING pk`. */
export function inserted(row: { pk: number } | undefined): number {
  if (!row) throw new Error("INSERT … RETURNING pk returned no row");
  return row.pk;
}

/** The result of a `SELECT count(*) AS n`. */
export function countOf(database: Database, query: string, ...params: SqlValue[]): number {
  return database.get<{ n: number }>(query, ...params)?.n ?? 0;
}
