/** A page of a list, the newest row first: only rows before a position, which are older. */
export interface Page {
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A row and its position in its list: that of the company, the member or the webhook, and of no other. */
export type Listed<Row> = Row & { readonly position: number };

export type SqlValue = string | number | null | Uint8Array;

/**
 * Synchronous SQLite. Parameters are positional (`?`), at most 100; a boolean is 0 or 1. Transactions nest,
 * and roll back when `work` throws; statements that begin or end one are the implementation's alone.
 */
export interface Database {
  /** Whether it outlives the process: for what does not, there is no commit to wait for. */
  readonly isDurable: boolean;
  exec(sql: string): void;
  all<Row>(sql: string, ...params: SqlValue[]): Row[];
  get<Row>(sql: string, ...params: SqlValue[]): Row | undefined;
  /** @returns how many rows changed */
  run(sql: string, ...params: SqlValue[]): number;
  transaction<Result>(work: () => Result): Result;
  /**
   * Makes the transactions of some work durable together; each still rolls back alone.
   * @throws where they cannot be kept: then all of them are lost
   */
  together(work: () => void): void;
  /** Makes a function without arguments that triggers may call. */
  define(name: string, work: () => void): void;
}
