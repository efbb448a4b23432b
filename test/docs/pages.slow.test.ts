import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/command-line.ts";
import { type Block, isInstalled, pages, readMarkdown } from "./pages.ts";
import { readerWithThisBuild, runPage } from "./run-page.ts";

const withBlocks = pages.filter(({ blocks }) => blocks.some(({ only }) => only === undefined));

describe("the commands, files and outputs of each page work as written", () => {
  test.each(withBlocks.map((page) => [page.path, page] as const))(
    "%s",
    async (_path, page) => {
      const isRun = ({ only, needs }: Block) => only === undefined && needs === undefined;
      await runPage(page, readerWithThisBuild(temporaryFolder()), isRun);
    },
    240_000,
  );
});

const needing = pages.flatMap((page) =>
  [...new Set(page.blocks.flatMap(({ needs = [] }) => needs))].map((program) => ({ page, program })),
);

describe.each(needing)("$page.path with $program", ({ page, program }) => {
  test.skipIf(!isInstalled(program))("works as written", async () => {
    const isRun = ({ only, needs }: Block) => only === undefined && (needs ?? program) === program;
    await runPage(page, readerWithThisBuild(temporaryFolder()), isRun);
  });
});

describe("the test of a page fails when", () => {
  const run = (text: string) =>
    runPage(readMarkdown("page.md", text), readerWithThisBuild(temporaryFolder()), () => true);
  const block = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\`\n\n`;

  test.each([
    ["a command fails", block("sh", "false")],
    ["a command that must fail succeeds", block("sh exit=1", "true")],
    ["a pipe fails early", block("sh", "false | true")],
    ["the output is different", block("sh", "echo one") + block("text", "two")],
    ["the output is longer", block("sh", "printf 'one\\ntwo\\n'") + block("text", "one")],
    ["a JSON field is missing", block("sh", "echo '{}'") + block("json", '{ "id": "…" }')],
    ["the server does not start", block("sh server", "npx card-sandbox --port wrong")],
  ])("%s", async (_name, text) => {
    await expect(run(text)).rejects.toThrow();
  });

  test.each([
    ["a language is unknown", block("shell", "true")],
    ["an attribute is unknown", block("sh exits=1", "true")],
  ])("%s", (_name, text) => {
    expect(() => readMarkdown("page.md", text)).toThrow(/page\.md: /);
  });

  test("nothing is wrong: it passes", async () => {
    await run(
      block('js title="print.js"', "console.log(process.env.NAME)") +
        block("sh", "NAME=card\nmkdir -p inner") +
        block("sh", "echo '[1]'\nnode print.js | sed 's/$/ 7f3a/'\necho end") +
        block("text", "…\ncard …\nend") +
        block("sh", 'echo \'{"id": "7f3a", "n": 1}\'') +
        block("json", '{ "n": 1, "id": "…" }') +
        block("sh exit=3", "exit 3"),
    );
  });
});
