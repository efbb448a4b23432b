import { join } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

/** The functions of zod that the sources use to make schemas. */
const functions =
  "array boolean custom discriminatedUnion enum guid int lazy literal looseObject never number object record strictObject string union unknown url".split(
    " ",
  );

/** The other exports of zod that the sources use. */
const objects =
  "globalRegistry iso NEVER ZodArray ZodDefault ZodLazy ZodObject ZodOptional ZodPipe ZodPrefault ZodTransform".split(
    " ",
  );

/** Used only by the packages that are bundled. */
const furtherExports =
  "any coerce email intersection null optional preprocess registry safeParse toJSONSchema ZodIssueCode".split(
    " ",
  );

const runtime = "./src/node/lazy-zod.ts";

/**
 * Replaces zod by `src/node/lazy-zod.ts` in the sources. Bundled packages and the MCP server, which is loaded on demand, get
 * zod itself, which is bundled once, by `bundleZod`.
 */
export const lazyZod: Plugin = {
  name: "lazy-zod",
  setup({ onResolve, onLoad, initialOptions: { absWorkingDir: resolveDir = "" } }) {
    const namespace = "lazy-zod";
    onResolve({ filter: /^zod(\/v4(\/core)?)?$/ }, ({ importer }) => {
      return { path: /node_modules|src.node.mcp/.test(importer) ? "zod" : "build/lazy-zod.ts", namespace };
    });
    onResolve({ filter: /^zod-openapi$/ }, ({ namespace: from }) => {
      return from === namespace ? undefined : { path: "zod-openapi", namespace };
    });
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: contents[path] ?? "", resolveDir }));
  },
};

const contents: Readonly<Record<string, string>> = {
  zod: [
    `import { loadZod } from "${runtime}";`,
    ...exporting([...functions, ...objects, ...furtherExports], (name) => `loadZod().${name}`),
  ].join("\n"),
  "build/lazy-zod.ts": [
    `import { lazyFunction, lazyObject } from "${runtime}";`,
    ...exporting(functions, (name) => `lazyFunction("${name}")`),
    ...exporting(objects, (name) => `lazyObject("${name}")`),
  ].join("\n"),
  "zod-openapi": `
    import { createDocument as create } from "zod-openapi";
    import { realOf } from "${runtime}";
    export const createDocument = (document, options) => create(realOf(document), options);`,
};

/** Some names are keywords. */
function exporting(names: readonly string[], value: (name: string) => string): string[] {
  return names.map((name) => `const $${name} = ${value(name)}; export { $${name} as ${name} };`);
}

/** Bundles zod into one CommonJS file, with short names: 105 kB instead of 147. */
export async function bundleZod(root: string, options: BuildOptions): Promise<Metafile> {
  const names = [...functions, ...objects, ...furtherExports].join(", ");
  const { metafile } = await build({
    ...options,
    stdin: { contents: `export { ${names} } from "zod";`, resolveDir: root },
    outfile: join(root, "dist/node/zod.cjs"),
    format: "cjs",
    minifyIdentifiers: true,
    metafile: true,
  });
  return metafile;
}
