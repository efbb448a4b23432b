import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { DocsFiles } from "../http/description.ts";

/** Reads what the build put into dist/docs, compressed for the package's sake; from the sources nothing is there. */
export const docsFiles: DocsFiles = async (name) => {
  try {
    const bytes = await readFile(new URL(`../docs/${name}.gz`, import.meta.url));
    return new Uint8Array(await promisify(gunzip)(bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};
