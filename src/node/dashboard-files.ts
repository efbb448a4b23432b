import { readFile } from "node:fs/promises";
import type { DashboardFiles } from "../dashboard/files.ts";

/** Reads what lies beside the dashboard's sources; the build puts it beside what it makes of them. */
export const dashboardFiles: DashboardFiles = async (name) =>
  new Uint8Array(await readFile(new URL(`../dashboard/files/${name}`, import.meta.url)));
