import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tsImport } from "tsx/esm/api";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "./support/command-line.ts";
import { exec } from "./support/suite.ts";

// It imports JSON in a way that Node by itself refuses.
const {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
}: typeof import("@actions/workflow-parser") = await tsImport("@actions/workflow-parser", import.meta.url);
const content = readFileSync(new URL("../examples/github-actions.yml", import.meta.url), "utf8");

/** What GitHub would refuse a workflow for. */
async function errors(workflow: string): Promise<string[]> {
  const { context, value } = parseWorkflow(
    { name: "cards.yml", content: workflow },
    new NoOperationTraceWriter(),
  );
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

test("the workflow for consumers is one, by GitHub's own schema", async () => {
  expect(await errors(content)).toEqual([]);
});

test.each([
  ["an unknown key", "timeout-minutes:", "timeout-minute:", /Unexpected value 'timeout-minute'/],
  ["an unknown function", "!cancelled()", "!canceled()", /Unrecognized function: 'canceled'/],
  ["no runner", "runs-on: ubuntu-latest", "", /Required property is missing: runs-on/],
])("a workflow with %s is none", async (_name, from, to, message) => {
  expect((await errors(content.replace(from, to))).join()).toMatch(message);
});

test("its exec holds a suite to what it says, and leaves the reports that later steps read", async () => {
  const { jobs } = parse(content) as {
    jobs: { suite: { steps: { id?: string; run?: string; with?: { path?: string } }[] } };
  };
  const { steps } = jobs.suite;
  const run = steps.find(({ id }) => id === "suite")?.run ?? "";
  const [, options = ""] = /^npx card-sandbox exec (.*) -- npm test$/.exec(run) ?? [];
  const folder = temporaryFolder();
  const words = options.replaceAll("--report ", `--report ${folder}/`).split(" ");
  const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
  const once = exec(words, `await order("${key}")`);
  expect((await once.ended).code).toBe(1);
  expect(once.output.stderr).toContain("✗ --require: not met: order.replayed");
  expect(readFileSync(join(folder, "card-sandbox.md"), "utf8")).toContain("order.replayed");
  expect((await exec(words, `await order("${key}"); await order("${key}")`).ended).code).toBe(0);
  const shown = steps.map(({ run }) => /^cat (\S+)/.exec(run ?? "")?.[1]).filter(Boolean);
  expect(shown).toEqual(["card-sandbox.md"]);
  expect(
    words
      .filter((word) => word.startsWith(folder))
      .every((file) => file.startsWith(join(folder, "card-sandbox."))),
  ).toBe(true);
});
