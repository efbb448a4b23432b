// Puts what the API reference shows itself with, and the terms of that, to where the sandbox serves it from.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { docsFiles } from "../../dist/http/description.js";

const from = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const to = fileURLToPath(new URL("../../dist/docs/", import.meta.url));
mkdirSync(to, { recursive: true });
for (const name of docsFiles) {
  writeFileSync(join(to, `${name}.gz`), gzipSync(readFileSync(join(from, name)), { level: 9 }));
}
for (const name of ["swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"]) {
  copyFileSync(join(from, name), join(to, name));
}
