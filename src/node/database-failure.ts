import BetterSqlite3 from "better-sqlite3";
import { DatabaseUnusable, SetupError } from "../core/errors.ts";
import { CouldNotRun } from "./could-not-run.ts";

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
      `${file} has an unfinished transaction, which card-sandbox did not begin: choose another file, and a database is created there`,
    );
  }
  if (isDamage(code)) return new SetupError(damaged(file, message));
  const trouble = troubleOf(file, error);
  if (trouble !== undefined) return new CouldNotRun(trouble, { cause: error });
  return new SetupError(`${file} cannot be opened as a database: ${message}`);
}

/** What to tell of a database file that fails while it is used; a defect of the program's own as it is. */
export function usingFailure(file: string, error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error;
  const told = isDamage(error.code) ? damaged(file, error.message) : troubleOf(file, error);
  return told === undefined ? error : new DatabaseUnusable(told, { cause: error });
}

/** What a damaged database is, and what to do. */
export function damaged(file: string, how: string): string {
  return `${file} is a damaged database (${how}): restore it, or use another file`;
}

/** What became of a file that is no longer where it was opened, and what to do. */
export function displaced(file: string): string {
  return `${file} was deleted, moved or replaced while it was in use: put it back, or start again; ${meanwhile}`;
}

function isDamage(code: string): boolean {
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}

const meanwhile = "until then what would change it fails, and changes nothing";

/** What is the machine's trouble, and not the program's. */
function troubleOf(
  file: string,
  { code, message }: { readonly code: string; readonly message: string },
): string | undefined {
  if (code === "SQLITE_FULL") {
    return `${file} cannot grow, its disk is full: make room there; ${meanwhile}`;
  }
  if (code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN")) {
    return `${file} cannot be written (${message}): let this user write it and its folder, and start again`;
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return `${file} cannot be read or written (${message}, ${code}): look at its disk, and at what this process may write; ${meanwhile}`;
  }
  return undefined;
}
