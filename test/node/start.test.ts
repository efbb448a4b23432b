import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import module from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Metafile } from "esbuild";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { readDefaultFile } from "../../src/node/input-files.ts";
import { hmac, sha256, utf8ToBytes } from "../../src/node/sha256.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { hashOfSecret, seededRandom } from "../../src/rules/random.ts";
import { startCommandLine, temporaryFolder } from "../support/command-line.ts";

const root = new URL("../../", import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { outputs }: Metafile = JSON.parse(readFileSync(join(root, "dist/bundle.json"), "utf8"));
const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const defaultFile = join(root, "fixtures/default.yaml");
const dist = pathToFileURL(join(root, "dist")).href;

describe("the default world in dist/", () => {
  test("equals its YAML file", () => {
    const built = JSON.parse(readFileSync(join(root, "dist/default-world.json"), "utf8"));
    expect(built).toEqual(readDefaultFile());
  });

  test("is the same for a database as the file given by --fixtures", async () => {
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

test("the hash functions of Node, which the build uses, equal the portable ones", () => {
  const texts = ["", "sk_sandbox_northwind_owner", "é".repeat(100), "\ud800 alone", "€😀".repeat(5000)];
  expect(texts.map((text) => sha256(utf8ToBytes(text)))).toEqual(texts.map(hashOfSecret));
  const privateSecret = "a".repeat(43);
  expect(hmac(sha256, utf8ToBytes(privateSecret), utf8ToBytes("1/access_token/a-company/7"))).toEqual(
    seededRandom(1, privateSecret).secret("access_token", "a-company", 7),
  );
});

/** Records each module that is imported or required in the file LOADED_MODULES. */
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

const hook = `--import=data:text/javascript,${encodeURIComponent(noteLoaded)}`;

/** The files of dist/, their sources, and the dependencies in a list of `noteLoaded`. */
function loaded(list: string): { files: string[]; sources: string[]; installed: string[] } {
  const modules = readFileSync(list, "utf8").trimEnd().split("\n");
  const files = modules.filter((url) => url.startsWith(dist)).map((url) => fileURLToPath(url));
  const sources = files.flatMap((file) => Object.keys(outputs[relative(root, file)]?.inputs ?? {}));
  const installed = Object.keys(manifest.dependencies).filter((name) =>
    modules.some((module) => module === name || module.includes(`/node_modules/${name}/`)),
  );
  return { files, sources, installed };
}

const createInProcess = `
  const before = process.moduleLoadList.length;
  const { createSandbox } = await import("${dist}/node/index.js");
  createSandbox();
  setImmediate(() => console.log(process.moduleLoadList.slice(before).join("\\n")));`;

test("import and createSandbox() load few files, no HTTP, and only SQLite of the dependencies", async () => {
  const list = join(temporaryFolder(), "loaded");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [hook, "--input-type=module", "--eval", createInProcess],
    { env: { ...process.env, LOADED_MODULES: list } },
  );
  const builtins = stdout.trimEnd().split("\n");
  expect(builtins).toContain("NativeModule crypto");
  expect(builtins.filter((name) => /undici|http|tls|zlib/.test(name))).toEqual([]);
  const { files, sources, installed } = loaded(list);
  expect(files.length).toBeLessThan(10);
  const needless = [
    /^node_modules\/(@hono|commander|@noble)\//,
    /^src\/(dashboard|http\/routes)\//,
    /\/openapi\//,
    /^src\/node\/(commands|exec|listen|request-)/,
  ];
  expect(sources).toContain("src/world/open-world.ts");
  expect(sources.filter((source) => needless.some((some) => some.test(source)))).toEqual([]);
  expect(installed).toEqual(["better-sqlite3"]);
});

test("requests before the HTTP code is loaded are handled in their order", async () => {
  const sandbox = createSandbox();
  const paths = ["/a", "/b", "/c"];
  const responses = await Promise.all(paths.map((path) => sandbox.fetch(`http://sandbox${path}`)));
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  const { requests } = sandbox.requests.list();
  expect(requests.map(({ path }) => path).toReversed()).toEqual(paths);
  sandbox.close();
});

test("a server whose code for requests cannot be loaded says so to each, and runs on", async () => {
  vi.doMock("../../src/node/server/request-listener.ts", () => {
    throw new Error("not there");
  });
  onTestFinished(() => void vi.doUnmock("../../src/node/server/request-listener.ts"));
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const responses = await Promise.all([1, 2].map(() => fetch(`${sandbox.url}/_sandbox/health`)));
  expect(responses.map(({ status }) => status)).toEqual([500, 500]);
  expect(await responses[0]?.text()).toMatch(/^card-sandbox: /);
});

describe("a start with one order", () => {
  test("loads few files, and only SQLite of the dependencies", async () => {
    const list = join(temporaryFolder(), "loaded");
    const sandbox = await startCommandLine([], { NODE_OPTIONS: hook, LOADED_MODULES: list });
    // Before the first request, when an installation may have replaced the files.
    const needed = ["src/base-url.ts", "src/node/server/request-listener.ts", "src/http/app.ts"];
    await vi.waitFor(() => expect(loaded(list).sources).toEqual(expect.arrayContaining(needed)));
    expect((await sandbox.order(key)).status).toBe(201);
    const { files, sources, installed } = loaded(list);
    expect(files.length).toBeLessThan(24);
    const needless = [
      /^node_modules\/@noble\/hashes\//,
      /^src\/contract\/openapi\//,
      /^src\/dashboard\/(?!paths\.ts)/,
      /^src\/node\/watch-inputs\.ts/,
      /^src\/node\/commands\/(exec|wait|health|env|keys|scenarios|contract|validate|init)\.ts/,
    ];
    expect(sources).toContain("src/cards/order.ts");
    expect(sources).toContain("src/node/sha256.ts");
    expect(sources.filter((source) => needless.some((some) => some.test(source)))).toEqual([]);
    expect(installed).toEqual(["better-sqlite3"]);
  });

  test("does not load the time zones of the engine, which are slow", async () => {
    const unread = "Intl.DateTimeFormat = class { constructor() { throw new Error('a time zone is read') } }";
    const hook = `--import=data:text/javascript,${encodeURIComponent(unread)}`;
    const sandbox = await startCommandLine([], { NODE_OPTIONS: hook });
    expect((await sandbox.order(key)).status).toBe(201);
  });
});

test.skipIf(!("enableCompileCache" in module))(
  "caches the compiled code for the next start, if Node supports it",
  async () => {
    const folder = temporaryFolder();
    const env = { TMPDIR: folder, NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };
    const { child, ended } = await startCommandLine([], env);
    child.kill("SIGTERM");
    await ended;
    expect(readdirSync(join(folder, "node-compile-cache"), { recursive: true }).length).toBeGreaterThan(10);
  },
);
