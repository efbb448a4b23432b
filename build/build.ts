// What `npm run build` does once tsc has written the declarations: it leaves dist/ and schema/ as they are published.
import { chmodSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readDefaultFile } from "../src/node/input-files.ts";
import { bundle } from "./bundle.ts";
import { removeUnreached } from "./declarations.ts";
import { copyDocsFiles } from "./docs-files.ts";
import { writeSchemas } from "./schemas.ts";
import { thirdPartyNotice } from "./third-party.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const metafile = await bundle(root, manifest);
writeFileSync(join(dist, "THIRD-PARTY.md"), thirdPartyNotice(root, metafile));
chmodSync(join(dist, "node/cli.js"), 0o755);
removeUnreached(dist, ["node/index.d.ts", "node/vitest.d.ts"]);
writeFileSync(join(dist, "default-world.json"), JSON.stringify(readDefaultFile()));
cpSync(join(root, "src/dashboard/files"), join(dist, "dashboard/files"), { recursive: true });
copyDocsFiles(join(dist, "docs"));
writeSchemas(join(root, "schema"));
