import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** A package whose code or data is in dist/. */
interface Inlined {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The text of its licence file. */
  readonly terms: string;
}

/**
 * The notice of the packages that are bundled or copied, each with its version and licence. Our own code, because
 * esbuild-plugin-license bundles 250 kB of tools for these lines and had its last release in 2024.
 * @param copied - the folders of packages whose data is in src/
 * @throws Error if a package has no licence file: it must not be bundled
 */
export function thirdPartyNotice(
  root: string,
  { outputs }: Metafile,
  copied: readonly string[] = [],
): string {
  const inlined = [...inlinedFolders(outputs), ...copied]
    .toSorted()
    .map((folder) => readInlined(join(root, folder)));
  const sections = inlined.map(
    ({ name, version, license, terms }) => `## ${name} ${version} (${license})\n\n${terms.trim()}\n`,
  );
  return `# What dist/ holds of others\n\n${sections.join("\n")}`;
}

function inlinedFolders(outputs: Metafile["outputs"]): Set<string> {
  const paths = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return new Set(paths.flatMap((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
}

function readInlined(folder: string): Inlined {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.md|\.txt)?$/i.test(name));
  if (file === undefined) {
    throw new Error(
      `${name} keeps no licence in its folder: make it a dependency, so that it is not bundled`,
    );
  }
  return { name, version, license, terms: readFileSync(join(folder, file), "utf8") };
}
