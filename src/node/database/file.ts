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
import { SetupError } from "../../rules/errors.ts";
import { hasLogOfItsOwn } from "../platform.ts";

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
  /** The absolute path, with symbolic links. */
  readonly path: string;
  /** Whether it contains nothing: it does not exist, is empty, or its creation was interrupted. */
  readonly isNew: boolean;
  /** Whether the file has a log or a journal: a process uses it, or was killed while it used it. */
  readonly hasLog: boolean;
}

/**
 * Checks a file without opening it. Only SQLite may open it: when a process closes any descriptor of a file,
 * POSIX releases all its locks on that file. SQLite itself defers such closes.
 * @throws SetupError if the path cannot be a database file of card-sandbox
 * @internal
 */
export function inspectFile(path: string, platform = process.platform): DatabaseFile {
  if (path === "") throw new SetupError("db: must not be empty. Use a file name or :memory:.");
  const file = resolve(path);
  const folder = dirname(file);
  if (!statsOf(folder)?.isDirectory()) {
    throw new SetupError(`${folder}: this folder does not exist. Create it or use another database file.`);
  }
  const stats = statsOf(file);
  refuseUnwritable(stats ? file : folder);
  if (hasLogOfItsOwn(file, platform)) {
    throw new SetupError(
      `${file} is a symbolic link, but SQLite on Windows keeps a separate log for each name. Use the name of the file itself.`,
    );
  }
  if (!stats) return { path: file, isNew: true, hasLog: false };
  if (!stats.isFile()) throw new SetupError(`${file} is not a file. Use a database file.`);
  if (stats.nlink > 1) {
    throw new SetupError(
      `${file} has ${stats.nlink} names (hard links), but SQLite keeps a separate log for each name. Remove the other names or use a copy.`,
    );
  }
  const real = realpathSync(file);
  const isNew = stats.size === 0 || isOfNewFile(`${real}-journal`);
  return { path: file, isNew, hasLog: ["-wal", "-journal"].some((suffix) => existsSync(real + suffix)) };
}

/** Deletes a database whose creation failed, and its logs. */
export function removeDatabase(path: string): void {
  const file = existsSync(path) ? realpathSync(path) : path;
  for (const suffix of ["", "-wal", "-journal"]) rmSync(file + suffix, { force: true });
}

/**
 * Whether a rollback journal belongs to the creation of a file: the file had at most one page before the
 * transaction, so it had no table. The first transaction sets the application id, the second one the journal
 * mode.
 */
function isOfNewFile(journal: string): boolean {
  if (!statsOf(journal)?.isFile()) return false;
  // SQLite locks the database and not its journal, so closing this descriptor is safe.
  const descriptor = openSync(journal, "r");
  try {
    const header = Buffer.alloc(20);
    const isWhole = readSync(descriptor, header, 0, header.length, 0) === header.length;
    return isWhole && header.subarray(0, 8).equals(journalMagic) && header.readUInt32BE(16) <= 1;
  } finally {
    closeSync(descriptor);
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new SetupError(
      `${path} cannot be read (${(error as Error).message}). Check the path and its permissions.`,
      { cause: error },
    );
  }
}

function refuseUnwritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new SetupError(`${path} cannot be written (${(error as Error).message}). Check its permissions.`, {
      cause: error,
    });
  }
}
