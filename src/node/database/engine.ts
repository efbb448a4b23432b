import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type BetterSqlite3 from "better-sqlite3";
import { CouldNotRun } from "../../rules/errors.ts";

/** Where better-sqlite3 is installed, and what it must run on. */
export interface Installation {
  readonly version: string;
  readonly folder: string;
  readonly node: string;
  /** The version of Node-API. */
  readonly napi: string;
  readonly machine: string;
}

let engine: typeof BetterSqlite3 | undefined;

/**
 * Opens a database of better-sqlite3, which loads its binary.
 * @throws CouldNotRun, with the command that repairs the installation, if the binary cannot be loaded
 */
export function openEngine(name: string | Buffer, options: BetterSqlite3.Options): BetterSqlite3.Database {
  if (!engine) {
    refuseUnloadable(installation());
    // For an `import` of CommonJS, Node would first load a parser that searches it for exports.
    engine = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite3;
  }
  try {
    return new engine(name, options);
  } catch (error) {
    throw loadFailure(error, installation);
  }
}

function installation(): Installation {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("better-sqlite3/package.json");
  const { version } = require(manifest) as { version: string };
  const { node, napi = "" } = process.versions;
  return { version, folder: dirname(manifest), node, napi, machine: `${process.platform}-${process.arch}` };
}

/** The error to throw when a database could not be opened; an error of SQLite stays as it is. */
export function loadFailure(error: unknown, installation: () => Installation): unknown {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  const isOurs =
    code === "ERR_DLOPEN_FAILED" ||
    code === "MODULE_NOT_FOUND" ||
    message?.startsWith("Could not locate the bindings file");
  if (!isOurs) return error;
  const installed = installation();
  const { node, machine } = installed;
  return unusable(installed, `has no binary that runs on Node ${node} on ${machine}`, error);
}

/**
 * Version 13 is built for Node-API 10, and an older Node crashes without a message when it loads it.
 * @throws CouldNotRun
 */
export function refuseUnloadable(installed: Installation): void {
  const { version, node, napi } = installed;
  if (isPrebuilt(version) && !hasNodeApi10(napi)) throw unusable(installed, `does not run on Node ${node}`);
}

function unusable(installed: Installation, reason: string, cause?: unknown): CouldNotRun {
  const { version } = installed;
  return new CouldNotRun(`better-sqlite3 ${version} ${reason}. ${repair(installed)}`, { cause });
}

/** From version 13 on, the package contains its binaries. Earlier ones download or compile it when installed. */
const isPrebuilt = (version: string) => Number.parseInt(version, 10) >= 13;

const hasNodeApi10 = (napi: string) => Number(napi) >= 10;

function repair({ version, folder, napi }: Installation): string {
  // No binary is packed for this machine, or its system libraries are too old for it.
  if (hasNodeApi10(napi) && isPrebuilt(version))
    return `To compile it, run this in ${folder}: npm run build-release`;
  const { manager, root } = managerOf(folder);
  const { install13, install12, rebuild } = repairs[manager];
  const command = hasNodeApi10(napi) ? install13 : isPrebuilt(version) ? install12 : rebuild;
  return `To repair the installation, run this${root === undefined ? "" : ` in ${root}`}: ${command}`;
}

interface Repairs {
  /** The version that contains its binaries. */
  readonly install13: string;
  /** The version for Node 20, with its install script. */
  readonly install12: string;
  /** Runs the install script of version 12. */
  readonly rebuild: string;
}

const older = "better-sqlite3@~12.9.0";
const npmRebuild = "npm rebuild better-sqlite3 --ignore-scripts=false";
const resolve = (range: string) => `npm pkg set resolutions.better-sqlite3=${range}`;
const allowBuild = "npm pkg set dependenciesMeta.better-sqlite3.built=true --json";
const pnpmOlder = `pnpm add --save-dev ${older} --allow-build=better-sqlite3 && pnpm rebuild better-sqlite3`;

/**
 * `npm run test:installs` tries those for a project. Only npm selects the version that is for this Node: pnpm and Yarn 4 install
 * version 13 on Node 20, and Yarn 1 refuses to.
 */
export const repairs = {
  npm: {
    install13: "npm install --save-dev better-sqlite3@13",
    install12: `npm install --save-dev ${older} --ignore-scripts=false`,
    rebuild: npmRebuild,
  },
  pnpm: {
    install13: "pnpm add --save-dev better-sqlite3@13 && pnpm dedupe",
    install12: pnpmOlder,
    rebuild: pnpmOlder,
  },
  yarn1: {
    install13: `${resolve("13")} && yarn install`,
    install12: `${resolve("~12.9.0")} && yarn install`,
    rebuild: npmRebuild,
  },
  yarn: {
    install13: `${resolve("13")} && yarn install`,
    install12: `${resolve("~12.9.0")} && ${allowBuild} && yarn install`,
    rebuild: `${allowBuild} && yarn rebuild better-sqlite3`,
  },
  global: {
    install13: "npm install --global card-sandbox",
    install12: "npm install --global card-sandbox --ignore-scripts=false",
    rebuild: "npm rebuild --global better-sqlite3 --ignore-scripts=false",
  },
} satisfies Record<string, Repairs>;

/** Files that a package manager writes when it installs. npm writes none if it installs globally. */
const marks = {
  ".pnp.cjs": "yarn",
  "node_modules/.yarn-state.yml": "yarn",
  "node_modules/.modules.yaml": "pnpm",
  "node_modules/.yarn-integrity": "yarn1",
  "node_modules/.package-lock.json": "npm",
} as const;

/** The package manager that installed better-sqlite3, and the folder of its project. */
function managerOf(folder: string): { readonly manager: keyof typeof repairs; readonly root?: string } {
  for (let root = folder; root !== dirname(root); root = dirname(root)) {
    for (const [mark, manager] of Object.entries(marks)) {
      if (existsSync(join(root, mark))) return { manager, root };
    }
  }
  return { manager: "global" };
}
