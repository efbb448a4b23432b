import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SetupError } from "../rules/errors.ts";
import { type Scenario, scenarioSchema } from "../scenarios/scenario.ts";
import { shippedScenarios } from "../scenarios/shipped.ts";
import { readText } from "./read-text.ts";
import { checkStrictYaml, fitting, type StrictYaml } from "./strict-yaml.ts";

/** Where the package keeps its own. */
export const shippedFolder = fileURLToPath(new URL("../../scenarios", import.meta.url));

/** The scenarios that the package ships, in their order. */
export function readShippedScenarios(): Scenario[] {
  return shippedScenarios.map((name) => readScenario(join(shippedFolder, `${name}.yaml`), new Set()));
}

/**
 * The scenarios of a folder, in the order of their names.
 * @throws SetupError where it cannot be read, or a file does not fit the schema, or has a shipped one's name
 */
export function readScenarios(folder: string): Scenario[] {
  let files: string[];
  try {
    files = yamlFiles(folder);
  } catch (error) {
    throw new SetupError(`the scenarios folder ${folder} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (files.length === 0) throw new SetupError(`the scenarios folder ${folder} holds no YAML file`);
  const names = new Set<string>(shippedScenarios);
  return files.map((file) => {
    const read = readScenario(file, names);
    names.add(read.name);
    return read;
  });
}

/** The paths of a folder's YAML files, in the order of their names. */
export function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && /\.ya?ml$/i.test(entry.name))
    .map(({ name }) => join(folder, name))
    .toSorted();
}

/** @throws SetupError where it cannot be read, or something is wrong with it */
function readScenario(file: string, taken: ReadonlySet<string>): Scenario {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    throw new SetupError(`the scenario file ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return fitting(checkScenario(file, text, taken));
}

/**
 * A scenario file, or all that is wrong with it.
 * @param taken - the names that it must not have
 */
export function checkScenario(file: string, text: string, taken: ReadonlySet<string>): StrictYaml<Scenario> {
  const ofFile = basename(file).replace(/\.ya?ml$/i, "");
  return checkStrictYaml(file, text, scenarioSchema(), ({ name }) => {
    const wrong = (message: string) => [{ path: ["name"], message }];
    if (name !== ofFile) return wrong(`must be the file's, ${ofFile}; it is ${name}`);
    return taken.has(name) ? wrong(`a scenario named ${name} is there already: rename this one`) : [];
  });
}
