import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tsImport } from "tsx/esm/api";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { shellQuoted } from "../src/journal/formats/escape.ts";
import { cli, plainEnvironment, temporaryFolder } from "./support/command-line.ts";
import { suiteOf } from "./support/suite.ts";

// It imports JSON in a way that Node by itself refuses.
const {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
}: typeof import("@actions/workflow-parser") = await tsImport("@actions/workflow-parser", import.meta.url);
const { convertActionTemplate, parseAction }: typeof import("@actions/workflow-parser/actions/index") =
  await tsImport("@actions/workflow-parser/actions/index", import.meta.url);

const content = readFileSync(new URL("../examples/github-actions.yml", import.meta.url), "utf8");
const actionContent = readFileSync(new URL("../action.yml", import.meta.url), "utf8");

/** The errors for which GitHub refuses a workflow. */
async function errors(workflow: string): Promise<string[]> {
  const { context, value } = parseWorkflow(
    { name: "cards.yml", content: workflow },
    new NoOperationTraceWriter(),
  );
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

/** The errors for which GitHub refuses an action. */
function actionErrors(action: string): string[] {
  const { context, value } = parseAction(
    { name: "action.yml", content: action },
    new NoOperationTraceWriter(),
  );
  if (value) convertActionTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

test("the workflows for consumers are valid by the schema of GitHub", async () => {
  expect(await errors(content)).toEqual([]);
  const ofInit = readFileSync(new URL("../examples/init/github-actions.yml", import.meta.url), "utf8");
  expect(await errors(ofInit)).toEqual([]);
});

test.each([
  ["an unknown key", "timeout-minutes:", "timeout-minute:", /Unexpected value 'timeout-minute'/],
  ["an unknown function", "!cancelled()", "!canceled()", /Unrecognized function: 'canceled'/],
  ["no runner", "runs-on: ubuntu-latest", "", /Required property is missing: runs-on/],
])("a workflow with %s is invalid", async (_name, from, to, message) => {
  expect((await errors(content.replace(from, to))).join()).toMatch(message);
});

test("the action is valid by the schema of GitHub", () => {
  expect(actionErrors(actionContent)).toEqual([]);
  expect(actionErrors(actionContent.replace("      shell: bash\n", "")).join()).toMatch(/shell/);
  expect(actionErrors(actionContent.replace("runs:", "run:")).join()).toMatch(/Unexpected value 'run'/);
});

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const action = parse(actionContent) as Action;
const [step] = action.runs.steps as readonly [Step];
const workflow = parse(content) as { jobs: { suite: { steps: Step[] } } };
const used = workflow.jobs.suite.steps.find(({ id }) => id === "suite");

/** Replaces the expressions of the action, which only name inputs and outputs. */
function evaluated(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ (\S+) \}\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`unknown: ${name}`);
    return value;
  });
}

/** A project that has card-sandbox installed. */
function project(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  mkdirSync(join(folder, "tests"));
  symlinkSync(cli, join(folder, "node_modules/.bin/card-sandbox"));
  return folder;
}

/** Runs the step of the action as GitHub's runner does. */
function runAction(workspace: string, inputs: Readonly<Record<string, string>>) {
  const runner = temporaryFolder();
  const file = (name: string, text = "") => {
    writeFileSync(join(runner, name), text);
    return join(runner, name);
  };
  for (const name of Object.keys(inputs)) expect(action.inputs).toHaveProperty(name);
  const values = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [
      `inputs.${name}`,
      inputs[name] ?? input.default ?? "",
    ]),
  );
  const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluated(value, values)]);
  const GITHUB_OUTPUT = file("output");
  const GITHUB_STEP_SUMMARY = file("summary");
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["--noprofile", "--norc", "-e", "-o", "pipefail", file("step.sh", step.run)],
    {
      cwd: join(workspace, evaluated(step["working-directory"] ?? ".", values)),
      env: {
        ...plainEnvironment(),
        ...Object.fromEntries(env),
        GITHUB_OUTPUT,
        GITHUB_STEP_SUMMARY,
        RUNNER_TEMP: runner,
      },
      encoding: "utf8",
    },
  );
  const set = readFileSync(GITHUB_OUTPUT, "utf8").trim().split("\n");
  const fromStep = Object.fromEntries(
    set.map((line) => [`steps.${step.id}.outputs.${line.split("=")[0]}`, line.split("=").slice(1).join("=")]),
  );
  const outputs = Object.fromEntries(
    Object.entries(action.outputs).map(([name, { value }]) => [
      name,
      evaluated(value, { [`steps.${step.id}.outputs.report`]: "", ...fromStep }),
    ]),
  );
  return { status, stdout, stderr, outputs, summary: readFileSync(GITHUB_STEP_SUMMARY, "utf8") };
}

