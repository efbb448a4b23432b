import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { succeed } from "../support/command.ts";

/** What `npm pack` tells of its tarball. */
interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

declare module "vitest" {
  export interface ProvidedContext {
    packed: Packed;
    /** A folder with the package and test runners, and nothing else. */
    installed: string;
  }
}

const root = new URL("../..", import.meta.url).pathname;
const runners = ["vitest@4", "jest@30", "@playwright/test@1"];

/** Packs the package and installs it, once for all tests: better-sqlite3 may have to be compiled for it. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "card-sandbox-consumer-"));
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const packed: Packed = JSON.parse(await succeed("npm", pack, { cwd: root }))[0];
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await succeed("npm", ["install", `./${packed.filename}`, ...runners], {
    cwd: folder,
    env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" },
  });
  provide("packed", packed);
  provide("installed", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
