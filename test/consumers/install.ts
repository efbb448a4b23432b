import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { succeed } from "../support/command.ts";

/** The output of `npm pack --json`. */
interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

declare module "vitest" {
  export interface ProvidedContext {
    packed: Packed;
    /** A project with the package and test runners, and nothing else. The tarball is in `../card-sandbox`. */
    installed: string;
  }
}

const root = new URL("../..", import.meta.url).pathname;
const runners = ["vitest@4", "jest@30", "@playwright/test@1"];

/** Packs the package and installs it, once for all tests: better-sqlite3 may have to be compiled for it. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "card-sandbox-consumer-"));
  const [clone, project] = [join(folder, "card-sandbox"), join(folder, "project")];
  for (const each of [clone, project]) mkdirSync(each);
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", clone];
  const packed: Packed = JSON.parse(await succeed("npm", pack, { cwd: root }))[0];
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await succeed("npm", ["install", `../card-sandbox/${packed.filename}`, ...runners], {
    cwd: project,
    env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" },
  });
  provide("packed", packed);
  provide("installed", project);
  return () => rmSync(folder, { recursive: true, force: true });
}
