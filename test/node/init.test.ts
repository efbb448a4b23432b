import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { define } from "../../src/node/commands/init.ts";
import { exitCodeOf } from "../../src/node/exit-codes.ts";
import { readDefaultFile, readFixtures } from "../../src/node/input-files.ts";
import { command } from "../support/command.ts";
import { cli, plainEnvironment, temporaryFolder } from "../support/command-line.ts";
import { suiteOf } from "../support/suite.ts";

const root = new URL("../../", import.meta.url).pathname;
const scenario = "card-sandbox/scenarios/issuer-down-once.yaml";
const fixtures = "card-sandbox/fixtures.yaml";
const workflow = ".github/workflows/card-sandbox.yml";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** What `init` prints. */
async function init(): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await define().parseAsync([folder], { from: "user" });
    return write.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    write.mockRestore();
  }
}

/** Runs a command that `init` or its workflow shows, in the project. */
function runShown(words: readonly string[]) {
  return command(process.execPath, [cli, ...words], { cwd: folder, env: plainEnvironment() });
}

/** The arguments of a `card-sandbox` command that `init` prints. */
function shownArguments(printed: string, start: string): string[] {
  const line = printed.split("\n").find((each) => each.trim().startsWith(`npx card-sandbox ${start}`));
  if (line === undefined) throw new Error(`no command ${start} in:\n${printed}`);
  return line.trim().split(" ").slice(2);
}

describe("init", () => {
  test("writes files that the commands that it prints accept, and a scenario that fires", async () => {
    const printed = await init();
    expect(printed).toMatch(
      new RegExp(`^Created {2}${scenario}\nCreated {2}${fixtures}\nCreated {2}${workflow}\n\n`),
    );
    expect(await runShown(shownArguments(printed, "validate"))).toEqual({
      code: 0,
      stdout: `${fixtures}: valid (fixtures)\n${scenario}: valid (scenario)\n`,
      stderr: "",
    });
    const exec = shownArguments(printed, "exec").slice(0, -2);
    const start = shownArguments(printed, "--scenarios");
    const suite = suiteOf("for (let n = 0; n < 2; n++) console.log((await order()).status)");
    const { code, stdout, stderr } = await runShown([...exec.slice(0, 1), ...start, "--", ...suite]);
    expect([code, stdout], stderr).toEqual([0, "503\n201\n"]);
  });

  test("writes a workflow whose options exec accepts", async () => {
    await init();
    const { jobs } = parse(readFileSync(join(folder, workflow), "utf8")) as {
      jobs: { tests: { steps: { uses?: string; with?: { command?: string; options?: string } }[] } };
    };
    const step = jobs.tests.steps.find(({ uses }) => uses === "./node_modules/card-sandbox");
    const options = step?.with?.options?.split(/\s+/) ?? [];
    const command = ["exec", ...options, "--allow-no-requests", "--", "true"];
    expect(await runShown(command)).toMatchObject({ code: 0 });
    expect(options).toContain("card-sandbox/scenarios");
    expect(options).toContain(fixtures);
  });

  test("copies the default world", async () => {
    await init();
    expect(readFixtures(join(folder, fixtures)).world).toEqual(readDefaultFile().world);
  });

  test.each([scenario, fixtures])("refers in %s to the schema that the package ships", async (file) => {
    await init();
    const [, path = ""] =
      /^# yaml-language-server: \$schema=(.*)\n/.exec(readFileSync(join(folder, file), "utf8")) ?? [];
    const schema = resolve(dirname(join(folder, file)), path);
    const installed = join(folder, "node_modules/card-sandbox/");
    expect(schema.startsWith(installed)).toBe(true);
    expect(existsSync(join(root, schema.slice(installed.length)))).toBe(true);
  });

  test("overwrites nothing, not even a link to a missing file", async () => {
    await init();
    writeFileSync(join(folder, fixtures), "mine");
    const printed = await init();
    expect(printed).toContain(`Skipped  ${fixtures}: it exists already\n`);
    expect(printed).not.toContain("Created");
    expect(readFileSync(join(folder, fixtures), "utf8")).toBe("mine");

    folder = temporaryFolder();
    mkdirSync(join(folder, "card-sandbox"));
    symlinkSync(join(folder, "elsewhere"), join(folder, fixtures));
    await expect(init()).rejects.toThrow(`${fixtures}: cannot write the file: EEXIST`);
    expect(existsSync(join(folder, "elsewhere"))).toBe(false);
  });

  test("prints how to install card-sandbox only in a project that lacks it", async () => {
    expect(await init()).toContain("npm install --save-dev card-sandbox");
    mkdirSync(join(folder, "node_modules/card-sandbox"), { recursive: true });
    expect(await init()).not.toContain("npm install");
  });

  test("refuses a folder that does not exist, with exit code 2", async () => {
    folder = join(folder, "nowhere");
    const error = await init().catch((error: unknown) => error);
    expect(String(error)).toContain('folder: must be an existing folder, but is "');
    expect(exitCodeOf(error)).toBe(2);
    expect(existsSync(folder)).toBe(false);
  });

  test("reports a file that it cannot write, with exit code 3", async () => {
    writeFileSync(join(folder, "card-sandbox"), "");
    const error = await init().catch((error: unknown) => error);
    expect(String(error)).toContain(`${scenario}: cannot write the file: ENOTDIR`);
    expect(exitCodeOf(error)).toBe(3);
    expect(readdirSync(folder)).toEqual(["card-sandbox"]);
  });
});
