import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run, temporaryFolder } from "../support/command-line.ts";

/** Answers one order of a hundred with 500. */
const carelessSandbox = `
const { createServer } = require("node:http");
const answers = {
  "/_sandbox/companies": { id: "c", members: [{ api_keys: [{ secret: "k" }] }], accounts: [{ id: "a" }] },
  "/auth/v1/sandbox/token": { access_token: "t" },
};
let orders = 0;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const isOrder = request.url === "/developer/cards/physical";
    response.statusCode = isOrder ? (++orders % 100 === 0 ? 500 : 201) : 200;
    response.setHeader("Sandbox-Contract-Point", "order.created; provenance=specified");
    response.end(JSON.stringify(answers[request.url] ?? {}));
  });
});
if (process.argv.includes("--help")) process.exit();
server.listen(0, "127.0.0.1", () => {
  console.log("Sandbox base address  http://127.0.0.1:" + server.address().port + "\\nReady.");
});`;

const root = new URL("../../", import.meta.url).pathname;

async function bench(...args: string[]) {
  const harness = [join(root, "bench/bench.ts"), "--rounds", "1", "--seconds", "0.2", ...args];
  const { output, ended } = run(harness, {}, join(root, "node_modules/tsx/dist/cli.mjs"));
  const { code } = await ended;
  const line = (...parts: string[]) =>
    output.stdout.split("\n").find((line) => parts.every((part) => line.includes(part)));
  return { code, output, line };
}

test("an order is measured beside both floors", async () => {
  const { code, output, line } = await bench("--only", "order");
  expect(code, output.stderr).toBe(0);
  for (const title of ["A: `node:http` alone", "B: the same by Hono", "order a card, in memory"]) {
    const cells = line(`| ${title}`)?.split(" | ") ?? [];
    expect(Number(cells[2]?.replaceAll(",", "")), output.stdout).toBeGreaterThan(0);
  }
});

test("an answer that is not the expected one is told of, and fails the run", async () => {
  const folder = join(temporaryFolder(), "careless");
  mkdirSync(join(folder, "dist/node"), { recursive: true });
  writeFileSync(join(folder, "dist/node/cli.js"), carelessSandbox);
  const { code, output, line } = await bench("--only", "order", "--only", "order-durable", "--dir", folder);
  expect(code, output.stderr).toBe(1);
  expect(line("| order a card, in memory", "| careless |")).toMatch(
    /\*\*wrong\*\*: \d+ × 500 in place of 201/,
  );
  expect(line("| order a card, in memory", "| this |")).not.toContain("wrong");
  expect(line("- not measured (careless)")).toContain("this build has no `--durability`");
});

test("a missed goal is told of, and fails the run with --strict alone", async () => {
  const [plain, strict] = [await bench("--only", "reset"), await bench("--only", "reset", "--strict")];
  expect(plain.code, plain.output.stderr).toBe(0);
  const outcome = (of: typeof plain) =>
    of.line("| reset of the default world | ≤ 1 ms |")?.split(" | ").at(-1);
  expect(outcome(plain)).toMatch(/^(met|missed) \|$/);
  expect(strict.code, strict.output.stdout).toBe(outcome(strict) === "missed |" ? 1 : 0);
});
