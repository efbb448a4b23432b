import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { SetupError } from "../rules/errors.ts";

/** The application id in SQLite's header that marks a file of card-sandbox: "card". */
export const applicationId = 0x63617264;

/** The first eight bytes of a rollback journal (https://sqlite.org/fileformat2.html#the_rollback_journal). */
const journalMagic = Buffer.from("d9d505f920a163d7", "hex");

/** What a committed change survives: `normal`: a crash of the process; `full`: loss of power. */
export const durabilities = ["normal", "full"] as const;
export type Durability = (typeof durabilities)[number];

/**
 * How to check a database when it is opened: `full` also compares its indexes with its tables, `quick` does
 * not, and `auto` is full up to 48 MiB, which takes about a second.
 */
export const databaseChecks = ["auto", "full", "quick"] as const;
export type DatabaseCheck = (typeof databaseChecks)[number];

/** A database file before it is opened. */
export interface DatabaseFile {
  /** Absolute, as it was named. */
  readonly path: string;
  /** The file does not exist, is empty, or its first transaction was interrupted, so it contains nothing. */
  readonly isNew: boolean;
  /** A log or a journal exists beside the file: a process uses it, or was killed while it did. */
  readonly hasLog: boolean;
}

/**
 * Checks what can be checked without opening the file. Only SQLite may open it: POSIX drops every lock that a
 * process has on a file as soon as the process closes any descriptor of it, and SQLite defers its own closes.
 * @throws SetupError if the path cannot be a database file of card-sandbox
 */
export function inspectFile(path: string): DatabaseFile {
  if (path === "") throw new SetupError("the database has no name: give a file name or :memory:");
  const file = resolve(path);
  const folder = dirname(file);
  if (!look(folder)?.isDirectory()) {
    throw new SetupError(`the folder ${folder} does not exist: create it or choose another database file`);
  }
  const stats = look(file);
  refuseUnwritable(stats ? file : folder);
  if (!stats) return { path: file, isNew: true, hasLog: false };
  if (!stats.isFile()) throw new SetupError(`${file} is not a file: choose a database file`);
  if (stats.nlink > 1) {
    throw new SetupError(
      `${file} has ${stats.nlink} names (hard links), and SQLite keeps one log for each name: remove the other names or use a copy`,
    );
  }
  const real = realpathSync(file);
  const isNew = stats.size === 0 || isFirstTransaction(`${real}-journal`);
  return { path: file, isNew, hasLog: ["-wal", "-journal"].some((suffix) => existsSync(real + suffix)) };
}

/** Deletes a database whose creation failed, and its logs. */
export function removeDatabase(path: string): void {
  const file = existsSync(path) ? realpathSync(path) : path;
  for (const suffix of ["", "-wal", "-journal"]) rmSync(file + suffix, { force: true });
}

/** Whether a rollback journal belongs to the transaction that began with an empty file: rolling back empties it again. */
function isFirstTransaction(journal: string): boolean {
  if (!look(journal)?.isFile()) return false;
  // SQLite locks the database and never its journal, so this descriptor may be closed.
  const descriptor = openSync(journal, "r");
  try {
    const header = Buffer.alloc(20);
    const isWhole = readSync(descriptor, header, 0, header.length, 0) === header.length;
    return isWhole && header.subarray(0, 8).equals(journalMagic) && header.readUInt32BE(16) === 0;
  } finally {
    closeSync(descriptor);
  }
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new SetupError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function refuseUnwritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new SetupError(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
