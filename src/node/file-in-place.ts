import { statSync } from "node:fs";
import { DatabaseUnusable } from "../core/errors.ts";
import type { OpenDatabase } from "./better-sqlite3.ts";
import { displaced } from "./database-failure.ts";

/** What changes rows, and answers with them: `INSERT … RETURNING`. */
const changing = /^\s*(INSERT|UPDATE|DELETE)\b/;

/**
 * Refuses to change a database whose file is no longer where it was opened: SQLite would go on without a word with a
 * file that nobody finds again, and all that was answered since would be lost.
 */
export function whileInPlace(file: string, database: OpenDatabase): OpenDatabase {
  const opened = inodeAt(file);
  let isShared = false;
  let isSeen = false;
  const look = () => {
    if (inodeAt(file) !== opened) throw new DatabaseUnusable(displaced(file));
    // One look serves all that is kept together.
    isSeen = isShared;
  };
  return {
    ...database,
    get(sql, ...params) {
      if (!isSeen && changing.test(sql)) look();
      return database.get(sql, ...params);
    },
    run(sql, ...params) {
      if (!isSeen) look();
      return database.run(sql, ...params);
    },
    together(work) {
      isShared = true;
      try {
        database.together(work);
      } finally {
        isShared = false;
        isSeen = false;
      }
    },
  };
}

/** What the file system knows a file by, as SQLite itself compares it; undefined where there is none. */
function inodeAt(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}
