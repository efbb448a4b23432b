// What `npm run build` does besides compiling.
import { chmodSync, cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readDefaultFile } from "../src/node/fixtures-file.ts";
import { copyDocsFiles } from "./docs-files.ts";
import { writeSchemas } from "./schemas.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");

writeSchemas(join(root, "schema"));
writeFileSync(join(dist, "default-world.json"), JSON.stringify(readDefaultFile()));
copyDocsFiles(join(dist, "docs"));
cpSync(join(root, "src/dashboard/files"), join(dist, "dashboard/files"), { recursive: true });
chmodSync(join(dist, "node/cli.js"), 0o755);
