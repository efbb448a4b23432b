import { join } from "node:path";
import { build, type Metafile } from "esbuild";

/** The entry files of the package. */
const entries = ["cli", "index", "vitest"];

/** Installed for the published types, but also bundled, because loading it file by file takes longer. */
const onlyForTypes = ["zod"];

/** Packages for every engine, replaced by Node's own faster functions. */
const nodesOwn = {
  "@noble/hashes/hmac.js": "./src/node/sha256.ts",
  "@noble/hashes/sha2.js": "./src/node/sha256.ts",
  "@noble/hashes/utils.js": "./src/node/sha256.ts",
};

/** For bundled CommonJS modules; they only require Node's own modules. */
const requireForCommonJs = "const require = process.getBuiltinModule;";

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/**
 * Bundles the sources with their imports, except the package's dependencies. A dynamic `import()` becomes a separate file,
 * so that a start does not read it. The code is not minified, so that stack traces show names and lines.
 * @returns the inputs of each output file
 */
export async function bundle(root: string, manifest: Manifest): Promise<Metafile> {
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((name) => `src/node/${name}.ts`),
    // All in one folder, so that a path relative to import.meta.url is the same in each file.
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
