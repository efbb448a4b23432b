import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KeyQuota } from "../rules/api-key.ts";
import { SetupError } from "../rules/errors.ts";
import { type Scenario, scenarioSchema } from "../scenarios/scenario.ts";
import { shippedScenarios } from "../scenarios/shipped.ts";
import type { Fixtures } from "../world/open-world.ts";
import { seedWorldFor } from "../world/seed-world.ts";
import { checkStrictYaml, fitting, readStrictYaml, type StrictYaml } from "./strict-yaml.ts";

const defaultFile = fileURLToPath(new URL("../../fixtures/default.yaml", import.meta.url));

/** What the build made of the default file. */
const builtDefault = fileURLToPath(new URL("../default-world.json", import.meta.url));

/** The default world as the build read it, so that no start has to load YAML; from the sources, its file is read. */
export function readDefaultFixtures(): Fixtures {
  return existsSync(builtDefault) ? JSON.parse(readFileSync(builtDefault, "utf8")) : readDefaultFile();
}

/** What the file of the default world says, which the build keeps. */
export function readDefaultFile(): Fixtures {
  return readFixtures(defaultFile);
}

/**
 * Reads a seed world.
 * @throws SetupError where the file cannot be read, or does not fit the schema
 */
export function readFixtures(file: string, keyQuota: KeyQuota = "company"): Fixtures {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    throw new SetupError(`the fixtures file ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return {
    world: readStrictYaml(file, text, seedWorldFor(keyQuota)),
    digest: createHash("sha256").update(text).digest("hex"),
  };
}

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

// A byte order mark is the reader's to skip, so that a text is its file's bytes.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws Error that says why a file cannot be read, or that it is no UTF-8 text */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new Error("it is no UTF-8 text", { cause: error });
  }
}
