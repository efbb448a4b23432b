import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Tapes } from "../../sweep/subject.ts";
import { makeFolder } from "../tape/taping.ts";

/** The longest part of a file name that shows the id of its cell. */
const shownLength = 150;

/**
 * Keeps the tapes of failing cells in a folder, which is made if it does not exist.
 * @param folder - undefined: no tapes are recorded
 * @throws SetupError if the folder cannot be made
 */
export function tapesIn(folder: string | undefined): Tapes | undefined {
  if (folder === undefined) return undefined;
  makeFolder(folder);
  return {
    pathOf: (cellId) => join(folder, fileOf(cellId)),
    remove: (path) => rmSync(path, { force: true }),
  };
}

/** A name that every file system accepts, such as `orderPhysicalCard-3-lost-response-1f0c93ab.tape`. */
function fileOf(cellId: string): string {
  const shown = cellId.replace(/[^\w.]+/g, "-").slice(0, shownLength);
  return `${shown}-${createHash("sha256").update(cellId).digest("hex").slice(0, 8)}.tape`;
}
