import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { openapiDocument } from "../src/contract/openapi/document.ts";
import { scenarioSchema, seedWorld } from "../src/index.ts";

/**
 * Writes the JSON Schemas of the files that users write, for their editors, and the OpenAPI description of the
 * service, for their generators.
 */
export function writeSchemas(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, json: unknown) =>
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(json)}\n`);
  for (const [name, schema] of Object.entries({ scenario: scenarioSchema(), fixtures: seedWorld })) {
    write(name, z.toJSONSchema(schema, { io: "input", target: "draft-07" }));
  }
  write("openapi", openapiDocument());
}
