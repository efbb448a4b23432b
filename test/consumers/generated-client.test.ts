import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { succeed } from "../support/command.ts";
import { startCommandLine } from "../support/command-line.ts";

const client = new URL("./generated-client", import.meta.url).pathname;
const schema = (name: string) => new URL(`../../schema/${name}.json`, import.meta.url).pathname;
const sources = ["order-a-card.ts", "control-the-sandbox.ts"];

const folder = mkdtempSync(join(tmpdir(), "card-sandbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Generates a client from each OpenAPI document, and compiles the programs that use them. */
beforeAll(async () => {
  for (const file of ["package.json", "package-lock.json", "tsconfig.json", ...sources]) {
    cpSync(join(client, file), join(folder, file));
  }
  const bin = (name: string) => join(folder, "node_modules", ".bin", name);
  await succeed("npm", ["ci", "--ignore-scripts"], { cwd: folder });
  for (const [name, types] of [
    ["openapi", "service.d.ts"],
    ["control", "control.d.ts"],
  ] as const) {
    await succeed(bin("openapi-typescript"), [schema(name), "--output", types], { cwd: folder });
  }
  await succeed(bin("tsc"), [], { cwd: folder });
}, 600_000);

const run = async (program: string, ...args: string[]) =>
  JSON.parse(await succeed(process.execPath, [join(folder, "built", program), ...args], { cwd: folder }));

test("a client that is generated from the OpenAPI document of the service orders a card", async () => {
  const { url } = await startCommandLine();
  const { made, shown, status, limit } = await run("order-a-card.js", url, "sk_sandbox_northwind_owner");
  expect(shown).toBe(made);
  expect({ status, limit }).toEqual({ status: "active", limit: "250.00" });
});

test("a client that is generated from the OpenAPI document of the control API controls a sandbox", async () => {
  const { url } = await startCommandLine();
  expect(await run("control-the-sandbox.js", url)).toEqual({
    currency: "EUR",
    times: 1,
    exchange: 200,
    recorded: ["token.issued"],
    frozen: false,
    refused: [404, expect.stringContaining('no company has the id or slug "live/nobody"')],
    deleted: 204,
  });
});
