import { readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Removes the declarations that no entry imports: their code is bundled, so nobody can import it. Indents the others with
 * tabs, which saves 31 kB.
 */
export function removeUnreached(dist: string, entries: readonly string[]): void {
  const reached = new Set<string>();
  const reach = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(
      /(?:from|import\(|import) ?"(\.[^"]+)"/g,
    )) {
      reach(resolve(dirname(file), path.replace(/\.[jt]sx?$/, ".d.ts")));
    }
  };
  for (const entry of entries) reach(join(dist, entry));
  const found = readdirSync(dist, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of found) {
    const file = join(parentPath, name);
    if (!name.endsWith(".d.ts")) continue;
    if (reached.has(file)) writeFileSync(file, indentedWithTabs(readFileSync(file, "utf8")));
    else rmSync(file);
  }
  // The deepest folders first.
  for (const folder of found.filter((each) => each.isDirectory()).toReversed()) {
    const path = join(folder.parentPath, folder.name);
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
}

function indentedWithTabs(text: string): string {
  return text.replace(/^(?: {4})+/gm, (indent) => "\t".repeat(indent.length / 4));
}
