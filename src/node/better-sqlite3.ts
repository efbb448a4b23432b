import { chmodSync, existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { SetupError } from "../rules/errors.ts";
import type { Database, SqlValue } from "../store/database.ts";
import { damaged, openingFailure, usingFailure } from "./database-failure.ts";
import {
  applicationId,
  type DatabaseCheck,
  type DatabaseFile,
  type Durability,
  inspectFile,
} from "./database-file.ts";
import { whileInPlace } from "./file-in-place.ts";

/** A database that can be closed; closing loses what is in memory. */
export interface OpenDatabase extends Database {
  close(): void;
}

/**
 * Opens a database file, or one in memory for `:memory:`.
 * @throws SetupError in one line, with nothing changed, where that cannot be
 */
export function openDatabase(
  path: string,
  durability: Durability = "normal",
  check: DatabaseCheck = "auto",
): OpenDatabase {
  const { version } = createRequire(import.meta.url)("better-sqlite3/package.json") as { version: string };
  refuseUnloadableEngine(version, process.versions);
  // better-sqlite3 trims a name too: what is looked at has to be what is opened.
  const name = path.trim();
  if (name === ":memory:") {
    if (durability === "full") {
      throw new SetupError("what is in memory outlives no process: for full durability name a database file");
    }
    return new SqliteDatabase(openInMemory());
  }
  const file = inspectFile(name);
  try {
    const database = new SqliteDatabase(openFile(file, durability), (error, isUnchanged) =>
      usingFailure(file.path, error, isUnchanged),
    );
    if (!file.isNew) refuseDamaged(file.path, database, check);
    return whileInPlace(file.path, database);
  } catch (error) {
    throw openingFailure(file.path, error);
  }
}

/**
 * better-sqlite3 13 is built for Node-API 10, and an older Node dies of it without a word.
 * @throws SetupError where this Node cannot load it
 */
export function refuseUnloadableEngine(
  version: string,
  { node, napi }: { readonly node: string; readonly napi?: string },
): void {
  if (Number.parseInt(version, 10) >= 13 && Number(napi) < 10) {
    throw new SetupError(
      `better-sqlite3 ${version} does not run on Node ${node}: install card-sandbox with the Node that runs it, or use Node 22.14 or later`,
    );
  }
}

/**
 * Each database and each of its statements is kept for the life of the process: better-sqlite3 12 crashes
 * Node 24 when one is garbage-collected. For the same reason pragmas run through `exec`, which creates no statement.
 */
const opened: unknown[] = [];

/** @param prepare - if it throws, the database is closed */
function open(
  name: string,
  prepare: (sqlite: BetterSqlite3.Database) => void,
  readonly = false,
): BetterSqlite3.Database {
  const sqlite = new BetterSqlite3(name, { timeout: 250, readonly });
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

/** A change copies the pages that it touches, and most touch a few bytes of several: small ones are faster. */
const pageSize = "page_size = 2048";

/**
 * In memory, COMMIT grows dearer with the database, and makes nothing durable. So one transaction stays open
 * for good, and each transaction of the program is a savepoint in it.
 */
function openInMemory(): BetterSqlite3.Database {
  return open(":memory:", (sqlite) => {
    setPragmas(sqlite, [pageSize, "foreign_keys = ON"]);
    sqlite.exec("BEGIN");
  });
}

/**
 * A new file is marked before WAL, so that the mark is in it and never in a log beside it alone. The log grows to
 * 16 MiB before it is written back, during which nobody is answered: what changes often is then written back once.
 * And few pages are held, since SQLite looks at each of them after most transactions; the system holds the rest.
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
 * A database may hold a private secret, so only its owner may read it. If this process's group owns the folder and may
 * write to it, the group may use the file too: OpenShift may change the user of a container, but its group is always 0.
 */
function modeOfNewFile(path: string): number {
  const { mode, gid } = statSync(dirname(path));
  return gid === process.getegid?.() && mode & 0o020 ? 0o660 : 0o600;
}

/** @throws SetupError if another program created the database; its file is unchanged unless it has a log */
function refuseForeign(path: string, sqlite: BetterSqlite3.Database): void {
  const mark = sqlite.prepare("PRAGMA application_id").pluck();
  opened.push(mark);
  if (mark.get() !== applicationId) {
    throw new SetupError(
      `${path} is a database of another program: choose another file, and a database is created there`,
    );
  }
}

/**
 * A writable connection would write the log of a killed program into its file. A read-only one changes neither, and
 * leaves at most the index of the log.
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
    if (found !== "ok") throw new SetupError(damaged(file, found?.split("\n").at(-1) ?? "unreadable"));
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A prepared statement. A query returns its rows as arrays, of which `rowOf` makes objects. */
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

/** Compiles a function that makes the object of a row. It gains 2 % of an order's throughput over the engine's own. */
function compileRow(names: readonly string[]): (values: unknown) => unknown {
  const fields = names.map((name, n) => `${JSON.stringify(name)}: values[${n}]`);
  try {
    return new Function("values", `return { ${fields.join(", ")} };`) as (values: unknown) => unknown;
  } catch {
    // Node forbids it with --disallow-code-generation-from-strings.
    return (values) => Object.fromEntries(names.map((name, n) => [name, (values as unknown[])[n]]));
  }
}

/** The `Database` port on better-sqlite3. */
class SqliteDatabase implements OpenDatabase {
  readonly isDurable: boolean;
  readonly #sqlite: BetterSqlite3.Database;
  readonly #failure: (error: unknown, isUnchanged: boolean) => unknown;
  readonly #statements = new Map<string, Statement>();
  readonly #transact: (work: () => unknown) => unknown;
  readonly #share: (work: () => void) => void;
  /** How many transactions of the program are open, one in the other. */
  #depth = 0;
  /** Within `together`, whose work shares one commit. */
  #isShared = false;
  /** A failed commit may still take effect: its frames may be in the log, where a later process may read them. */
  #isCommitting = false;
  #isSchemaNew = false;
  #latestFailure: unknown;

  /** @param failure - makes the error to throw in place of the engine's own */
  constructor(
    sqlite: BetterSqlite3.Database,
    failure: (error: unknown, isUnchanged: boolean) => unknown = (error) => error,
  ) {
    this.#sqlite = sqlite;
    this.#failure = failure;
    this.isDurable = !sqlite.memory;
    // IMMEDIATE at the outermost level; better-sqlite3 makes a nested one a savepoint.
    this.#transact = sqlite.transaction((work: () => unknown) => {
      const result = work();
      this.#isCommitting = this.#depth === 1 && !this.#isShared;
      return result;
    }).immediate;
    this.#share = sqlite.transaction((work: () => void) => {
      this.#isShared = true;
      try {
        work();
        this.#refuseAfterLoss();
        this.#isCommitting = true;
      } finally {
        this.#isShared = false;
      }
    });
  }

  exec(sql: string): void {
    this.#refuseAfterLoss();
    try {
      this.#sqlite.exec(sql);
    } catch (error) {
      throw this.#failed(error, !this.#commitsAlone);
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
      throw this.#failed(error, !this.#commitsAlone || statement?.prepared.readonly !== false);
    }
  }

  run(sql: string, ...params: SqlValue[]): number {
    this.#refuseAfterLoss();
    try {
      return this.#statement(sql).prepared.run(...params).changes;
    } catch (error) {
      throw this.#failed(error, !this.#commitsAlone);
    }
  }

  transaction<Result>(work: () => Result): Result {
    this.#refuseAfterLoss();
    this.#depth++;
    try {
      return this.#transact(work) as Result;
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#depth--;
      if (this.#commitsAlone) this.#isCommitting = false;
      this.#settleSchema();
    }
  }

  together(work: () => void): void {
    if (!this.isDurable) {
      work();
      return;
    }
    try {
      this.#share(work);
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

  /** Outside of a transaction each statement commits by itself. */
  get #commitsAlone(): boolean {
    return this.#depth === 0 && !this.#isShared;
  }

  /** After some failures SQLite rolls back all that is shared; a later change would be committed without it. */
  #refuseAfterLoss(): void {
    if (this.#isShared && !this.#sqlite.inTransaction) throw this.#latestFailure;
  }

  /** Until a change of the schema is committed, each rollback has SQLite read the whole schema again. */
  #settleSchema(): void {
    if (!this.#isSchemaNew || this.#depth > 0) return;
    this.#isSchemaNew = false;
    if (!this.isDurable) this.#sqlite.exec("COMMIT; BEGIN");
  }
}
