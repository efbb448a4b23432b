import {
  type BigIntStats,
  closeSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { DatabaseUnusable } from "../../rules/errors.ts";
import type { SqlValue } from "../../store/database.ts";
import type { OpenDatabase } from "./better-sqlite3.ts";
import { displaced, truncatedLog, unsavedLog } from "./failure.ts";

/** Statements that change rows and return them: `INSERT … RETURNING`. */
const changing = /^\s*(INSERT|UPDATE|DELETE)\b/;

/**
 * Refuses changes after the database file or its write-ahead log was deleted, moved, replaced or truncated.
 * SQLite would continue without an error, and its commits might be lost.
 */
export function guardFiles(file: string, database: OpenDatabase): OpenDatabase {
  const opened = statsOf(file)?.ino;
  const log = new Log(file, database);
  let isCommitting = false;
  /** Whether the files were already checked for this commit. One check is enough for all its changes. */
  let isChecked = false;
  const check = () => {
    log.check();
    if (statsOf(file)?.ino !== opened) throw new DatabaseUnusable(displaced(file), { isUnchanged: true });
    log.refuseIfDamaged();
    isChecked = true;
  };
  /** Runs a transaction. If the log is displaced, its changes are saved after the transaction. */
  const commit = <Result>(work: () => Result): Result => {
    if (isCommitting) return work();
    isCommitting = true;
    try {
      return work();
    } finally {
      isCommitting = false;
      isChecked = false;
      log.saveDisplaced();
    }
  };
  return {
    isDurable: database.isDurable,
    get isInTransaction() {
      return database.isInTransaction;
    },
    exec: (sql) => database.exec(sql),
    all: (sql, ...params) => database.all(sql, ...params),
    define: (name, work) => database.define(name, work),
    get<Row>(sql: string, ...params: SqlValue[]): Row | undefined {
      if (isChecked || !changing.test(sql)) return database.get<Row>(sql, ...params);
      return commit(() => {
        check();
        return database.get<Row>(sql, ...params);
      });
    },
    run(sql, ...params) {
      if (isChecked) return database.run(sql, ...params);
      return commit(() => {
        check();
        return database.run(sql, ...params);
      });
    },
    transaction: (work) =>
      isCommitting ? database.transaction(work) : commit(() => database.transaction(work)),
    batch: (work) => commit(() => database.batch(work)),
    close: () => log.close(),
  };
}

/** The format of a write-ahead log (https://sqlite.org/fileformat2.html#the_write_ahead_log). */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/** The write-ahead log beside a database file. SQLite extends and overwrites it, but never truncates it. */
class Log {
  readonly #path: string;
  readonly #database: OpenDatabase;
  readonly #frameBytes: number;
  readonly #opened: bigint | undefined;
  /** SQLite locks the database file and not its log, so closing this descriptor releases no lock. */
  readonly #descriptor: number;
  readonly #field = Buffer.alloc(4);
  #size = 0;
  #isDisplaced = false;
  /** The changes of a displaced log are in the database file. */
  #isSaved = false;
  #isTruncated = false;
  #isReported = false;
  #isClosed = false;

  constructor(file: string, database: OpenDatabase) {
    this.#path = `${realpathSync(file)}-wal`;
    this.#database = database;
    // SQLite creates the log of a new database with the first read.
    database.get("SELECT 1 FROM sqlite_schema");
    const { page_size } = database.get<{ page_size: number }>("PRAGMA page_size") ?? { page_size: 0 };
    this.#frameBytes = frameHeaderBytes + page_size;
    this.#descriptor = openSync(this.#path, "r");
    this.#opened = statsOf(this.#path)?.ino;
  }

  check(): void {
    if (this.#isTruncated) return;
    const stats = statsOf(this.#path);
    this.#isDisplaced = stats === undefined || stats.ino !== this.#opened;
    if (stats === undefined || this.#isDisplaced) return;
    this.#isSaved = false;
    const size = Number(stats.size);
    this.#isTruncated = size < this.#size || (size > this.#size && this.#hasGap());
    this.#size = size;
  }

  /**
   * Whether the log was truncated, and a commit has since made it longer than before. In that case, the log
   * or its last frame before the former size begins with zeros: an intact log begins with a magic number, and
   * an intact frame with its page number, which is never 0. One case is not detected: the log is shortened
   * during the transaction after a checkpoint (every 16 MiB) that makes it longer than it was before that
   * checkpoint.
   */
  #hasGap(): boolean {
    const frames = Math.floor((this.#size - logHeaderBytes) / this.#frameBytes);
    if (frames < 1) return false;
    return this.#isZeroAt(0) || this.#isZeroAt(logHeaderBytes + (frames - 1) * this.#frameBytes);
  }

  #isZeroAt(position: number): boolean {
    readSync(this.#descriptor, this.#field, 0, 4, position);
    return this.#field.readUInt32BE(0) === 0;
  }

  /** @throws DatabaseUnusable if the log was displaced or truncated; nothing was changed then */
  refuseIfDamaged(): void {
    if (this.#isTruncated) {
      this.#isReported = true;
      throw new DatabaseUnusable(truncatedLog(this.#path), { isUnchanged: true });
    }
    if (this.#isDisplaced) throw new DatabaseUnusable(displaced(this.#path), { isUnchanged: true });
  }

  /**
   * Writes the changes of a displaced log, which SQLite still has open, to the database. Do not call it in a
   * transaction.
   * @throws DatabaseUnusable if that fails
   */
  saveDisplaced(): void {
    if (this.#isDisplaced && !this.#isSaved) this.#save();
  }

  /** Empties the displaced log too, so that an old log cannot be used with a newer database. */
  #save(): void {
    try {
      this.#database.get("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      throw new DatabaseUnusable(unsavedLog(this.#path, (error as Error).message), { cause: error });
    }
    this.#isSaved = true;
    this.#size = 0;
  }

  /** @throws DatabaseUnusable if changes were lost and no error has reported it yet */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.check();
    closeSync(this.#descriptor);
    try {
      this.saveDisplaced();
    } finally {
      if (this.#isTruncated) this.#closeTruncated();
      else this.#database.close();
    }
    if (this.#isTruncated && !this.#isReported) throw new DatabaseUnusable(truncatedLog(this.#path));
  }

  /**
   * When SQLite closes, it writes its log to the database file. The gaps of a truncated log would damage the
   * file. With an empty log, SQLite fails at the first frame. The rest of the log is restored afterwards,
   * unless the file is newer.
   */
  #closeTruncated(): void {
    const state = this.#database.get<{ checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)");
    const left = state?.checkpointed === 0 ? readFileSync(this.#path) : Buffer.alloc(0);
    truncateSync(this.#path);
    this.#database.close();
    writeFileSync(this.#path, left);
  }
}

/**
 * SQLite also compares the inodes of files. On Windows and on some overlay file systems they do not fit into a
 * number. On Windows, the files of an open database cannot be deleted, moved or replaced.
 */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}
