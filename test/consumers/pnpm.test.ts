import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { keepBinary, tryInstall } from "../nodes/install.ts";
import { installManager, Trial } from "../nodes/trial.ts";
import { succeed } from "../support/command.ts";
import { typed } from "./typed.ts";

/** Removed with the project that all these tests share. */
const scratch = mkdtempSync(join(inject("installed"), "../pnpm-"));
const home = join(scratch, "home");
const tarball = join(inject("installed"), "../card-sandbox", inject("packed").filename);
const node = dirname(process.execPath);
/** Before Node 22, an install script has to run. */
const needsScript = Number(process.versions.napi) < 10;

const emptyFolder = (name: string) => {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return folder;
};

beforeAll(() => {
  keepBinary(join(inject("installed"), "node_modules/better-sqlite3"), home, process.versions.modules);
});

test("npm installs it with --ignore-scripts, or a message names the command that is missing", async () => {
  const folder = emptyFolder("npm");
  const cell = { manager: "npm", ignoresScripts: true, tarball, folder, bins: [node], home };
  const { engine, repairs } = await tryInstall(cell);
  expect(repairs).toEqual(needsScript ? ["npm rebuild better-sqlite3 --ignore-scripts=false"] : []);
  expect(engine.version).toMatch(needsScript ? /^12\.9\./ : /^13\./);
});

describe("in a project of pnpm, which resolves declared dependencies only", () => {
  const folder = emptyFolder("pnpm");
  let pnpm: Trial;

  beforeAll(async () => {
    const bins = [await installManager("pnpm@10", scratch), node];
    writeFileSync(join(folder, ".npmrc"), "hoist=false\n");
    const cell = { manager: "pnpm", ignoresScripts: false, tarball, folder, bins, home };
    const { repairs } = await tryInstall(cell);
    expect(repairs).toHaveLength(needsScript ? 1 : 0);
    pnpm = new Trial(folder, bins, { HOME: home, CI: undefined });
    const compilers = ["typescript@~7.0.2", "typescript-5.9@npm:typescript@~5.9.3"];
    await run("add", "--save-dev", ...compilers, "@types/node@20", "vitest@4");
  }, 600_000);

  const run = (...args: string[]) => pnpm.run(`pnpm ${args.join(" ")}`, "pnpm", args);

  test("CommonJS requires it", async () => {
    const code = `const { createSandbox } = require("card-sandbox");
      const sandbox = createSandbox();
      console.log(sandbox.world().companies.length > 0);
      sandbox.close();`;
    writeFileSync(join(folder, "world.cjs"), code);
    expect(await succeed(process.execPath, ["--no-warnings", "world.cjs"], { cwd: folder })).toBe("true\n");
  });

  test.each(
    ["typescript", "typescript-5.9"].flatMap((compiler) => [
      [compiler, "ES modules and CommonJS", ["typed.mts", "typed.cts"], "nodenext", "nodenext"] as const,
      [compiler, "code for a bundler", ["typed.ts"], "esnext", "bundler"] as const,
    ]),
  )("%s compiles %s, and checks its declarations", async (compiler, _, files, module, resolution) => {
    for (const file of files) writeFileSync(join(folder, file), typed);
    const tsc = join("node_modules", compiler, "bin", "tsc");
    const options = ["--module", module, "--moduleResolution", resolution, "--target", "es2023"];
    const strict = ["--strict", "--noEmit", "--types", "node", ...options];
    await succeed(process.execPath, [tsc, ...strict, ...files], { cwd: folder });
  });

  test("Vitest imports card-sandbox/vitest, which uses the Vitest of the project", async () => {
    const code = `import { sandboxTest } from "card-sandbox/vitest";
      import { expect } from "vitest";
      sandboxTest()("has a company", ({ company }) => expect(company.apiKey).toMatch(/^sk_sandbox_/));`;
    writeFileSync(join(folder, "company.test.mjs"), code);
    expect(await run("exec", "vitest", "run", "company.test.mjs")).toContain("1 passed");
  });
});
