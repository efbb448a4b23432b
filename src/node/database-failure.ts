import BetterSqlite3 from "better-sqlite3";
import { CouldNotRun, DatabaseUnusable, SetupError } from "../rules/errors.ts";

/** What to tell of a database file that fails as it is opened; any other error as it is. */
export function openingFailure(file: string, thrown: unknown): unknown {
  const error = thrown instanceof DatabaseUnusable ? thrown.cause : thrown;
  if (!(error instanceof BetterSqlite3.SqliteError)) return error;
  const { code, message } = error;
  if (code.startsWith("SQLITE_BUSY")) {
    return new SetupError(
      `${file} is in use by another process, or by another sandbox in this one: stop it or choose another file`,
    );
  }
  if (code === "SQLITE_NOTADB") {
    return new SetupError(
      `${file} is not a database, or its first page is damaged: choose another file, and a database is created there`,
    );
  }
  if (code === "SQLITE_READONLY_ROLLBACK") {
    return new SetupError(
      `${file} has an unfinished transaction of another program: choose another file, and a database is created there`,
    );
  }
  if (isDamage(code)) return new SetupError(damaged(file, message));
  const trouble = troubleOf(file, error);
  if (trouble !== undefined) return new CouldNotRun(trouble, { cause: error });
  return new SetupError(`${file} cannot be opened as a database: ${message}`);
}

/**
 * The error to throw when a database file fails while it is used; an error of the program itself stays as it is.
 * @param isUnchanged - whether it is certain that the change was not kept
 */
export function usingFailure(file: string, error: unknown, isUnchanged: boolean): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error;
  const message = isDamage(error.code) ? damaged(file, error.message) : troubleOf(file, error);
  return message === undefined ? error : new DatabaseUnusable(message, { cause: error, isUnchanged });
}

export function damaged(file: string, how: string): string {
  return `${file} is a damaged database (${how}): restore it, or use another file`;
}

const consequence = "until then, requests that change something fail with 503";

export function displaced(file: string): string {
  return `${file} was deleted, moved or replaced while it was in use: put it back or restart the sandbox; ${consequence}`;
}

/** At most the changes of the last 16 MiB are lost: then the log is written to the database. */
export function truncatedLog(log: string): string {
  return `${log} was truncated while it was in use, so the latest changes are lost, including some that were answered with success: restart the sandbox, which then continues from an earlier state, or restore a backup; ${consequence}`;
}

export function unsavedLog(log: string, reason: string): string {
  return `${log} was deleted, moved or replaced while it was in use, and its changes cannot be written to the database (${reason}): they are lost when the sandbox stops unless it can write them by then; ${consequence}`;
}

function isDamage(code: string): boolean {
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}

/** Describes a failure of the machine; undefined if the program is at fault. */
function troubleOf(
  file: string,
  { code, message }: { readonly code: string; readonly message: string },
): string | undefined {
  if (code === "SQLITE_FULL") {
    return `${file} cannot grow because its disk is full: free some space; ${consequence}`;
  }
  if (code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN")) {
    return `${file} cannot be written (${message}): let this user write it and its folder, and start again`;
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return `${file} cannot be read or written (${message}, ${code}): check its disk and this process's write permission; ${consequence}`;
  }
  return undefined;
}
