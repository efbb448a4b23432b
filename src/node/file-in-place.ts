import {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { DatabaseUnusable } from "../rules/errors.ts";
import type { SqlValue } from "../store/database.ts";
import type { OpenDatabase } from "./better-sqlite3.ts";
import { displaced, truncatedLog, unsavedLog } from "./database-failure.ts";

/** Statements that change rows and return them: `INSERT … RETURNING`. */
const changing = /^\s*(INSERT|UPDATE|DELETE)\b/;

/**
 * Refuses changes once the database file or its write-ahead log is no longer the file that was opened. SQLite would go on
 * without an error, and its commits might be lost.
 */
export function whileInPlace(file: string, database: OpenDatabase): OpenDatabase {
  const opened = lookAt(file)?.ino;
  const log = new Log(file, database);
  let isWithin = false;
  /** Whether this commit was checked already: one check serves all changes that are committed together. */
  let hasLooked = false;
  const look = () => {
    log.look();
    if (lookAt(file)?.ino !== opened) throw new DatabaseUnusable(displaced(file), { isUnchanged: true });
    log.refuseUnlessWhole();
    hasLooked = true;
  };
  /** Runs a transaction; if it found the log displaced, the log's changes are saved after the transaction. */
  const commit = <Result>(work: () => Result): Result => {
    if (isWithin) return work();
    isWithin = true;
    try {
      return work();
    } finally {
      isWithin = false;
      hasLooked = false;
      log.saveDisplaced();
    }
  };
  return {
    isDurable: database.isDurable,
    exec: (sql) => database.exec(sql),
    all: (sql, ...params) => database.all(sql, ...params),
    define: (name, work) => database.define(name, work),
    get<Row>(sql: string, ...params: SqlValue[]): Row | undefined {
      if (hasLooked || !changing.test(sql)) return database.get<Row>(sql, ...params);
      return commit(() => {
        look();
        return database.get<Row>(sql, ...params);
      });
    },
    run(sql, ...params) {
      if (hasLooked) return database.run(sql, ...params);
      return commit(() => {
        look();
        return database.run(sql, ...params);
      });
    },
    transaction: (work) => (isWithin ? database.transaction(work) : commit(() => database.transaction(work))),
    together: (work) => commit(() => database.together(work)),
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
  readonly #opened: number | undefined;
  /** SQLite takes its locks on the database file, so closing this descriptor releases none. */
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
    this.#opened = lookAt(this.#path)?.ino;
  }

  look(): void {
    if (this.#isTruncated) return;
    const stats = lookAt(this.#path);
    this.#isDisplaced = stats === undefined || stats.ino !== this.#opened;
    if (stats === undefined || this.#isDisplaced) return;
    this.#isSaved = false;
    this.#isTruncated = stats.size < this.#size || (stats.size > this.#size && this.#hasGap());
    this.#size = stats.size;
  }

  /**
   * Whether the log was truncated and one commit has since made it longer than before: then it, or its last frame before
   * the former size, begins with zeros. A log begins with a magic number, and a frame with its page number, which is
   * never 0. One case remains unnoticed: a log cut to a part of its length, within the one transaction after a checkpoint
   * (every 16 MiB) that makes it longer than it was before that checkpoint.
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

  /** @throws DatabaseUnusable; nothing was changed then */
  refuseUnlessWhole(): void {
    if (this.#isTruncated) {
      this.#isReported = true;
      throw new DatabaseUnusable(truncatedLog(this.#path), { isUnchanged: true });
    }
    if (this.#isDisplaced) throw new DatabaseUnusable(displaced(this.#path), { isUnchanged: true });
  }

  /**
   * Saves the changes of a displaced log, which SQLite still has open. Do not call it within a transaction.
   * @throws DatabaseUnusable if that fails
   */
  saveDisplaced(): void {
    if (this.#isDisplaced && !this.#isSaved) this.#save();
  }

  /** The displaced log is empty afterwards, so that an old log cannot be put beside a newer database. */
  #save(): void {
    try {
      this.#database.get("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      throw new DatabaseUnusable(unsavedLog(this.#path, (error as Error).message), { cause: error });
    }
    this.#isSaved = true;
    this.#size = 0;
  }

  /** @throws DatabaseUnusable if changes were lost and no refused change has reported it yet */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.look();
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
   * When SQLite closes, it writes its log into the database file, gaps included, which would destroy the file. With an
   * empty log it fails at the first frame. Afterwards the rest of the log is put back, unless the file is already newer.
   */
  #closeTruncated(): void {
    const state = this.#database.get<{ checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)");
    const left = state?.checkpointed === 0 ? readFileSync(this.#path) : Buffer.alloc(0);
    truncateSync(this.#path);
    this.#database.close();
    writeFileSync(this.#path, left);
  }
}

/** The inode is what SQLite itself compares. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
