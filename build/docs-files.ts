import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { docsFiles } from "../src/http/description.ts";

/** Puts what the API reference shows itself with, and the terms of that, to where the sandbox serves it from. */
export function copyDocsFiles(folder: string): void {
  const from = fileURLToPath(new URL(".", import.meta.resolve("swagger-ui-dist/package.json")));
  mkdirSync(folder, { recursive: true });
  for (const name of docsFiles) {
    writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(from, name)), { level: 9 }));
  }
  for (const name of ["swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"]) {
    copyFileSync(join(from, name), join(folder, name));
  }
}
