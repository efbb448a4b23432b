import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Build } from "./sandbox.ts";

/** Copies what a build needs to run. */
export function copyBuild(from: string, to: string): void {
  for (const name of ["package.json", "dist", "fixtures", "scenarios"]) {
    cpSync(join(from, name), join(to, name), { recursive: true });
  }
}

/** Copies a build, and lets npm install its dependencies for another Node. */
export function installedFor(node: string, { name, folder }: Build, to: string): Build {
  mkdirSync(to, { recursive: true });
  copyBuild(folder, to);
  const {
    scripts: _,
    devDependencies: __,
    ...manifest
  } = JSON.parse(readFileSync(join(to, "package.json"), "utf8"));
  writeFileSync(join(to, "package.json"), JSON.stringify(manifest));
  execFileSync("npm", ["install", "--omit=peer", "--no-audit", "--no-fund"], {
    cwd: to,
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return { name, folder: to };
}
