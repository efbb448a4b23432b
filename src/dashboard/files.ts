import type { Handler } from "hono";

/** What pages are shown with, as files of their own, so that no style and no script stands in a page. */
const types = { "dashboard.css": "text/css", "dashboard.js": "text/javascript" } as const;
export type DashboardFile = keyof typeof types;

/** Reads one of the dashboard's files: what is portable has none. */
export type DashboardFiles = (name: DashboardFile) => Promise<Uint8Array<ArrayBuffer>>;

/** Pages name their files with the version, so that a browser may keep them. */
export function serveFiles(name: DashboardFile, files: DashboardFiles | undefined): Handler {
  return async (c) => {
    if (!files) return c.text(`${name} is not here: this sandbox was made without files`, 404);
    return c.body(await files(name), 200, {
      "Content-Type": `${types[name]}; charset=utf-8`,
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
    });
  };
}
