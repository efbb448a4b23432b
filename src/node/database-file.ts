import { accessSync, closeSync, constants, openSync, readSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SetupError } from "../core/errors.ts";

/** What marks a database file as card-sandbox's, in SQLite's header: "card". */
export const applicationId = 0x63617264;

/** What an answer outlives: `normal`, the end of the process; `full`, the machine's too. */
export const durabilities = ["normal", "full"] as const;
export type Durability = (typeof durabilities)[number];

const headerBytes = 72;
const magic = "SQLite format 3\0";

/** A database file that is card-sandbox's own, or becomes so. */
export interface DatabaseFile {
  /** Absolute. */
  readonly path: string;
  /** Absent, empty, or one whose mark may yet be taken back: it was killed while it was being made. */
  readonly isNew: boolean;
}

/**
 * Looks at a database file without opening it as one, which would already change a foreign file.
 * @throws SetupError where it is anything but absent, empty, or card-sandbox's own
 */
export function inspectFile(path: string): DatabaseFile {
  if (path === "") throw new SetupError("the database has no name: give a file, or :memory:");
  const file = resolve(path);
  const folder = dirname(file);
  if (!look(folder)?.isDirectory()) {
    throw new SetupError(`the folder ${folder} does not exist: make it, or name another database file`);
  }
  const stats = look(file);
  refuseUnwritable(stats ? file : folder);
  if (!stats || (stats.isFile() && stats.size === 0)) return { path: file, isNew: true };
  if (!stats.isFile()) throw new SetupError(`${file} is not a file: name a database file`);
  const header = readHeader(file);
  if (header.toString("latin1", 0, magic.length) !== magic) {
    throw new SetupError(`${file} is not a database: name another file, which is then made`);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new SetupError(`${file} is a database of another program: name another file, which is then made`);
  }
  // It has a log of the other kind from then on.
  return { path: file, isNew: look(`${file}-journal`) !== undefined };
}

/** Takes a database away that was only begun, with the logs beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-journal"]) rmSync(path + suffix, { force: true });
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new SetupError(`${path} cannot be looked at: ${(error as Error).message}`, { cause: error });
  }
}

function refuseUnwritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new SetupError(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

function readHeader(file: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    readSync(descriptor, header, 0, headerBytes, 0);
  } catch (error) {
    throw new SetupError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
  return header;
}
