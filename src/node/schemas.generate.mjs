// Writes, out of what the build has made, the JSON Schemas of the files that users write, for their editors, and
// the OpenAPI description of the service, for their generators.
import { mkdirSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { openapiDocument } from "../../dist/contract/openapi/document.js";
import { scenario, seedWorld } from "../../dist/index.js";

const folder = new URL("../../schema/", import.meta.url);
mkdirSync(folder, { recursive: true });
const write = (name, json) =>
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(json, null, 2)}\n`);
for (const [name, schema] of Object.entries({ scenario, fixtures: seedWorld })) {
  const json = z.toJSONSchema(schema, { io: "input", target: "draft-07" });
  write(name, json);
}
write("openapi", openapiDocument());
