// Writes the JSON Schemas of the files that users write, for their editors, out of what the build has made.
import { mkdirSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { scenario, seedWorld } from "../../dist/index.js";

const folder = new URL("../../schema/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries({ scenario, fixtures: seedWorld })) {
  const json = z.toJSONSchema(schema, { io: "input", target: "draft-07" });
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(json, null, 2)}\n`);
}
