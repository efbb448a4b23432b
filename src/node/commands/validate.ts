import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Command } from "commander";
import { dialectFileSchema } from "../../contract/dialect-file.ts";
import { oneLine } from "../../journal/formats/escape.ts";
import type { KeyQuota } from "../../rules/api-key.ts";
import { nearest } from "../../rules/nearest.ts";
import { scenarioSchema } from "../../scenarios/scenario.ts";
import { shippedScenarios } from "../../scenarios/shipped.ts";
import { fixturesSchema, fixturesSchemaFor } from "../../world/fixtures.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkDialect, checkScenario, readText, shippedFolder, yamlFiles } from "../input-files.ts";
import { checkStrictYaml, keysOfYaml } from "../strict-yaml.ts";
import { newCommand } from "./command.ts";
import { keyQuotaOption } from "./start-options.ts";

const kinds = {
  fixtures: Object.keys(fixturesSchema.shape),
  scenario: Object.keys(scenarioSchema().shape),
  dialect: Object.keys(dialectFileSchema().shape),
} as const;
type Kind = keyof typeof kinds;

export function define(): Command {
  const command = newCommand(
    "card-sandbox validate",
    "Check fixtures, scenario and dialect files, and list all their problems.",
  );
  return command
    .argument("<file...>", "files, or folders with .yaml or .yml files")
    .addOption(keyQuotaOption())
    .addHelpText("after", "\nExit codes:\n  0  all files are valid\n  1  a file is invalid\n  2  usage error")
    .action((names: readonly string[]) => {
      const { keyQuota = "company" } = command.opts<{ keyQuota?: KeyQuota }>();
      const areValid = names.flatMap((name) => checkPath(name, keyQuota)).map(print);
      if (areValid.includes(false)) process.exitCode = exitCodes.failed;
    });
}

interface Checked {
  readonly file: string;
  readonly kind?: Kind;
  readonly problems: readonly string[];
}

/** Checks a file, or the YAML files of a folder. */
function checkPath(name: string, keyQuota: KeyQuota): Checked[] {
  try {
    if (!statSync(name).isDirectory()) return [checkFile(name, keyQuota)];
    const files = yamlFiles(name);
    return files.length > 0
      ? files.map((file) => checkFile(file, keyQuota))
      : [{ file: name, problems: [`${name}: contains no YAML files (*.yaml or *.yml)`] }];
  } catch (error) {
    return [unreadable(name, error)];
  }
}

function unreadable(file: string, error: unknown): Checked {
  return { file, problems: [`${file}: cannot read the file: ${(error as Error).message}`] };
}

/** Prints the result of a file: to standard output if it is valid, otherwise to standard error. */
function print({ file, kind, problems }: Checked): boolean {
  if (problems.length === 0) process.stdout.write(`${oneLine(file)}: valid (${kind})\n`);
  for (const problem of problems) process.stderr.write(`${oneLine(problem)}\n`);
  return problems.length === 0;
}

function checkFile(file: string, keyQuota: KeyQuota): Checked {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    return unreadable(file, error);
  }
  const keys = keysOfYaml(file, text);
  if ("problems" in keys) return { file, ...keys };
  const kind = kindOf(keys.value);
  if (!kind) {
    const known = Object.entries(kinds).map(
      ([name, keys]) =>
        `a ${name} file (keys: ${keys.slice(0, 20).join(", ")}${keys.length > 20 ? ", …" : ""})`,
    );
    return { file, problems: [`${file}:1:1: must be ${known.join(" or ")}`] };
  }
  const checks = {
    fixtures: () => checkStrictYaml(file, text, fixturesSchemaFor(keyQuota)),
    scenario: () => checkScenario(file, text, takenFor(file)),
    dialect: () => checkDialect(file, text),
  };
  const read = checks[kind]();
  if ("value" in read) return { file, kind, problems: [] };
  const more = read.more > 0 ? [`${file}: and ${read.more} more problems`] : [];
  return { file, kind, problems: [...read.problems, ...more] };
}

/** The kind of file whose top-level keys resemble these most. */
function kindOf(keys: readonly string[]): Kind | undefined {
  const first = keys.slice(0, 1000);
  const likeness = (kind: Kind) => first.filter((key) => nearest(key, kinds[kind]) !== undefined).length;
  const [best] = (["scenario", "fixtures", "dialect"] as const).toSorted((a, b) => likeness(b) - likeness(a));
  return best !== undefined && likeness(best) > 0 ? best : undefined;
}

/** The names that a scenario file must not use; a shipped file may use its own. */
function takenFor(file: string): ReadonlySet<string> {
  const isShipped = realpathSync(dirname(file)) === realpathSync(shippedFolder);
  return new Set(isShipped ? [] : shippedScenarios);
}
