import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { SetupError } from "../core/errors.ts";
import { seedWorld } from "../core/world.ts";
import type { Fixtures } from "../store/open-world.ts";
import { readText } from "./read-text.ts";
import { readStrictYaml } from "./strict-yaml.ts";

const defaultFile = fileURLToPath(new URL("../../fixtures/default.yaml", import.meta.url));

/**
 * Reads a seed world.
 * @param file - a fixtures file; the default world where it is absent
 * @throws SetupError where it cannot be read, or does not fit the schema
 */
export function readFixtures(file = defaultFile): Fixtures {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    throw new SetupError(`the fixtures file ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return {
    world: readStrictYaml(file, text, seedWorld),
    digest: createHash("sha256").update(text).digest("hex"),
  };
}
