// Runs after tsc has written the declarations: leaves dist/ and schema/ as they are published.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { transform } from "esbuild";
import * as z from "zod";
import { dialectFileSchema } from "../src/contract/dialect-file.ts";
import { openapiDocument } from "../src/contract/openapi/document.ts";
import { controlDocument } from "../src/control/openapi/document.ts";
import { docsFiles } from "../src/http/description.ts";
import { fixturesSchema, scenarioSchema } from "../src/index.ts";
import { readDefaultFile } from "../src/node/input-files.ts";
import { bundle } from "./bundle.ts";
import { removeUnreached } from "./declarations.ts";
import { thirdPartyNotice } from "./third-party.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const metafile = await bundle(root, manifest);
// For the tests; it is not published.
writeFileSync(join(dist, "bundle.json"), JSON.stringify(metafile));
writeFileSync(
  join(dist, "THIRD-PARTY.md"),
  thirdPartyNotice(root, metafile, ["node_modules/@faker-js/faker"]),
);
chmodSync(join(dist, "node/cli.js"), 0o755);
removeUnreached(dist, ["node/index.d.ts", "node/vitest.d.ts"]);
writeFileSync(join(dist, "default-world.json"), JSON.stringify(readDefaultFile()));
await copyDashboardFiles(join(root, "src/dashboard/files"), join(dist, "dashboard/files"));
copyDocsFiles(join(dist, "docs"));
writeSchemas(join(root, "schema"));

/** Copies the style sheet, the script and the mark of the dashboard, without their comments and spaces. */
async function copyDashboardFiles(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const text = readFileSync(join(from, name), "utf8");
    const loader = name.endsWith(".css") ? "css" : "js";
    const minified = name.endsWith(".svg") ? text : (await transform(text, { loader, minify: true })).code;
    writeFileSync(join(to, name), minified);
  }
}

/** Copies the files of the API reference, compressed, and their licence. */
function copyDocsFiles(folder: string): void {
  const from = fileURLToPath(new URL(".", import.meta.resolve("swagger-ui-dist/package.json")));
  mkdirSync(folder, { recursive: true });
  for (const name of docsFiles) {
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(readFileSync(join(from, name))));
  }
  for (const name of ["swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"]) {
    copyFileSync(join(from, name), join(folder, name));
  }
}

/** Writes the JSON Schemas of the files that users write, for editors, and the OpenAPI documents, for generators. */
function writeSchemas(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, json: unknown) =>
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(json)}\n`);
  for (const [name, schema] of Object.entries({
    scenario: scenarioSchema(),
    fixtures: fixturesSchema,
    dialect: dialectFileSchema(),
  })) {
    write(
      name,
      z.toJSONSchema(schema, {
        io: "input",
        target: "draft-07",
        reused: name === "dialect" ? "ref" : "inline",
      }),
    );
  }
  write("openapi", openapiDocument());
  write("control", controlDocument());
}
