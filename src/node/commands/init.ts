import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { oneLine, shellQuoted } from "../../journal/formats/escape.ts";
import { CouldNotRun, quoted, SetupError } from "../../rules/errors.ts";
import { readPackaged } from "../input-files.ts";
import { newCommand } from "./command.ts";

const fixturesHead = `# yaml-language-server: $schema=../node_modules/card-sandbox/schema/fixtures.json
#
# A copy of the default world: the companies, members, accounts and API keys that a sandbox starts with. Edit it, and
# start with --fixtures card-sandbox/fixtures.yaml. With the comment in the first line, editors complete and check it.
`;

/** The files by their path in the project. */
const files: Readonly<Record<string, () => string>> = {
  "card-sandbox/scenarios/issuer-down-once.yaml": () => readPackaged("examples/init/issuer-down-once.yaml"),
  "card-sandbox/fixtures.yaml": () => readPackaged("fixtures/default.yaml").replace(/^.*\n/, fixturesHead),
  ".github/workflows/card-sandbox.yml": () => readPackaged("examples/init/github-actions.yml"),
};

export function define(): Command {
  return newCommand(
    "card-sandbox init",
    "Add a scenario of your own, a copy of the default world and a GitHub Actions workflow to your project. Existing files stay as they are.",
  )
    .argument("[folder]", "root folder of your project (default: the current folder)")
    .addHelpText(
      "after",
      `
Writes, unless the file exists:
${Object.keys(files)
  .map((name) => `  ${name}`)
  .join("\n")}

Exit codes:
  0  success, also if files exist already
  2  usage error
  3  a file could not be written`,
    )
    .action((folder = ".") => init(folder));
}

function init(folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SetupError(
      `folder: must be an existing folder, but is ${quoted(folder)}. Create it, or omit it to use the current folder.`,
    );
  }
  for (const [name, textOf] of Object.entries(files)) {
    const isNew = writeNew(join(folder, name), textOf());
    process.stdout.write(isNew ? `Created  ${name}\n` : `Skipped  ${name}: it exists already\n`);
  }
  process.stdout.write(nextSteps(folder));
}

/**
 * @returns whether the file did not exist
 * @throws CouldNotRun if it cannot be written
 */
function writeNew(file: string, text: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && existsSync(file)) return false;
    throw new CouldNotRun(`${file}: cannot write the file: ${(error as Error).message}`, { cause: error });
  }
}

function nextSteps(folder: string): string {
  const isInstalled = existsSync(join(folder, "node_modules/card-sandbox"));
  const options = "--scenarios card-sandbox/scenarios --fixtures card-sandbox/fixtures.yaml";
  const quotedFolder = /^[\w./\\:-]+$/.test(folder) ? folder : oneLine(shellQuoted(folder));
  const steps = [
    ...(folder === "." ? [] : [["Go to your project:", `cd ${quotedFolder}`]]),
    ...(isInstalled
      ? []
      : [["Install card-sandbox in your project:", "npm install --save-dev card-sandbox"]]),
    [
      "Start a sandbox with your files. It reloads them when you edit them:",
      `npx card-sandbox ${options} --scenario issuer-down-once --watch`,
    ],
    [
      "See your scenario fire: the sandbox prints commands that order a card. Paste them",
      "twice: the first order is refused with 503, the second returns a card.",
    ],
    [
      "Check your files after you edited them:",
      "npx card-sandbox validate card-sandbox/fixtures.yaml card-sandbox/scenarios",
    ],
    [
      "Run your tests against a fresh sandbox, as the workflow does. They get its base",
      "URL and an API key as CARD_SANDBOX_URL and CARD_SANDBOX_API_KEY:",
      `npx card-sandbox exec ${options} -- npm test`,
    ],
  ];
  return `
Next steps
${steps.map((lines, n) => `${n + 1}. ${lines.join("\n   ")}`).join("\n")}
`;
}
