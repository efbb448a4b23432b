import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sweepTest } from "../../../src/node/vitest.ts";
import { command } from "../../support/command.ts";
import { temporaryFolder } from "../../support/command-line.ts";
import { order } from "./client.ts";

const root = new URL("../../..", import.meta.url).pathname;

sweepTest("a client that orders with one key survives a lost response", (fixtures) => order(fixtures), {
  only: ["lost-response"],
});

sweepTest.skip("a skipped sweep does not run", () => {
  throw new Error("it runs");
});

/** Uses the built package, as a user's test does. */
const suite = `
import { sweepTest } from "card-sandbox/vitest";
import { randomUUID } from "node:crypto";

async function exchange({ sandbox, company }) {
  const body = JSON.stringify({ api_key: company.apiKey });
  const response = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", { method: "POST", body });
  return (await response.json()).access_token;
}

sweepTest("a new key for each attempt", async ({ sandbox, company }) => {
  const headers = { Authorization: "Bearer " + await exchange({ sandbox, company }), "Content-Type": "application/json" };
  const body = JSON.stringify({ account_id: company.accountId });
  const order = () => sandbox.fetch("http://sandbox/developer/cards/virtual", {
    method: "POST", headers: { ...headers, "Idempotency-Key": randomUUID() }, body,
  });
  await order().catch(order);
}, { only: ["lost-response", "orderVirtualCard"] });

sweepTest("a client that sends nothing", async () => {});
`;

test("a sweep that fails shows the requests of its cells", { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  for (const name of ["vitest"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  symlinkSync(root, join(folder, "node_modules/card-sandbox"));
  writeFileSync(join(folder, "sweep.test.mjs"), suite);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const { code, stdout, stderr } = await command(process.execPath, [vitest, "run", "--root", folder], {
    cwd: folder,
    env: { NO_COLOR: "1", CI: "true", GITHUB_ACTIONS: "" },
  });
  expect(code).toBe(1);
  expect(stdout).toContain("2 failed");
  const story = [
    "Error: 1 cell: 1 damaged",
    "orderVirtualCard #1, response lost: 2 cards for one order.",
    "POST orderVirtualCard  key A → card created, response lost",
    "POST orderVirtualCard  key B → 201",
    'Repeat: { cell: "orderVirtualCard#1:lost-response" }',
    // Where the test is, not where the sweep ends.
    "❯ sweep.test.mjs:11:1",
    "Error: the sandbox received no requests.",
  ];
  for (const line of story) expect(stderr).toContain(line);
});
