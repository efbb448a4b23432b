import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import leven from "leven";
import { seedWorld } from "../../core/world.ts";
import { scenario } from "../../scenarios/scenario.ts";
import { shippedScenarios } from "../../scenarios/shipped.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkScenario, shippedFolder } from "../scenario-files.ts";
import { checkStrictYaml, keysOfYaml } from "../strict-yaml.ts";
import { newCommand } from "./command.ts";

const kinds = {
  fixtures: Object.keys(seedWorld.shape),
  scenario: Object.keys(scenario.shape),
} as const;
type Kind = keyof typeof kinds;

/** How many letters of a key may be wrong for it to be still known what was meant. */
const slips = 2;

export function define(): Command {
  return newCommand(
    "card-sandbox validate",
    "Checks fixtures and scenario files, and tells all that is wrong.",
  )
    .argument("<file...>", "files, or folders with .yaml and .yml files")
    .addHelpText(
      "after",
      "\nExit codes:\n  0  all of them fit\n  1  one of them does not\n  2  asked for wrongly",
    )
    .action((names: readonly string[]) => {
      for (const name of names) {
        for (const file of filesOf(name)) if (!validate(file)) process.exitCode = exitCodes.found;
      }
    });
}

/** The file itself, or what a folder holds; what cannot be looked at is told when it is read. */
function filesOf(name: string): string[] {
  if (!statSync(name, { throwIfNoEntry: false })?.isDirectory()) return [name];
  const files = readdirSync(name).filter((file) => /\.ya?ml$/i.test(file));
  return files.length === 0 ? [join(name, "*.yaml")] : files.toSorted().map((file) => join(name, file));
}

/** Tells whether a file fits: the good news on standard output, the bad on standard error. */
function validate(file: string): boolean {
  const { kind, problems } = checked(file);
  if (problems.length === 0) process.stdout.write(`${file}: ${kind}, fits\n`);
  for (const problem of problems) process.stderr.write(`${problem.replace(/\s*\n\s*/g, " ")}\n`);
  return problems.length === 0;
}

function checked(file: string): { readonly kind?: Kind; readonly problems: readonly string[] } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return { problems: [`${file}: cannot be read: ${(error as Error).message}`] };
  }
  const kind = kindOf(text);
  if (!kind) {
    const has = Object.entries(kinds).map(([name, keys]) => `a ${name} file (${keys.join(", ")})`);
    return { problems: [`${file}:1:1: is neither ${has.join(" nor ")}`] };
  }
  return { kind, problems: problemsOf(file, text, kind) };
}

/** The kind whose keys a text has most of at its top, or nearly has. */
function kindOf(text: string): Kind | undefined {
  const said = keysOfYaml(text);
  const likeness = (kind: Kind) =>
    said.filter((key) => kinds[kind].some((known) => leven(key, known) <= slips)).length;
  const [fixtures, ofScenario] = [likeness("fixtures"), likeness("scenario")];
  if (fixtures === 0 && ofScenario === 0) return undefined;
  return fixtures > ofScenario ? "fixtures" : "scenario";
}

function problemsOf(file: string, text: string, kind: Kind): readonly string[] {
  const read = kind === "fixtures" ? checkStrictYaml(file, text, seedWorld) : checkScenario(file);
  if ("problems" in read) return read.problems;
  const name = basename(file).replace(/\.ya?ml$/i, "");
  const isShipped = realpathSync(dirname(file)) === realpathSync(shippedFolder);
  const isTaken = kind === "scenario" && !isShipped && (shippedScenarios as readonly string[]).includes(name);
  return isTaken ? [`${file}: a scenario named ${name} comes along already: rename this one`] : [];
}
