import { join } from "node:path";
import { build, type Metafile } from "esbuild";

/** What the package runs, by the names of its files. */
const entries = ["cli", "index", "vitest"];

/** Installed for the sake of the published types, and bundled all the same: loading it file by file takes longer. */
const onlyForTypes = ["zod"];

/** What Node does itself, and faster than what every engine can run. */
const nodesOwn = {
  "@noble/hashes/hmac.js": "./src/node/sha256.ts",
  "@noble/hashes/sha2.js": "./src/node/sha256.ts",
  "@noble/hashes/utils.js": "./src/node/sha256.ts",
};

/** For what is no ES module, and asks for Node's own alone. */
const requireForCommonJs = "const require = process.getBuiltinModule;";

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/**
 * Bundles the sources with what they import, but for the package's own dependencies. What is imported by `import()`
 * stays a file of its own, so that a start does not read it. Names and lines stay: stack traces show them.
 * @returns of what each file was made
 */
export async function bundle(root: string, manifest: Manifest): Promise<Metafile> {
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((name) => `src/node/${name}.ts`),
    // All beside one another, so that a path from import.meta.url means the same in each.
    outdir: join(root, "dist/node"),
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    external: installed.filter((name) => !onlyForTypes.includes(name)),
    alias: nodesOwn,
    banner: { js: requireForCommonJs },
    legalComments: "inline",
    metafile: true,
    logLevel: "warning",
  });
  return metafile;
}
