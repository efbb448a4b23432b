import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { Metafile } from "esbuild";
import { describe, expect, test } from "vitest";
import { thirdPartyNotice } from "../build/third-party.ts";
import { temporaryFolder } from "./support/command-line.ts";

const root = new URL("..", import.meta.url).pathname;
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { dependencies, peerDependenciesMeta } = manifest;

/** What esbuild reports of the files in dist/node. */
const { outputs }: Metafile = JSON.parse(readFileSync(join(dist, "bundle.json"), "utf8"));

const declarations = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".d.ts"))
  .map((name) => ({ path: join(dist, name), text: readFileSync(join(dist, name), "utf8") }));

/** The modules that a declaration file imports, in whichever way. */
function importsOf(text: string): string[] {
  const found = text.matchAll(
    /^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"|\b(?:import|require|url\))\("([^"]+)"\)/gm,
  );
  return [...found].map(([, from, bare, called]) => from ?? bare ?? called ?? "");
}

describe("the published build", () => {
  test("imports exactly the installed packages", () => {
    const ofDeclarations = declarations.flatMap(({ text }) => importsOf(text));
    const ofCode = Object.values(outputs).flatMap(({ imports }) =>
      imports.flatMap(({ path, external }) => (external ? path : [])),
    );
    // The bundler does not see what `createRequire` loads.
    const required = readdirSync(join(root, "src/node"), { encoding: "utf8", recursive: true })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(root, "src/node", name), "utf8"))
      .flatMap((text) => text.match(/(?<=\b(?:require|import\.meta\.url\))\(")[^"]+(?="\))/g) ?? [])
      .filter((name) => !name.startsWith(manifest.name));
    const names = [...ofDeclarations, ...ofCode, ...required]
      .filter((name) => !name.startsWith(".") && !isBuiltin(name))
      .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0]);
    expect([...new Set(names)].toSorted()).toEqual(
      Object.keys({ ...dependencies, ...peerDependenciesMeta }).toSorted(),
    );
  });

  test("declares nothing with the global types of Node, which a project may lack", () => {
    const withGlobals = declarations.filter(({ text }) => /\bNodeJS\.|\bBuffer\b/.test(text));
    expect(withGlobals.map(({ path }) => path)).toEqual([]);
  });

  test("contains each file that it imports", () => {
    const declared = declarations.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((name) => name.startsWith("."))
        .map((name) => resolve(dirname(path), name.replace(/\.[jt]sx?$/, ".d.ts"))),
    );
    const bundled = Object.keys(outputs).map((path) => join(root, path));
    expect([...declared, ...bundled].filter((file) => !existsSync(file))).toEqual([]);
  });

  test("loads the code of a sweep only for a sweep", () => {
    const loaded = new Set<string>();
    const load = (file: string) => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === "import-statement") load(path);
    };
    load("dist/node/index.js");
    load("dist/node/vitest.js");
    const inputs = [...loaded].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
    expect(inputs).toContain("src/node/sweep/sweep.ts");
    expect(inputs).toContain("src/node/sweep/contrary.ts");
    expect(
      inputs.filter((input) =>
        /^src\/(sweep|journal\/formats\/(sweep|contrary)|node\/sweep\/in-process)/.test(input),
      ),
    ).toEqual([]);
  });

  test("contains the licence of each bundled package, and of faker, whose names are in src/", () => {
    const notice = readFileSync(join(dist, "THIRD-PARTY.md"), "utf8");
    const bundled = Object.values(outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .flatMap(([path]) => /(?<=^node_modules\/)(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
    const named = notice.match(/(?<=^## )\S+(?= [0-9.]+ \()/gm) ?? [];
    expect([...new Set([...bundled, "@faker-js/faker"])].toSorted()).toEqual(named.toSorted());
    const licences = notice.split(/^## \S+ [0-9.]+ \(/m).slice(1);
    expect(licences).toHaveLength(named.length);
    for (const text of licences) expect(text).toMatch(/Permission (is hereby granted|to use, copy)/);
  });

  test("refuses to bundle a package without a licence file", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules/loose"), { recursive: true });
    writeFileSync(join(folder, "node_modules/loose/package.json"), JSON.stringify({ name: "loose" }));
    const inputs = { "node_modules/loose/index.js": { bytesInOutput: 1 } };
    const outputs = { "dist/node/cli.js": { bytes: 1, inputs, imports: [], exports: [] } };
    expect(() => thirdPartyNotice(folder, { inputs: {}, outputs })).toThrow(
      "loose keeps no licence in its folder: make it a dependency, so that it is not bundled",
    );
  });
});
