import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { KeyQuota } from "../rules/api-key.ts";
import { SetupError } from "../rules/errors.ts";
import type { Fixtures } from "../world/open-world.ts";
import { seedWorldFor } from "../world/seed-world.ts";
import { readText } from "./read-text.ts";
import { readStrictYaml } from "./strict-yaml.ts";

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
