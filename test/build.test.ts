import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { thirdPartyNotice } from "../build/third-party.ts";
import { temporaryFolder } from "./support/command-line.ts";

const root = new URL("..", import.meta.url).pathname;
const dist = join(root, "dist");
const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const texts = readdirSync(dist, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(js|d\.ts)$/.test(name) && !name.startsWith("dashboard/files/"))
  .map((name) => ({ path: join(dist, name), text: readFileSync(join(dist, name), "utf8") }));

/** What a text imports, in whichever way. */
function importsOf(text: string): string[] {
  const found = text.matchAll(
    /^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"|\b(?:import|require|url\))\("([^"]+)"\)/gm,
  );
  return [...found].map(([, from, bare, called]) => from ?? bare ?? called ?? "");
}

describe("what the build publishes", () => {
  test("imports what is installed with it, and all of that", () => {
    const names = texts
      .flatMap(({ text }) => importsOf(text))
      .filter((name) => !name.startsWith(".") && !name.startsWith("node:"))
      .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0]);
    expect([...new Set(names)].toSorted()).toEqual(
      Object.keys({ ...dependencies, ...peerDependencies }).toSorted(),
    );
  });

  test("is whole: each file beside it that it imports is there", () => {
    const missing = texts.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((name) => name.startsWith("."))
        .map((name) =>
          resolve(dirname(path), path.endsWith(".d.ts") ? name.replace(/\.[jt]sx?$/, ".d.ts") : name),
        )
        .filter((file) => !existsSync(file)),
    );
    expect(missing).toEqual([]);
  });

  test("brings the licence of each package that is bundled", () => {
    const notice = readFileSync(join(dist, "THIRD-PARTY.md"), "utf8");
    const bundled = texts.flatMap(
      ({ text }) => text.match(/(?<=^\/\/ node_modules\/)(@[^/]+\/)?[^/]+/gm) ?? [],
    );
    const named = notice.match(/(?<=^## )\S+(?= [0-9.]+ \()/gm) ?? [];
    expect([...new Set(bundled)].toSorted()).toEqual(named.toSorted());
    expect(notice.match(/Permission is hereby granted/g)).toHaveLength(named.length);
  });

  test("bundles no package that keeps no licence with it", () => {
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
