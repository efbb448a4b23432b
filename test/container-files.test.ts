import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { run } from "./support/command-line.ts";
import { composeOptions } from "./support/compose-options.ts";

const file = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const manifest = JSON.parse(file("package.json"));
const dockerfile = file("Dockerfile");
const compose = parse(file("compose.yaml"), { strict: true });
interface Locked {
  readonly version: string;
  readonly integrity: string;
}

const token = { CARD_SANDBOX_ADMIN_TOKEN: "correct-horse" };

async function help(...words: string[]): Promise<string> {
  const { output, ended } = run([...words, "--help"]);
  await ended;
  return output.stdout.replace(/\s+/g, " ");
}

test("every variable in the Dockerfile and compose.yaml belongs to an option", async () => {
  const set = new Set(`${dockerfile}\n${file("compose.yaml")}`.match(/CARD_SANDBOX_[A-Z_]+/g));
  const known = new Set((await help("start", "--all")).match(/(?<=env: )CARD_SANDBOX_[A-Z_]+/g));
  expect([...set].toSorted()).toEqual([
    "CARD_SANDBOX_ADMIN_TOKEN",
    "CARD_SANDBOX_DB",
    "CARD_SANDBOX_HOST",
    "CARD_SANDBOX_PORT",
  ]);
  expect([...set].filter((name) => !known.has(name))).toEqual([]);
});

test("exposes and publishes the port on which the server listens", async () => {
  const port = /(?<=--port <number>[^)]*default: )[0-9]+/.exec(await help("start", "--all"))?.[0];
  expect(/^EXPOSE ([0-9]+)$/m.exec(dockerfile)?.[1]).toBe(port);
  expect(composeOptions(compose.services.sandbox, token)).toContain(`${port}:${port}`);
});

test("labels the image with the package's version, unless a build argument overrides it", () => {
  expect(/^ARG VERSION=(.*)$/m.exec(dockerfile)?.[1]).toBe(manifest.version);
  expect(dockerfile).toContain(`org.opencontainers.image.version="\${VERSION}"`);
  expect(dockerfile).toContain(`org.opencontainers.image.licenses="${manifest.license}"`);
});

describe("the image's dependencies", () => {
  const own = JSON.parse(file("build/image/package.json"));
  const { packages: locked } = JSON.parse(file("build/image/package-lock.json"));
  const { packages: lockedHere } = JSON.parse(file("package-lock.json"));

  test("are the dependencies of the package, each in one version", () => {
    expect(Object.keys(own.dependencies)).toEqual(Object.keys(manifest.dependencies));
    expect(locked[""].dependencies).toEqual(own.dependencies);
    for (const [name, version] of Object.entries(own.dependencies)) {
      expect([name, locked[`node_modules/${name}`].version]).toEqual([name, version]);
    }
  });

  test("are the versions that the tests run with, except better-sqlite3", () => {
    const only = ["better-sqlite3", "node-addon-api"].map((name) => `node_modules/${name}`);
    for (const [path, { version, integrity }] of Object.entries<Locked>(locked)) {
      if (path === "" || only.includes(path)) continue;
      expect([path, lockedHere[path]]).toMatchObject([path, { version, integrity }]);
    }
    const { version } = locked["node_modules/better-sqlite3"];
    const [, range = ""] = manifest.dependencies["better-sqlite3"].split(" || ");
    const [[major, minor], [leastMajor, leastMinor]] = [version, range.slice(1)].map((each) =>
      each.split(".").map(Number),
    ) as [number[], number[]];
    expect(range).toMatch(/^\^/);
    expect(major).toBe(leastMajor);
    expect(minor).toBeGreaterThanOrEqual(leastMinor ?? 0);
  });

  test("are installed from lockfiles only, and without scripts", () => {
    expect(dockerfile).not.toMatch(/npm (install|i|add)\b/);
    const installs = dockerfile.match(/npm ci.*/g) ?? [];
    expect(installs).toHaveLength(2);
    for (const each of installs) expect(each).toContain("--ignore-scripts");
  });
});

test("pins the base image of each stage by its digest", () => {
  expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m);
  expect(new Set(dockerfile.match(/^FROM \S+/gm))).toEqual(new Set([`FROM \${NODE_IMAGE}`]));
});

test("runs as a numeric user, and group 0 can write to the volume", () => {
  expect(/^USER (.*)$/m.exec(dockerfile)?.[1]).toBe("1000:0");
  expect(dockerfile).toContain("install --directory --owner=1000 --group=0 --mode=0770 /data");
});

test("contains the entry point and the health command", async () => {
  const words = (instruction: string) =>
    JSON.parse(new RegExp(`^${instruction}.*?(\\[.*\\])$`, "m").exec(dockerfile)?.[1] ?? "[]");
  expect(words("ENTRYPOINT")).toEqual(Object.keys(manifest.bin));
  const [program, command] = words("HEALTHCHECK");
  expect([program]).toEqual(Object.keys(manifest.bin));
  expect(await help()).toContain(` ${command} `);
});

test("sends only the sources of the package to a build", () => {
  const [first, ...rest] = file(".dockerignore")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  expect(first).toBe("*");
  const sent = rest.map((line) => line.replace(/^!/, ""));
  const made = ["dist", "schema"];
  const packed = manifest.files.filter((name: string) => !name.startsWith("!") && !made.includes(name));
  const manifests = ["package.json", "package-lock.json", "tsconfig.json"];
  const sources = ["LICENSE", "README.md", "build", "src", ...manifests];
  expect(sent.toSorted()).toEqual([...packed, ...sources].toSorted());
  expect(sent.filter((name) => !existsSync(new URL(`../${name}`, import.meta.url)))).toEqual([]);
});

test("compose.yaml drops all capabilities, keeps the world, and requires a token", () => {
  const options = composeOptions(compose.services.sandbox, token).join(" ");
  expect(options).toContain("--env CARD_SANDBOX_ADMIN_TOKEN=correct-horse ");
  expect(options).toContain("--read-only --cap-drop ALL ");
  const [volume] = /(?<=--volume )\w+(?=:\/data )/.exec(options) ?? [];
  expect(Object.keys(compose.volumes)).toEqual([volume]);
  expect(() => composeOptions(compose.services.sandbox, {})).toThrow("set CARD_SANDBOX_ADMIN_TOKEN");
});
