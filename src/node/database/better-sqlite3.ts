import { chmodSync, existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { SetupError } from "../../rules/errors.ts";
import type { Database, DatabaseCopies, SqlValue } from "../../store/database.ts";
import { openEngine } from "./engine.ts";
import { damaged, openingFailure, useAnother, usingFailure } from "./failure.ts";
import {
  applicationId,
  type DatabaseCheck,
  type DatabaseFile,
  type Durability,
  inspectFile,
} from "./file.ts";
import { guardFiles } from "./file-in-place.ts";

/** A database that can be closed. Closing a database in memory deletes it. */
export interface OpenDatabase extends Database {
  close(): void;
}

/**
 * Opens a database file, or one in memory for `:memory:`.
 * @throws SetupError, with a message of one line, if the file cannot be opened; it is unchanged then
 */
export function openDatabase(
  path: string,
  durability: Durability = "normal",
  check: DatabaseCheck = "auto",
): OpenDatabase {
  // better-sqlite3 also trims the name. The checks must inspect the same file.
  const name = path.trim();
  if (name === ":memory:") {
    if (durability === "full") {
      throw new SetupError("--durability full needs a database file: add --db FILE");
    }
    return new SqliteDatabase(openInMemory());
  }
  const file = inspectFile(name);
  try {
    const database = new SqliteDatabase(openFile(file, durability), (error, isUnchanged) =>
      usingFailure(file.path, error, isUnchanged),
    );
    if (!file.isNew) refuseDamaged(file.path, database, check);
    return guardFiles(file.path, database);
  } catch (error) {
    throw openingFailure(file.path, error);
  }
}

/**
 * Keeps each database and each of its statements for the life of the process, because better-sqlite3 12
 * crashes Node 24 when one is garbage-collected. For the same reason, pragmas run through `exec`, which
 * creates no statement.
 */
const opened: unknown[] = [];

/** @param prepare - if it throws, the database is closed */
function open(
  name: string | Buffer,
  prepare: (sqlite: BetterSqlite3.Database) => void,
  readonly = false,
): BetterSqlite3.Database {
  const sqlite = openEngine(name, { timeout: 250, readonly });
  opened.push(sqlite);
  try {
    prepare(sqlite);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function setPragmas(sqlite: BetterSqlite3.Database, pragmas: readonly string[]): void {
  for (const pragma of pragmas) sqlite.exec(`PRAGMA ${pragma}`);
}

/**
 * A change copies each page that it touches. Most changes touch a few bytes of several pages, so small pages
 * are faster.
 */
const pageSize = "page_size = 2048";

/**
 * In memory, the cost of COMMIT grows with the size of the database, and there is nothing to make durable. So
 * one transaction stays open, and each transaction of the program is a savepoint in it. The pages of a copy are
 * held twice, in its bytes and in the cache: pages of 2 KB would take 80 KB more in each sandbox.
 */
function openInMemory(copy?: Buffer): BetterSqlite3.Database {
  return open(copy ?? ":memory:", (sqlite) => {
    setPragmas(sqlite, [
      "page_size = 1024",
      "foreign_keys = ON",
      // Nothing is written to the bytes of a copy, which could not grow beyond 1 GiB.
      "cache_spill = OFF",
      // For the triggers of the callers' cache: a temporary file's cache would take 45 KB.
      "temp_store = MEMORY",
    ]);
    sqlite.exec("BEGIN");
  });
}

/** The latest copies of databases in memory, by name, the oldest first. */
const copies = new Map<string, Buffer>();
const mostCopies = 4;

/**
 * Sets the application id of a new file before it switches to WAL, so that the id is in the file itself and
 * not only in its log. The log grows to 16 MiB before a checkpoint writes it to the file: a checkpoint blocks
 * all requests, and pages that change often are then written only once. The cache is small, because SQLite
 * visits each cached page after most transactions; the operating system caches the file.
 */
function openFile({ path, isNew, hasLog }: DatabaseFile, durability: Durability): BetterSqlite3.Database {
  if (!isNew && hasLog) refuseForeignLog(path);
  const isCreated = !existsSync(path);
  return open(path, (sqlite) => {
    // SQLite copies the permissions to the log.
    if (isCreated) chmodSync(path, modeOfNewFile(path));
    setPragmas(sqlite, ["locking_mode = EXCLUSIVE"]);
    if (isNew) setPragmas(sqlite, [pageSize, `application_id = ${applicationId}`]);
    else refuseForeign(path, sqlite);
    setPragmas(sqlite, [
      "journal_mode = WAL",
      "wal_autocheckpoint = 8000",
      "cache_size = 300",
      `synchronous = ${durability}`,
      "foreign_keys = ON",
    ]);
  });
}

/**
 * A database may hold a private secret, so only its owner may read it. If this process's group owns the
 * folder and may write to it, the group may use the file too: OpenShift may change the user of a container,
 * but its group is always 0.
 */
function modeOfNewFile(path: string): number {
  const { mode, gid } = statSync(dirname(path));
  return gid === process.getegid?.() && mode & 0o020 ? 0o660 : 0o600;
}

/** @throws SetupError if another program created the database; the file is unchanged unless it has a log */
function refuseForeign(path: string, sqlite: BetterSqlite3.Database): void {
  const mark = sqlite.prepare("PRAGMA application_id").pluck();
  opened.push(mark);
  if (mark.get() !== applicationId) {
    throw new SetupError(`${path} is the database of another program. ${useAnother}`);
  }
}

/**
 * A writable connection would write the log of a killed program into its file. A read-only connection changes
 * neither, and creates at most the index of the log, which is removed.
 */
function refuseForeignLog(path: string): void {
  const index = `${realpathSync(path)}-shm`;
  const hadIndex = existsSync(index);
  try {
    open(path, (sqlite) => refuseForeign(path, sqlite), true).close();
  } finally {
    if (!hadIndex) rmSync(index, { force: true });
  }
}

/** The full check takes 20 ms per MiB, the quick one 4 ms (measured with 100,000 cards, 27 MiB). */
const fullCheckBytes = 48 * 2 ** 20;

/**
 * Reads the whole file, so that damage is found before tests depend on it.
 * @throws SetupError, with the database closed
 */
function refuseDamaged(file: string, database: OpenDatabase, check: DatabaseCheck): void {
  try {
    const size = database.get<{ bytes: number }>(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    );
    const isFull = check === "full" || (check === "auto" && (size?.bytes ?? 0) <= fullCheckBytes);
    const pragma = isFull ? "integrity_check" : "quick_check";
    const found = database.get<Record<string, string>>(`PRAGMA ${pragma}(1)`)?.[pragma];
    // The first line only names the database.
    if (found !== "ok") throw new SetupError(`${damaged(file, found?.split("\n").at(-1) ?? "unreadable")}.`);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A prepared statement. A query returns its rows as arrays; `rowOf` converts a row to an object. */
interface Statement {
  readonly prepared: BetterSqlite3.Statement<SqlValue[]>;
  readonly rowOf: (values: unknown) => unknown;
}

function prepare(sqlite: BetterSqlite3.Database, sql: string): Statement {
  const prepared = sqlite.prepare<SqlValue[]>(sql);
  if (!prepared.reader) return { prepared, rowOf: (values) => values };
  const rowOf = compileRow(prepared.columns().map(({ name }) => name));
  return { prepared: prepared.raw(), rowOf };
}

/** Compiles a function that converts a row to an object. It adds 2 % to the throughput of orders. */
function compileRow(names: readonly string[]): (values: unknown) => unknown {
  const fields = names.map((name, n) => `${JSON.stringify(name)}: values[${n}]`);
  try {
    return new Function("values", `return { ${fields.join(", ")} };`) as (values: unknown) => unknown;
  } catch {
    // Not available with the option --disallow-code-generation-from-strings of Node.
    return (values) => Object.fromEntries(names.map((name, n) => [name, (values as unknown[])[n]]));
  }
}

/** Functions that run work in a transaction of better-sqlite3. */
interface Transactions {
  readonly transact: (work: () => unknown) => unknown;
  readonly share: (work: () => void) => void;
}

/** The `Database` port on better-sqlite3. */
class SqliteDatabase implements OpenDatabase {
  readonly isDurable: boolean;
  readonly copies?: DatabaseCopies;
  #sqlite: BetterSqlite3.Database;
  readonly #failure: (error: unknown, isUnchanged: boolean) => unknown;
  readonly #statements = new Map<string, Statement>();
  #transactions: Transactions | undefined;
  /** The number of nested transactions of the program. */
  #depth = 0;
  /** Whether `batch` is running, so that all changes share one commit. */
  #isShared = false;
  /**
   * A commit that fails may still take effect: its frames may be in the log, where a later process may read
   * them.
   */
  #isCommitting = false;
  #isSchemaNew = false;
  #latestFailure: unknown;

  /** @param failure - converts an error of the engine into the error to throw */
  constructor(
    sqlite: BetterSqlite3.Database,
    failure: (error: unknown, isUnchanged: boolean) => unknown = (error) => error,
  ) {
    this.#failure = failure;
    this.isDurable = !sqlite.memory;
    if (sqlite.memory) this.copies = { save: (name) => this.#save(name), load: (name) => this.#load(name) };
    this.#sqlite = sqlite;
  }

  /** Called for the first transaction, because better-sqlite3 prepares ten statements for it. */
  #prepareTransactions(): Transactions {
    return {
      // The outermost transaction is IMMEDIATE; better-sqlite3 uses a savepoint for a nested one.
      transact: this.#sqlite.transaction((work: () => unknown) => {
        const result = work();
        this.#isCommitting = this.#depth === 1 && !this.#isShared;
        return result;
      }).immediate,
      share: this.#sqlite.transaction((work: () => void) => {
        this.#isShared = true;
        try {
          work();
          this.#refuseAfterLoss();
          this.#isCommitting = true;
        } finally {
          this.#isShared = false;
        }
      }),
    };
  }

  exec(sql: string): void {
    this.#refuseAfterLoss();
    try {
      this.#sqlite.exec(sql);
    } catch (error) {
      throw this.#failed(error, this.isInTransaction);
    }
    this.#isSchemaNew ||= /^\s*(CREATE|ALTER|DROP)\b/im.test(sql);
    this.#settleSchema();
  }

  all<Row>(sql: string, ...params: SqlValue[]): Row[] {
    try {
      const { prepared, rowOf } = this.#statement(sql);
      return prepared.all(...params).map(rowOf) as Row[];
    } catch (error) {
      throw this.#failed(error);
    }
  }

  get<Row>(sql: string, ...params: SqlValue[]): Row | undefined {
    let statement: Statement | undefined;
    try {
      statement = this.#statement(sql);
      const values = statement.prepared.get(...params);
      return values === undefined ? undefined : (statement.rowOf(values) as Row);
    } catch (error) {
      throw this.#failed(error, this.isInTransaction || statement?.prepared.readonly !== false);
    }
  }

  run(sql: string, ...params: SqlValue[]): number {
    this.#refuseAfterLoss();
    try {
      return this.#statement(sql).prepared.run(...params).changes;
    } catch (error) {
      throw this.#failed(error, this.isInTransaction);
    }
  }

  transaction<Result>(work: () => Result): Result {
    this.#refuseAfterLoss();
    this.#depth++;
    try {
      this.#transactions ??= this.#prepareTransactions();
      return this.#transactions.transact(work) as Result;
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#depth--;
      if (!this.isInTransaction) this.#isCommitting = false;
      this.#settleSchema();
    }
  }

  batch(work: () => void): void {
    if (!this.isDurable) {
      work();
      return;
    }
    try {
      this.#transactions ??= this.#prepareTransactions();
      this.#transactions.share(work);
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#isCommitting = false;
    }
  }

  define(name: string, work: () => void): void {
    this.#sqlite.function(name, () => {
      work();
      return null;
    });
  }

  close(): void {
    this.#sqlite.close();
  }

  #save(name: string): void {
    const [oldest = name] = copies.keys();
    if (copies.size >= mostCopies) copies.delete(oldest);
    copies.set(name, this.#sqlite.serialize());
  }

  #load(name: string): boolean {
    const copy = copies.get(name);
    if (copy === undefined) return false;
    // As the latest one, so that it is kept.
    copies.delete(name);
    copies.set(name, copy);
    this.#sqlite.close();
    this.#statements.clear();
    this.#transactions = undefined;
    this.#sqlite = openInMemory(copy);
    return true;
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = prepare(this.#sqlite, sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #failed(error: unknown, isUnchanged = !this.#isCommitting): unknown {
    this.#latestFailure = this.#failure(error, isUnchanged);
    return this.#latestFailure;
  }

  get isInTransaction(): boolean {
    return this.#depth > 0 || this.#isShared;
  }

  /**
   * After some failures, SQLite rolls back the whole shared transaction; a later change would be committed
   * without it.
   */
  #refuseAfterLoss(): void {
    if (this.#isShared && !this.#sqlite.inTransaction) throw this.#latestFailure;
  }

  /**
   * Commits a change of the schema, because until then SQLite reads the whole schema again after each
   * rollback.
   */
  #settleSchema(): void {
    if (!this.#isSchemaNew || this.#depth > 0) return;
    this.#isSchemaNew = false;
    if (!this.isDurable) this.#sqlite.exec("COMMIT; BEGIN");
  }
}