/** A command line that runs a suite with this code. */
const command = (code: string) => suiteOf(code).map(shellQuoted).join(" ");

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

test("no script of the action contains an expression, which an input could turn into commands", () => {
  expect(action.runs.steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  expect(action.runs.steps).toHaveLength(1);
});

test("the workflow's step runs the suite, applies the gates and adds the report to the job summary", () => {
  expect(used?.uses).toBe("./node_modules/card-sandbox");
  expect(used?.with?.command).toBe("npm test");
  const folder = project();
  const run = (code: string) => runAction(folder, { ...used?.with, command: command(code) });

  const once = run(`await order("${key}")`);
  expect(once.status).toBe(1);
  expect(once.outputs["exit-code"]).toBe("1");
  expect(once.stderr).toContain("✗ --require: contract points not met: order.replayed");
  expect(once.summary).toMatch(/^# card-sandbox test report\n\nFailed, exit code 1\./);
  expect(readFileSync(once.outputs.report ?? "", "utf8")).toBe(once.summary);
  const written = readdirSync(folder).filter((name) => name.startsWith("card-sandbox."));
  expect(written).toEqual(["card-sandbox.html", "card-sandbox.xml"]);
  expect(workflow.jobs.suite.steps.at(-1)?.with?.path).toBe("card-sandbox.*");

  const twice = run(`await order("${key}"); await order("${key}")`);
  expect(twice).toMatchObject({ status: 0, outputs: { "exit-code": "0" } });
  expect(twice.summary).toContain("Passed, exit code 0.");
});

test("the action runs any shell command in its folder, and passes on its exit code", () => {
  const { status, stdout, summary } = runAction(project(), {
    command:
      'basename "$PWD"\nprintenv INPUT_COMMAND INPUT_OPTIONS || echo unset\nfalse | cat\necho not reached',
    options: "--allow-no-requests",
    "working-directory": "tests",
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "tests\nunset\n" });
  expect(summary).toContain("Failed, exit code 1.");
});

test("the action's options may be quoted, and the shell does not read them", () => {
  const folder = project();
  const { status, stderr, outputs } = runAction(folder, {
    command: "touch ran",
    options: "--allow-no-requests\n  --scenarios 'my $(touch made); `touch made` *'",
  });
  expect(stderr).toContain("my $(touch made); `touch made` *: cannot read the folder of scenario files");
  expect({ status, outputs }).toEqual({ status: 2, outputs: { "exit-code": "2", report: "" } });
  expect(readdirSync(folder)).toEqual(["node_modules", "tests"]);
});

test.each([
  ["no command", { command: " \n" }, 2, "command: is required. Example: command: npm test"],
  [
    "an unclosed quote",
    { command: "true", options: "--seed '7" },
    2,
    "options: has a quote that is not closed",
  ],
])("with %s, the action fails with one annotation", (_name, inputs, exitCode, message) => {
  const { status, stdout, outputs } = runAction(project(), inputs);
  expect(status).toBe(exitCode);
  expect(outputs["exit-code"]).toBe(String(exitCode));
  expect(stdout).toBe(`::error title=card-sandbox::${message}\n`);
});

test("without card-sandbox in the project, the action says how to install it", () => {
  const folder = temporaryFolder();
  const { status, stdout } = runAction(folder, { command: "touch ran" });
  expect(status).toBe(3);
  expect(stdout).toContain("::error title=card-sandbox::card-sandbox is not installed in ");
  expect(stdout).toContain("npm ci");
  expect(existsSync(join(folder, "ran"))).toBe(false);
});
