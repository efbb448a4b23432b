import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { succeed } from "../support/command.ts";
import { cardIn, startCommandLine } from "../support/command-line.ts";

const root = new URL("../..", import.meta.url).pathname;
const tsc = join(root, "node_modules", ".bin", "tsc");
const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

const orderInProcess = `
import { createSandbox } from "card-sandbox";

const sandbox = createSandbox({ clock: "2026-03-10T09:30:00Z" });
const post = async (path, body, headers) =>
  (await sandbox.fetch(\`http://sandbox\${path}\`, { method: "POST", body: JSON.stringify(body), headers })).json();
const { access_token } = await post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
const card = await post(
  "/developer/cards/physical",
  {
    account_id: sandbox.world().companies[0].accounts[0].id,
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
    delivery_method: "express",
  },
  { Authorization: \`Bearer \${access_token}\`, "Content-Type": "application/json", "Idempotency-Key": "${key}" },
);
console.log(card.status);
sandbox.close();
`;

const typed = `
import { type ContractPoint, contractPoints, createSandbox, type Sandbox, startSandbox } from "card-sandbox";

const sandbox: Sandbox = createSandbox({ seed: 7 });
const point: ContractPoint = contractPoints["order.created"];
const status: number = point.status;
const answer: Promise<Response> = sandbox.fetch("http://sandbox/developer/cards");
const url: Promise<string> = startSandbox({ port: 0 }).then((started) => started.url);
// @ts-expect-error a seed is a number
createSandbox({ seed: "7" });
sandbox.isolatedCompany({ card_quota: 2, members: [{ role: "owner" }], accounts: [{ currency: "EUR" }] });
// @ts-expect-error a company has no such field
sandbox.isolatedCompany({ quota: 2 });
export { answer, status, url };
`;

describe("the package", () => {
  const packed = inject("packed");
  const folder = inject("installed");

  test("holds what runs, and nothing else, in less than 3 MB", () => {
    expect(packed.unpackedSize).toBeLessThan(3 * 1024 * 1024);
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "dist/node/cli.js",
        "dist/docs/swagger-ui-bundle.js.gz",
        "schema/scenario.json",
        "schema/openapi.json",
        "LICENSE",
      ]),
    );
    expect(
      paths.filter((path) => /(^|\/)(test|src|node_modules)\/|\.map$|\.env|\.test\./.test(path)),
    ).toEqual([]);
  });

  test("brings nothing that reports an installation", async () => {
    const installed = await succeed("npm", ["ls", "card-sandbox", "--all"], { cwd: folder });
    expect(installed).not.toMatch(/scarf/);
  });

  test("npx runs it", async () => {
    expect(await succeed("npx", ["--no-install", "card-sandbox", "--version"], { cwd: folder })).toBe(
      "0.1.0\n",
    );
  });

  test("its command serves a sandbox that orders a card", async () => {
    const cli = join(folder, "node_modules", "card-sandbox", "dist", "node", "cli.js");
    const { url, order, child, ended } = await startCommandLine([], {}, cli);
    expect((await cardIn(await order(key))).status).toBe("active");
    for (const path of ["", "/dashboard.css", "/dashboard.js"]) {
      expect((await fetch(`${url}/_sandbox/ui${path}`)).status).toBe(200);
    }
    child.kill("SIGTERM");
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  test("JavaScript imports it", async () => {
    writeFileSync(join(folder, "order.js"), orderInProcess);
    expect(await succeed(process.execPath, ["order.js"], { cwd: folder })).toBe("active\n");
  });

  test.each(["nodenext", "bundler"])(
    "TypeScript imports it under %s, its declarations checked",
    async (resolution) => {
      writeFileSync(join(folder, "typed.ts"), typed);
      const module = resolution === "bundler" ? "esnext" : "nodenext";
      const options = ["--module", module, "--moduleResolution", resolution, "--target", "es2023"];
      await succeed(tsc, ["--strict", "--noEmit", ...options, "--ignoreConfig", "typed.ts"], { cwd: folder });
    },
  );

  test.each(["scenario", "fixtures"])("its schema of %s files is found by name", async (name) => {
    const code = `import schema from "card-sandbox/schema/${name}.json" with { type: "json" }; console.log(schema.type);`;
    writeFileSync(join(folder, "schema.mjs"), code);
    expect(await succeed(process.execPath, ["--no-warnings", "schema.mjs"], { cwd: folder })).toBe(
      "object\n",
    );
  });
});
