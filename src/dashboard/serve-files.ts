import type { Handler } from "hono";
import { type DashboardFile, type DashboardFiles, fileTypes } from "./files.ts";

/** Pages name their files with the version, so that a browser may keep them. */
export function serveFiles(name: DashboardFile, files: DashboardFiles | undefined): Handler {
  return async (c) => {
    if (!files) return c.text(`${name} is not here: this sandbox was made without files`, 404);
    return c.body(await files(name), 200, {
      "Content-Type": `${fileTypes[name]}; charset=utf-8`,
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
    });
  };
}
