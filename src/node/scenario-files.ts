import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SetupError } from "../core/errors.ts";
import { type Scenario, scenario } from "../scenarios/scenario.ts";
import { shippedScenarios } from "../scenarios/shipped.ts";
import { checkStrictYaml, fitting, type StrictYaml } from "./strict-yaml.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });
/** Where the package keeps its own. */
export const shippedFolder = fileURLToPath(new URL("../../scenarios", import.meta.url));

/** The scenarios that the package ships, in their order. */
export function readShippedScenarios(): Scenario[] {
  return shippedScenarios.map((name) => fitting(checkScenario(join(shippedFolder, `${name}.yaml`))));
}

/**
 * The scenarios of a folder, in the order of their names.
 * @throws SetupError where it cannot be read, or a file does not fit the schema, or has a shipped one's name
 */
export function readScenarios(folder: string): Scenario[] {
  let files: string[];
  try {
    files = readdirSync(folder).filter((file) => /\.ya?ml$/i.test(file));
  } catch (error) {
    throw new SetupError(`the scenarios folder ${folder} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (files.length === 0) throw new SetupError(`the scenarios folder ${folder} holds no YAML file`);
  const names = new Set<string>(shippedScenarios);
  return files.toSorted().map((file) => {
    const read = fitting(checkScenario(join(folder, file)));
    if (names.has(read.name)) {
      throw new SetupError(
        `${join(folder, file)}: a scenario named ${read.name} is there already: rename this one`,
      );
    }
    names.add(read.name);
    return read;
  });
}

/**
 * A scenario file, or all that is wrong with it.
 * @throws SetupError where it cannot be read
 */
export function checkScenario(file: string): StrictYaml<Scenario> {
  let text: string;
  try {
    text = utf8.decode(readFileSync(file));
  } catch (error) {
    throw new SetupError(`the scenario file ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const read = checkStrictYaml(file, text, scenario);
  if ("problems" in read) return read;
  const name = basename(file).replace(/\.ya?ml$/i, "");
  return read.value.name === name
    ? read
    : { problems: [`${file}: name: must be the file's, ${name}; it is ${read.value.name}`] };
}
