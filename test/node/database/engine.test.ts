import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Installation,
  loadFailure,
  refuseUnloadable,
  repairs,
} from "../../../src/node/database/engine.ts";
import { CouldNotRun } from "../../../src/rules/errors.ts";
import { temporaryFolder } from "../../support/command-line.ts";

const node20 = { node: "20.20.2", napi: "9", machine: "linux-x64" };
const node24 = { node: "24.21.0", napi: "10", machine: "linux-x64" };

const noBinary = new Error("Could not locate the bindings file. Tried:\n → /p/build/better_sqlite3.node");
const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
const otherNode = failure("ERR_DLOPEN_FAILED", "The module was compiled against NODE_MODULE_VERSION 115.");
const noPrebuild = failure("MODULE_NOT_FOUND", "Cannot find module '/p/build/Release/better_sqlite3.node'");

const messageOf = (error: unknown, installed: Installation) => {
  const thrown = loadFailure(error, () => installed);
  expect(thrown).toBeInstanceOf(CouldNotRun);
  return (thrown as Error).message;
};

/** A project with the files that a package manager leaves. */
function project(mark: string, folder = "node_modules/better-sqlite3") {
  const root = temporaryFolder();
  for (const file of [mark, `${folder}/package.json`]) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  return { root, folder: join(root, folder) };
}

const pnpmStore = "node_modules/.pnpm/better-sqlite3@12.9.0/node_modules/better-sqlite3";
const unplugged = ".yarn/unplugged/better-sqlite3-npm-12.9.0/node_modules/better-sqlite3";
const pnpmOlder =
  "pnpm add --save-dev better-sqlite3@~12.9.0 --allow-build=better-sqlite3 && pnpm rebuild better-sqlite3";

describe.each([
  {
    manager: "npm",
    made: () => project("node_modules/.package-lock.json"),
    rebuild: "npm rebuild better-sqlite3 --ignore-scripts=false",
    older: "npm install --save-dev better-sqlite3@~12.9.0 --ignore-scripts=false",
    newer: "npm install --save-dev better-sqlite3@13",
  },
  {
    manager: "pnpm",
    made: () => project("node_modules/.modules.yaml", pnpmStore),
    rebuild: pnpmOlder,
    older: pnpmOlder,
    newer: "pnpm add --save-dev better-sqlite3@13 && pnpm dedupe",
  },
  {
    manager: "Yarn 1",
    made: () => project("node_modules/.yarn-integrity"),
    rebuild: "npm rebuild better-sqlite3 --ignore-scripts=false",
    older: "npm pkg set resolutions.better-sqlite3=~12.9.0 && yarn install",
    newer: "npm pkg set resolutions.better-sqlite3=13 && yarn install",
  },
  ...(["node_modules/.yarn-state.yml", ".pnp.cjs"] as const).map((mark) => ({
    manager: `Yarn 4 with ${mark}`,
    made: () => (mark === ".pnp.cjs" ? project(mark, unplugged) : project(mark)),
    rebuild: "npm pkg set dependenciesMeta.better-sqlite3.built=true --json && yarn rebuild better-sqlite3",
    older:
      "npm pkg set resolutions.better-sqlite3=~12.9.0 && npm pkg set dependenciesMeta.better-sqlite3.built=true --json && yarn install",
    newer: "npm pkg set resolutions.better-sqlite3=13 && yarn install",
  })),
])("names the command of $manager that repairs an installation", ({ made, rebuild, older, newer }) => {
  test("whose install script did not run", () => {
    const { root, folder } = made();
    expect(messageOf(noBinary, { version: "12.9.0", folder, ...node20 })).toBe(
      `better-sqlite3 12.9.0 has no binary that runs on Node 20.20.2 on linux-x64. To repair the installation, run this in ${root}: ${rebuild}`,
    );
  });

  test.each([
    ["not compiled", noBinary],
    ["compiled for another Node", otherNode],
  ])("whose engine is an old one, %s, on a Node that needs none", (_, error) => {
    const { root, folder } = made();
    expect(messageOf(error, { version: "12.9.0", folder, ...node24 })).toBe(
      `better-sqlite3 12.9.0 has no binary that runs on Node 24.21.0 on linux-x64. To repair the installation, run this in ${root}: ${newer}`,
    );
  });

  test("whose engine is too new for this Node, and would crash it", () => {
    const { root, folder } = made();
    expect(() => refuseUnloadable({ version: "13.2.0", folder, ...node20 })).toThrow(
      new CouldNotRun(
        `better-sqlite3 13.2.0 does not run on Node 20.20.2. To repair the installation, run this in ${root}: ${older}`,
      ),
    );
  });
});

test("names the command for a global installation, which has no project", () => {
  const folder = join(temporaryFolder(), "lib/node_modules/card-sandbox/node_modules/better-sqlite3");
  expect(messageOf(noBinary, { version: "12.9.0", folder, ...node20 })).toMatch(
    / run this: npm rebuild --global better-sqlite3 --ignore-scripts=false$/,
  );
});

test("names the command that compiles the engine where no binary is packed or can be loaded", () => {
  const folder = join(temporaryFolder(), "node_modules/better-sqlite3");
  for (const error of [noPrebuild, failure("ERR_DLOPEN_FAILED", "GLIBC_2.38 not found")]) {
    expect(messageOf(error, { version: "13.2.0", folder, ...node24, machine: "linux-arm" })).toBe(
      `better-sqlite3 13.2.0 has no binary that runs on Node 24.21.0 on linux-arm. To compile it, run this in ${folder}: npm run build-release`,
    );
  }
});

test("leaves an engine alone that runs on this Node, and errors of SQLite", () => {
  const busy = failure("SQLITE_BUSY", "database is locked");
  expect(loadFailure(busy, () => expect.fail("looks at the installation"))).toBe(busy);
  expect(() => refuseUnloadable({ version: "13.2.0", folder: "/p", ...node24 })).not.toThrow();
  expect(() => refuseUnloadable({ version: "12.9.0", folder: "/p", ...node20 })).not.toThrow();
});

test("the documentation lists each command", () => {
  const page = readFileSync(new URL("../../../docs/getting-started.md", import.meta.url), "utf8");
  for (const [manager, { install13, install12, rebuild }] of Object.entries(repairs)) {
    if (manager === "global") continue;
    for (const command of [install13, install12, rebuild]) expect(page).toContain(`\`${command}\``);
  }
});
