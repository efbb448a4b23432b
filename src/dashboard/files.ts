/** What pages are shown with, as files of their own, so that no style and no script stands in a page. */
export const fileTypes = { "dashboard.css": "text/css", "dashboard.js": "text/javascript" } as const;
export type DashboardFile = keyof typeof fileTypes;

/** Reads one of the dashboard's files: what is portable has none. */
export type DashboardFiles = (name: DashboardFile) => Promise<Uint8Array<ArrayBuffer>>;
