import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const src = new URL("../src", import.meta.url).pathname;

/**
 * The layers from the bottom up. A layer may import itself and every layer below it; `sandbox` and `index` are the files
 * at the top of src, where `sandbox` stands for api.ts, base-url.ts and sandbox.ts.
 */
const layers = [
  "contract",
  "rules",
  "store",
  "runtime",
  "access",
  "webhooks",
  "cards",
  "payments",
  "world",
  "scenarios",
  "journal",
  "http",
  "control",
  "dashboard",
  "sandbox",
  "tape",
  "sweep",
  "verify",
  "index",
  "node",
];

/** Layers that may not import each other although they have a place in the order. */
const strangers = [
  ["control", "http"],
  ["dashboard", "http"],
];

/** The packages that a layer may import, each of which runs on any engine with web standards. */
const packages: Record<string, readonly string[]> = {
  contract: ["zod", "zod-openapi"],
  rules: ["zod", "@noble/hashes", "@scure/base", "leven"],
  webhooks: ["standardwebhooks", "@scure/base"],
  world: ["zod"],
  scenarios: ["zod", "yaml"],
  journal: ["quick-lru"],
  http: ["zod", "hono", "@noble/hashes", "@scure/base"],
  control: ["zod", "zod-openapi", "hono", "temporal-polyfill"],
  dashboard: ["zod", "hono"],
  sandbox: ["zod"],
  tape: ["@noble/hashes", "@scure/base", "quick-lru"],
  sweep: [],
  verify: ["zod"],
};

/**
 * What only the edge may do: touch Node, name the clock, or draw chance. That nothing outside it uses a global
 * of Node's is the compiler's to say, in tsconfig.portable.json.
 */
const edgeOnly: readonly (readonly [RegExp, string])[] = [
  [/\brequire\(/, "requires"],
  [/\b__dirname\b|\b__filename\b|\bimport\.meta\b/, "asks where it lies"],
  [/\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^)\s])|\bDate\(\s*\)|\bperformance\.now\b/, "names the clock"],
  [/\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/, "draws chance"],
];

function layerOf(path: string): string {
  const top = path.split("/")[0]?.replace(/\.ts$/, "") ?? "";
  return top === "api" || top === "base-url" ? "sandbox" : top;
}

/** What a source file does that its place forbids. `path` is relative to src. */
function violations(path: string, text: string): string[] {
  const layer = layerOf(path);
  if (!layers.includes(layer)) return [`${path}: src has no layer named ${layer}`];
  // Comments go, and with them whole lines only: "/developer/*" is no comment.
  const code = text.replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, "").replace(/(^|\s)\/\/ .*$/gm, "");
  const found: string[] = [];
  for (const [, specifier = ""] of code.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)) {
    const target = layerOf(join(path, "..", specifier));
    const isAbove = layers.indexOf(target) > layers.indexOf(layer);
    const isStranger = strangers.some(([from, to]) => layer === from && target === to);
    if (isAbove || isStranger) found.push(`${path}: ${layer} imports ${target}`);
  }
  if (layer === "node") return found;
  for (const [, specifier = ""] of code.matchAll(/(?:from|import)\s*\(?\s*["']([^."'][^"']*)["']/g)) {
    const allowed = packages[layer] ?? [];
    const isAllowed = allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`));
    if (!isAllowed) found.push(`${path}: ${layer} imports ${specifier}`);
  }
  for (const [pattern, what] of edgeOnly) if (pattern.test(code)) found.push(`${path}: ${what}`);
  return found;
}

describe("imports follow the layers, and only the outer layers use Node, time and randomness", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );

  test("the check reads the sources", () => expect(files.length).toBeGreaterThan(40));

  test.each(files)("src/%s", (file) => {
    expect(violations(relative(src, join(src, file)), readFileSync(join(src, file), "utf8"))).toEqual([]);
  });

  test.each([
    ["rules/a.ts", 'import { b } from "../store/b.ts";', "rules imports store"],
    ["contract/a.ts", 'import type { B } from "../rules/b.ts";', "contract imports rules"],
    ["store/a.ts", 'export * from "../http/b.ts";', "store imports http"],
    ["control/a.ts", 'import { b } from "../http/b.ts";', "control imports http"],
    ["http/routes/a.ts", 'import { b } from "../../node/b.ts";', "http imports node"],
    ["sandbox.ts", 'const b = await import("./node/b.ts");', "sandbox imports node"],
    ["cards/a.ts", 'import { readFileSync } from "node:fs";', "imports node:fs"],
    ["cards/a.ts", 'import { readFileSync } from "fs";', "imports fs"],
    ["cards/a.ts", 'import "node:fs";', "imports node:fs"],
    ["cards/a.ts", 'import { Command } from "commander";', "imports commander"],
    ["cards/a.ts", 'import { Hono } from "hono";', "cards imports hono"],
    ["http/a.ts", 'import { serve } from "@hono/node-server";', "imports @hono/node-server"],
    ["cards/a.ts", "const now = new Date;", "names the clock"],
    ["cards/a.ts", 'const yaml = require("yaml");', "requires"],
    ["store/a.ts", 'import Sqlite from "better-sqlite3";', "imports better-sqlite3"],
    [
      "http/a.ts",
      'app.use("/developer/*");\nconst now = Date.now();\n/** Late. */\nconst a = 1;',
      "names the clock",
    ],
    ["cards/a.ts", "const now = Date.now();", "names the clock"],
    ["cards/a.ts", "const now = new Date();", "names the clock"],
    ["http/a.ts", "const id = crypto.randomUUID();", "draws chance"],
    ["shed/a.ts", "", "no layer named shed"],
  ])("reports a violation: %s with %s", (path, text, breach) => {
    expect(violations(path, text).join()).toContain(breach);
  });
});
