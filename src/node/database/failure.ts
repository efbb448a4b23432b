import type { SqliteError } from "better-sqlite3";
import { CouldNotRun, DatabaseUnusable, SetupError } from "../../rules/errors.ts";

/** The error to throw when a database file cannot be opened; an error of another kind stays as it is. */
export function openingFailure(file: string, thrown: unknown): unknown {
  const error = thrown instanceof DatabaseUnusable ? thrown.cause : thrown;
  if (!isSqliteError(error)) return error;
  const { code, message } = error;
  if (code.startsWith("SQLITE_BUSY")) {
    return new SetupError(
      `${file} is in use by another process, or by another sandbox in this process. Stop that one or use another file.`,
    );
  }
  if (code === "SQLITE_NOTADB") {
    return new SetupError(`${file} is not a database, or its first page is damaged. ${useAnother}`);
  }
  if (code === "SQLITE_READONLY_ROLLBACK") {
    return new SetupError(`${file} has an unfinished transaction of another program. ${useAnother}`);
  }
  if (isDamage(code)) return new SetupError(`${damaged(file, message)}.`);
  const failure = systemFailure(file, error);
  if (failure !== undefined) return new CouldNotRun(`${failure}.`, { cause: error });
  return new SetupError(`${file} cannot be opened as a database: ${message}`);
}

/**
 * The error to throw when a database file fails while it is used; an error of the program itself stays as it
 * is. Its message has no period at its end, because a response adds the outcome of the request as another
 * sentence.
 * @param isUnchanged - whether it is certain that the change was not kept
 */
export function usingFailure(file: string, error: unknown, isUnchanged: boolean): unknown {
  if (!isSqliteError(error)) return error;
  const message = isDamage(error.code) ? damaged(file, error.message) : systemFailure(file, error);
  return message === undefined ? error : new DatabaseUnusable(message, { cause: error, isUnchanged });
}

export function damaged(file: string, reason: string): string {
  return `${file} is a damaged database (${reason}). Restore a backup or use another file`;
}

export const useAnother = "Use another file: it is created if it does not exist.";

const consequence = "Until then, requests that change data fail with 503";

export function displaced(file: string): string {
  return `${file} was deleted, moved or replaced while it was in use. Put it back or restart the sandbox. ${consequence}`;
}

/** The loss is limited to 16 MiB of changes, after which SQLite writes the log to the database. */
export function truncatedLog(log: string): string {
  return `${log} was truncated while it was in use, so the latest changes are lost, including changes that were confirmed by a successful response. Restart the sandbox to continue from an earlier state, or restore a backup. ${consequence}`;
}

export function unsavedLog(log: string, reason: string): string {
  return `${log} was deleted, moved or replaced while it was in use, and its changes cannot be written to the database (${reason}). Put the file back or fix the cause before you stop the sandbox, or these changes are lost. ${consequence}`;
}

/** By its name, so that this file does not load the engine. */
function isSqliteError(error: unknown): error is InstanceType<typeof SqliteError> {
  return error instanceof Error && error.name === "SqliteError";
}

function isDamage(code: string): boolean {
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}

/** The message for a failure of the system; undefined for a bug of the program. */
function systemFailure(
  file: string,
  { code, message }: { readonly code: string; readonly message: string },
): string | undefined {
  if (code === "SQLITE_FULL") {
    return `${file} cannot grow because its disk is full. Free some space. ${consequence}`;
  }
  if (code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN")) {
    return `${file} cannot be written (${message}). Give the user that runs the sandbox write permission for the file and its folder, and restart the sandbox`;
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return `${file} cannot be read or written (${message}, ${code}). Check the disk and the write permission of this process. ${consequence}`;
  }
  return undefined;
}
