import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rows } from "../../bench/rows.ts";
import { run, temporaryFolder } from "../support/command-line.ts";

/** Returns 500 for one order of a hundred, and for the first after a reset, which the bench reads as a whole. */
const faultySandbox = `
const { createServer } = require("node:http");
const bodies = {
  "/_sandbox/companies": { members: [{ api_keys: [{ secret: "k" }] }], accounts: [{ id: "a" }] },
  "/auth/v1/sandbox/token": { access_token: "t" },
};
let orders = 0;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const isOrder = request.url === "/developer/cards/physical";
    if (request.url === "/_sandbox/reset") orders = 0;
    response.statusCode = isOrder && orders++ % 100 === 0 ? 500 : isOrder ? 201 : 200;
    response.setHeader("Sandbox-Contract-Point", "order.created; provenance=specified");
    response.end(JSON.stringify(bodies[request.url] ?? {}));
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log("Sandbox base URL  http://127.0.0.1:" + server.address().port + "\\nReady.");
});`;

const root = new URL("../../", import.meta.url).pathname;

async function bench(...args: string[]) {
  const script = [join(root, "bench/bench.ts"), "--rounds", "1", "--seconds", "1", ...args];
  const { output, ended } = run(script, {}, join(root, "node_modules/tsx/dist/cli.mjs"));
  const { code } = await ended;
  const line = (...parts: string[]) =>
    `${output.stdout}\n${output.stderr}`
      .split("\n")
      .find((line) => parts.every((part) => line.includes(part)));
  return { code, output, line };
}

test("measures every row, and both baselines", async () => {
  const { code, output, line } = await bench("--quick");
  expect(code, output.stderr).toBe(0);
  const titles = [
    "A: `node:http` alone, a constant card",
    "B: the same by Hono and its Node adapter",
    ...rows.map(({ title }) => title),
  ];
  for (const title of titles) {
    const cells = line(`| ${title} |`)?.split(" | ") ?? [];
    expect(Number(cells[2]?.replaceAll(",", "")), `${title}\n${output.stdout}`).toBeGreaterThan(0);
  }
  expect(line("| card-sandbox (this) |")).toBeDefined();
});

test("an unexpected status code is shown beside its row, and fails the run", async () => {
  const folder = join(temporaryFolder(), "faulty");
  mkdirSync(join(folder, "dist/node"), { recursive: true });
  writeFileSync(join(folder, "dist/node/cli.js"), faultySandbox);
  const { code, output, line } = await bench("--only", "order", "--dir", folder);
  expect(code, output.stderr).toBe(1);
  expect(line("| order a card, in memory", "/faulty |"), output.stderr).toMatch(
    /\*\*wrong\*\*: returned 500 without .*; \d+ × 500 instead of 201/,
  );
  expect(line("| order a card, in memory", "| this |")).not.toContain("wrong");
});

test("a missed goal is shown, and fails the run only with --strict", async () => {
  const [plain, strict] = [await bench("--only", "reset"), await bench("--only", "reset", "--strict")];
  expect(plain.code, plain.output.stderr).toBe(0);
  const outcome = (of: typeof plain) =>
    of.line("| p50 of a reset of the default world | ≤ 1 ms |")?.split(" | ").at(-1);
  expect(outcome(plain)).toMatch(/^(met|missed) \|$/);
  expect(strict.code, strict.output.stdout).toBe(outcome(strict) === "missed |" ? 1 : 0);
});
