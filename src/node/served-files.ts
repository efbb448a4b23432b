import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { DashboardFiles } from "../dashboard/app.ts";
import type { DocsFiles } from "../http/description.ts";

/** Reads a file of the dashboard; the build copies these files to the same place below dist/. */
export const dashboardFiles: DashboardFiles = async (name) =>
  new Uint8Array(await readFile(new URL(`../dashboard/files/${name}`, import.meta.url)));

/**
 * Reads a file of the API reference, which the build compresses into dist/docs. Undefined in the sources,
 * which have no build.
 */
export const docsFiles: DocsFiles = async (name) => {
  if (name === "dashboard.css" || name === "mark.svg") return dashboardFiles(name);
  try {
    const bytes = await readFile(new URL(`../docs/${name}.br`, import.meta.url));
    return new Uint8Array(await promisify(brotliDecompress)(bytes));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};
