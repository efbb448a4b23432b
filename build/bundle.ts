import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";

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

/** Replaced because it brings Ajv, which our MCP server does not need. */
const unneeded = { "@modelcontextprotocol/server/_shims": "./src/node/mcp/shims.ts" };

/** Imported dynamically, and need little of the sandbox's code. */
const light = /node\/(command-line|client-variables|commands\/(health|wait|env|keys))\.ts$/;

/**
 * Makes every other file that is imported dynamically import the package's entry too. esbuild groups modules by the
 * entries that use them, so each entry that uses a part of the sandbox's code would split that part off: `import
 * "card-sandbox"` would load 25 files instead of 6, which adds 8 % to the processor time of import and `createSandbox()`.
 */
const keepTogether: Plugin = {
  name: "keep-together",
  setup(build) {
    const entries = new Set<string>();
    build.onResolve({ filter: /^\./ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === "resolving") return undefined;
      const resolved = await build.resolve(path, { kind, resolveDir, pluginData: "resolving" });
      if (!light.test(resolved.path)) entries.add(resolved.path);
      return resolved;
    });
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!entries.has(path)) return undefined;
      const index = JSON.stringify(join(build.initialOptions.absWorkingDir ?? "", "src/node/index.ts"));
      return { contents: `${await readFile(path, "utf8")}\nimport ${index};`, loader: "ts" };
    });
  },
};

/** For bundled CommonJS modules; they only require Node's own modules. */
const requireForCommonJs = "const require = process.getBuiltinModule;";

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, unknown>>;
}

/**
 * Bundles the sources with their imports, except the package's dependencies. A dynamic `import()` becomes a separate file,
 * so that a start does not read it. Without white space and comments, the files are 27 % smaller; names and short lines
 * keep stack traces readable.
 * @returns the inputs of each output file
 */
export async function bundle(root: string, manifest: Manifest): Promise<Metafile> {
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependenciesMeta });
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
    alias: { ...nodesOwn, ...unneeded },
    plugins: [keepTogether],
    banner: { js: requireForCommonJs },
    legalComments: "inline",
    // Stack traces have short names, but the package is 0.27 MB smaller.
    minify: true,
    lineLimit: 120,
    metafile: true,
    logLevel: "warning",
  });
  return metafile;
}
