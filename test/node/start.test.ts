import { readdirSync, readFileSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { readDefaultFile } from "../../src/node/input-files.ts";
import { hmac, sha256, utf8ToBytes } from "../../src/node/sha256.ts";
import { hashOfSecret, seededRandom } from "../../src/rules/random.ts";
import { startCommandLine, temporaryFolder } from "../support/command-line.ts";

const root = new URL("../../", import.meta.url).pathname;
const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const defaultFile = join(root, "fixtures/default.yaml");
const dist = pathToFileURL(join(root, "dist")).href;

describe("the default world as the build keeps it", () => {
  test("is what its file says: npm run build writes it", () => {
    const built = JSON.parse(readFileSync(join(root, "dist/default-world.json"), "utf8"));
    expect(built).toEqual(readDefaultFile());
  });

  test("is the same world to a database as the file by its name", async () => {
    const file = join(temporaryFolder(), "sandbox.db");
    const unnamed = await startCommandLine(["--db", file]);
    const world = await unnamed.world();
    unnamed.child.kill("SIGTERM");
    await unnamed.ended;
    const named = await startCommandLine(["--db", file, "--fixtures", defaultFile]);
    expect(await named.world()).toEqual(world);
    const fresh = await startCommandLine(["--fixtures", defaultFile]);
    expect(await fresh.world()).toEqual(world);
  });
});

test("Node's own hash, which the build puts in place of the portable one, is the same", () => {
  const texts = ["", "sk_sandbox_northwind_owner", "é".repeat(100), "\ud800 alone", "€😀".repeat(5000)];
  expect(texts.map((text) => sha256(utf8ToBytes(text)))).toEqual(texts.map(hashOfSecret));
  const privateSecret = "a".repeat(43);
  expect(hmac(sha256, utf8ToBytes(privateSecret), utf8ToBytes("1/access_token/a-company/7"))).toEqual(
    seededRandom(1, privateSecret).secret("access_token", "a-company", 7),
  );
});

/** Notes each module that is imported or required, in the file that LOADED_MODULES names. */
const noteLoaded = `
  import { appendFileSync } from "node:fs";
  import { Module, register } from "node:module";
  const file = process.env.LOADED_MODULES;
  register("data:text/javascript," + encodeURIComponent(\`
    import { appendFileSync } from "node:fs";
    export function load(url, context, next) {
      appendFileSync(\${JSON.stringify(file)}, url + "\\\\n");
      return next(url, context);
    }\`));
  const load = Module._load;
  Module._load = (request, ...rest) => {
    appendFileSync(file, request + "\\n");
    return load(request, ...rest);
  };`;

describe("a start and an order", () => {
  async function loaded(): Promise<{ modules: string[]; files: string[]; sources: string[] }> {
    const list = join(temporaryFolder(), "loaded");
    const hook = `--import=data:text/javascript,${encodeURIComponent(noteLoaded)}`;
    const sandbox = await startCommandLine([], { NODE_OPTIONS: hook, LOADED_MODULES: list });
    expect((await sandbox.order(key)).status).toBe(201);
    const modules = readFileSync(list, "utf8").trimEnd().split("\n");
    const files = modules.filter((url) => url.startsWith(dist)).map((url) => fileURLToPath(url));
    // The bundler says above each part of which source it is.
    const sources = files.flatMap(
      (file) => readFileSync(file, "utf8").match(/(?<=^\/\/ )(src|node_modules)\/\S+$/gm) ?? [],
    );
    return { modules, files, sources };
  }

  test("load a few files, and of what is installed SQLite alone", async () => {
    const { modules, files, sources } = await loaded();
    expect(files.length).toBeLessThan(32);
    const needless = [
      /^node_modules\/@noble\/hashes\//,
      /^src\/contract\/openapi\//,
      /^src\/dashboard\/(?!paths\.ts)/,
      /^src\/node\/commands\/(exec|wait|health|env|keys|scenarios|contract|validate)\.ts/,
    ];
    expect(sources).toContain("src/cards/order.ts");
    expect(sources).toContain("src/node/sha256.ts");
    expect(sources.filter((source) => needless.some((some) => some.test(source)))).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const installed = Object.keys(dependencies).filter((name) =>
      modules.some((module) => module === name || module.includes(`/node_modules/${name}/`)),
    );
    expect(installed).toEqual(["better-sqlite3"]);
  });

  test("read no time zone of the engine's, which are slow to load", async () => {
    const unread = "Intl.DateTimeFormat = class { constructor() { throw new Error('a time zone is read') } }";
    const hook = `--import=data:text/javascript,${encodeURIComponent(unread)}`;
    const sandbox = await startCommandLine([], { NODE_OPTIONS: hook });
    expect((await sandbox.order(key)).status).toBe(201);
  });
});

test.skipIf(!("enableCompileCache" in module))(
  "what a start compiled is kept for the next, where Node can",
  async () => {
    const folder = temporaryFolder();
    const env = { TMPDIR: folder, NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };
    const { child, ended } = await startCommandLine([], env);
    child.kill("SIGTERM");
    await ended;
    expect(readdirSync(join(folder, "node-compile-cache"), { recursive: true }).length).toBeGreaterThan(10);
  },
);
