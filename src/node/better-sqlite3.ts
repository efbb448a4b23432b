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
    return adapt(openInMemory(), (error) => error);
  }
  const file = inspectFile(name);
  try {
    const database = adapt(openFile(file, durability), (error, isUnchanged) =>
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

type Values = readonly unknown[];

/** A statement that gives its rows as values alone, and what makes objects of them once there are any. */
class Prepared {
  readonly statement: BetterSqlite3.Statement<SqlValue[]>;
  #rowOf: ((values: Values) => unknown) | undefined;

  constructor(statement: BetterSqlite3.Statement<SqlValue[]>) {
    this.statement = statement;
    if (statement.reader) statement.raw();
  }

  get rowOf(): (values: Values) => unknown {
    this.#rowOf ??= rowMaker(this.statement.columns().map(({ name }) => name));
    return this.#rowOf;
  }
}

/** Compiled, so that a row is made at once: to name its values one by one takes as long as most queries. */
function rowMaker(names: readonly string[]): (values: Values) => unknown {
  const fields = names.map((name, n) => `${JSON.stringify(name)}: values[${n}]`);
  try {
    return new Function("values", `return { ${fields.join(", ")} };`) as (values: Values) => unknown;
  } catch {
    // Node was told to compile no text: --disallow-code-generation-from-strings.
    return (values) => Object.fromEntries(names.map((name, n) => [name, values[n]]));
  }
}

/** @param failure - what is thrown in place of the engine's own error */
function adapt(
  sqlite: BetterSqlite3.Database,
  failure: (error: unknown, isUnchanged: boolean) => unknown,
): OpenDatabase {
  const statements = new Map<string, Prepared>();
  const prepared = (sql: string) => {
    let known = statements.get(sql);
    if (!known) {
      known = new Prepared(sqlite.prepare<SqlValue[]>(sql));
      statements.set(sql, known);
    }
    return known;
  };
  let latestFailure: unknown;
  /** A failed commit may still take effect: its frames may be in the log, where a later process may read them. */
  let isCommitting = false;
  const failed = (error: unknown, isUnchanged = !isCommitting) => {
    latestFailure = failure(error, isUnchanged);
    return latestFailure;
  };
  // IMMEDIATE at the outermost level; better-sqlite3 makes a nested one a savepoint.
  const transact = sqlite.transaction((work: () => unknown) => {
    const result = work();
    isCommitting = depth === 1 && !isShared;
    return result;
  }).immediate;
  const isOpenForGood = sqlite.memory;
  let isShared = false;
  /** After some failures SQLite itself takes back all that is shared: what still comes would be kept alone. */
  const refuseAfterLoss = () => {
    if (isShared && !sqlite.inTransaction) throw latestFailure;
  };
  let depth = 0;
  let isSchemaNew = false;
  /** Until a change of the schema is committed, each rollback has SQLite read all of the schema again. */
  const settleSchema = () => {
    if (!isSchemaNew || depth > 0) return;
    isSchemaNew = false;
    if (isOpenForGood) sqlite.exec("COMMIT; BEGIN");
  };
  const share = sqlite.transaction((work: () => void) => {
    isShared = true;
    try {
      work();
      refuseAfterLoss();
      isCommitting = true;
    } finally {
      isShared = false;
    }
  });
  /** Outside of a transaction each statement commits by itself. */
  const isAlone = () => depth === 0 && !isShared;
  return {
    isDurable: !isOpenForGood,
    exec(sql) {
      refuseAfterLoss();
      try {
        sqlite.exec(sql);
      } catch (error) {
        throw failed(error, !isAlone());
      }
      isSchemaNew ||= /^\s*(CREATE|ALTER|DROP)\b/im.test(sql);
      settleSchema();
    },
    // These are asked many times for each request, and make no function anew.
    all<Row>(sql: string, ...params: SqlValue[]): Row[] {
      try {
        const known = prepared(sql);
        const rows = known.statement.all(...params) as Values[];
        return (rows.length === 0 ? rows : rows.map(known.rowOf)) as Row[];
      } catch (error) {
        throw failed(error);
      }
    },
    get<Row>(sql: string, ...params: SqlValue[]): Row | undefined {
      let known: Prepared | undefined;
      try {
        known = prepared(sql);
        const values = known.statement.get(...params) as Values | undefined;
        return values && (known.rowOf(values) as Row);
      } catch (error) {
        throw failed(error, !isAlone() || known?.statement.readonly !== false);
      }
    },
    run(sql, ...params) {
      refuseAfterLoss();
      try {
        return prepared(sql).statement.run(...params).changes;
      } catch (error) {
        throw failed(error, !isAlone());
      }
    },
    transaction<Result>(work: () => Result): Result {
      refuseAfterLoss();
      depth++;
      try {
        return transact(work) as Result;
      } catch (error) {
        throw failed(error);
      } finally {
        depth--;
        if (isAlone()) isCommitting = false;
        if (isSchemaNew) settleSchema();
      }
    },
    together(work) {
      if (isOpenForGood) return work();
      try {
        share(work);
      } catch (error) {
        throw failed(error);
      } finally {
        isCommitting = false;
      }
    },
    define: (name, work) => {
      sqlite.function(name, () => {
        work();
        return null;
      });
    },
    close: () => void sqlite.close(),
  };
}
