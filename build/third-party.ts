import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

interface Inlined {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** What its licence asks to be kept with every copy. */
  readonly terms: string;
}

/**
 * The notice of what is bundled and not our own: each package with its version and its licence.
 * @throws Error where a package keeps no licence with it: it cannot be bundled
 */
export function thirdPartyNotice(root: string, { outputs }: Metafile): string {
  const inlined = [...inlinedFolders(outputs)].toSorted().map((folder) => readInlined(join(root, folder)));
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
