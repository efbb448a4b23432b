import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { succeed } from "../support/command.ts";
import { temporaryFolder } from "../support/command-line.ts";

const root = new URL("../..", import.meta.url).pathname;

/** The pieces of code after `@example` in the doc comments of a source file. */
function examplesIn(file: string): string[] {
  const source = readFileSync(join(root, "src/node", file), "utf8");
  const found = source.matchAll(/^ \* @example\n((?: \*(?! @|\/).*\n)+)/gm);
  return [...found].map(([, lines = ""]) => lines.replace(/^ \* ?/gm, ""));
}

test.each([
  ["create-sandbox.ts", "200"],
  ["start-sandbox.ts", "200"],
  ["sweep/sweep.ts", "0"],
  ["sweep/contrary.ts", "[]"],
])("the example in %s runs", (file, output) => {
  const [example = ""] = examplesIn(file);
  // The package can import itself by its name.
  const args = ["--input-type=module", "--eval", example];
  expect(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" })).toBe(`${output}\n`);
});

/** Compiles sources with the published declarations. */
async function compile(sources: Readonly<Record<string, string>>): Promise<void> {
  const folder = temporaryFolder();
  const files = Object.entries(sources).map(([name, source]) => {
    const file = join(folder, name);
    writeFileSync(file, source);
    return file;
  });
  const paths = {
    "card-sandbox": [join(root, "dist/node/index.d.ts")],
    "card-sandbox/vitest": [join(root, "dist/node/vitest.d.ts")],
  };
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2022", paths };
  const config = join(folder, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...compilerOptions, types: ["node"] }, files }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  await succeed(join(root, "node_modules/.bin/tsc"), ["-p", config]);
}

test("the examples compile under strict", async () => {
  const files = ["create-sandbox.ts", "start-sandbox.ts", "sweep/sweep.ts", "sweep/contrary.ts", "vitest.ts"];
  const examples = files.flatMap(examplesIn);
  expect(examples).toHaveLength(6);
  await compile(Object.fromEntries(examples.map((example, i) => [`example-${i}.ts`, example])));
});

const names = `
import { type AnyScenarioName, type ContractPointId, createSandbox, type FindingId } from "card-sandbox";
import type { IsolatedCompany, JournalEntry, SandboxOptions, ScenarioName } from "card-sandbox";
import type { SandboxFixtures } from "card-sandbox/vitest";

/** True for a type that has the shipped names beside any string: those that an editor completes. */
type Completes<Name> = [ScenarioName] extends [Extract<Name, ScenarioName>] ? true : false;

export const completed: true[] = [
  true satisfies Completes<Parameters<ReturnType<typeof createSandbox>["scenario"]>[0]>,
  true satisfies Completes<Parameters<IsolatedCompany["scenario"]>[0]>,
  true satisfies Completes<Parameters<SandboxFixtures["scenario"]>[0]>,
  true satisfies Completes<SandboxOptions["scenario"]>,
  true satisfies Completes<JournalEntry["scenario"]>,
  true satisfies Completes<AnyScenarioName>,
];
export const names: [ScenarioName, ContractPointId, FindingId] = ["rate-limited", "order.created", "IDEM-1"];

const sandbox = createSandbox({ scenario: "my-own-scenario" });
sandbox.scenario("rate-limited");
sandbox.scenario("my-own-scenario");
sandbox.coverage({ exclude: ["order.created", "webhooks.*"] });
export const isFound: boolean = sandbox.findings().findings.some(({ id }) => id === "IDEM-1");
export const isMet: boolean = sandbox.coverage().points.some(({ id }) => id === "order.created");
export const isListed: boolean = sandbox.requests.list({ point: "order.created" }).has_more;
export const own: AnyScenarioName = "my-own-scenario";

// @ts-expect-error no shipped scenario has this name
export const scenario: ScenarioName = "rate-limit";
// @ts-expect-error no contract point has this id
sandbox.requests.list({ point: "order.create" });
// @ts-expect-error no finding has this id
sandbox.findings().findings.some(({ id }) => id === "IDEM-0");
// @ts-expect-error no contract point has this id
sandbox.coverage().points.some(({ id }) => id === "order.create");
`;

test("the declarations complete the names of scenarios, contract points and findings, and refuse wrong ids", async () => {
  await compile({ "names.ts": names });
});
