import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { conflictsIn, type Dialect } from "../contract/dialect.ts";
import { dialectFileSchema, dialectOfFile } from "../contract/dialect-file.ts";
import type { KeyQuota } from "../rules/api-key.ts";
import { SetupError } from "../rules/errors.ts";
import { type Scenario, scenarioSchema } from "../scenarios/scenario.ts";
import { shippedScenarios } from "../scenarios/shipped.ts";
import { fixturesSchemaFor } from "../world/fixtures.ts";
import type { Fixtures } from "../world/open-world.ts";
import { checkStrictYaml, fitting, readStrictYaml, type StrictYaml } from "./strict-yaml.ts";

const defaultFile = fileURLToPath(new URL("../../fixtures/default.yaml", import.meta.url));

/** The default world as JSON, which the build writes. */
const builtDefault = fileURLToPath(new URL("../default-world.json", import.meta.url));

/**
 * Reads the default world: in dist/ from JSON, so that `start` does not load the YAML parser; in the sources
 * from its YAML file.
 */
export function readDefaultFixtures(): Fixtures {
  return existsSync(builtDefault) ? JSON.parse(readFileSync(builtDefault, "utf8")) : readDefaultFile();
}

/** Reads the file of the default world, for the build. */
export function readDefaultFile(): Fixtures {
  return readFixtures(defaultFile);
}

/**
 * Reads a fixtures file.
 * @throws SetupError if the file cannot be read or does not match the schema
 */
export function readFixtures(file: string, keyQuota: KeyQuota = "company"): Fixtures {
  const text = readOrRefuse(file, "fixtures file");
  return {
    world: readStrictYaml(file, text, fixturesSchemaFor(keyQuota)),
    digest: createHash("sha256").update(text).digest("hex"),
  };
}

/**
 * Reads a dialect file.
 * @throws SetupError if the file cannot be read, does not match the schema, or has alternatives that conflict
 */
export function readDialectFile(file: string): Dialect {
  return fitting(checkDialect(file, readOrRefuse(file, "dialect file")));
}

/** Parses a dialect file, or lists all its problems. */
export function checkDialect(file: string, text: string): StrictYaml<Dialect> {
  const read = checkStrictYaml(file, text, dialectFileSchema(), (value) =>
    conflictsIn(dialectOfFile(value)).map(({ behaviours: [first, second], text }) => ({
      path: [first],
      message: text,
      ...(value[second] !== undefined && { and: [second] }),
    })),
  );
  return "value" in read ? { value: dialectOfFile(read.value) } : read;
}

/** @throws SetupError if the file cannot be read */
function readOrRefuse(file: string, kind: string): string {
  try {
    return readText(file);
  } catch (error) {
    throw new SetupError(`${file}: cannot read the ${kind}: ${(error as Error).message}`, { cause: error });
  }
}

/** The folder of the shipped scenarios. */
export const shippedFolder = fileURLToPath(new URL("../../scenarios", import.meta.url));

let shipped: readonly Scenario[] | undefined;

/** Reads the shipped scenarios, in their order. Reads them once, because that takes 50 ms, more than the rest of a start. */
export function readShippedScenarios(): readonly Scenario[] {
  shipped ??= shippedScenarios.map((name) => readScenario(join(shippedFolder, `${name}.yaml`), new Set()));
  return shipped;
}

/**
 * Reads the scenarios of a folder, sorted by name.
 * @param mayBeEmpty - whether a folder without scenario files is valid
 * @throws SetupError if the folder cannot be read, or a file does not match the schema or has the name of a
 *   shipped one
 */
export function readScenarios(folder: string, { mayBeEmpty = false } = {}): Scenario[] {
  let files: string[];
  try {
    files = yamlFiles(folder);
  } catch (error) {
    throw new SetupError(`${folder}: cannot read the folder of scenario files: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (files.length === 0 && !mayBeEmpty) {
    throw new SetupError(`${folder}: contains no scenario files (*.yaml or *.yml)`);
  }
  const names = new Set<string>(shippedScenarios);
  return files.map((file) => {
    const read = readScenario(file, names);
    names.add(read.name);
    return read;
  });
}

/** Whether a file in a folder of scenarios is a scenario file, by its name. */
export function isYaml(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** The paths of the YAML files in a folder, sorted by name. */
export function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && isYaml(entry.name))
    .map(({ name }) => join(folder, name))
    .toSorted();
}

/** @throws SetupError if the file cannot be read or is invalid */
function readScenario(file: string, taken: ReadonlySet<string>): Scenario {
  return fitting(checkScenario(file, readOrRefuse(file, "scenario file"), taken));
}

/**
 * Parses a scenario file, or lists all its problems.
 * @param taken - the names of other scenarios
 */
export function checkScenario(file: string, text: string, taken: ReadonlySet<string>): StrictYaml<Scenario> {
  const ofFile = basename(file).replace(/\.ya?ml$/i, "");
  return checkStrictYaml(file, text, scenarioSchema(), ({ name }) => {
    const wrong = (message: string) => [{ path: ["name"], message }];
    if (name !== ofFile)
      return wrong(`must be "${ofFile}", the file name without its extension, but is "${name}"`);
    return taken.has(name)
      ? wrong(`"${name}" is already the name of another scenario. Choose another name, and rename the file.`)
      : [];
  });
}

/** Reads a file of this package. */
export function readPackaged(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
}

// `ignoreBOM` keeps a byte order mark, so that the text corresponds to the bytes of the file.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws Error if the file cannot be read or is not UTF-8 */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new Error("it is not a UTF-8 text file", { cause: error });
  }
}
