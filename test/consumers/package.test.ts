import { writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { linksOf, llms, pages } from "../docs/pages.ts";
import { orderInProcess } from "../nodes/install.ts";
import { succeed } from "../support/command.ts";
import { cardIn, startCommandLine } from "../support/command-line.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("the package", () => {
  const packed = inject("packed");
  const folder = inject("installed");

  test("holds what runs, and nothing else, in less than 3 MB", () => {
    expect(packed.unpackedSize).toBeLessThan(3 * 1024 * 1024);
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "dist/node/cli.js",
        "dist/docs/swagger-ui-bundle.js.br",
        "schema/scenario.json",
        "schema/openapi.json",
        "LICENSE",
      ]),
    );
    expect(
      paths.filter((path) => /(^|\/)(test|src|node_modules)\/|\.map$|\.env|\.test\./.test(path)),
    ).toEqual([]);
  });

  test("holds every file that the documentation links to", () => {
    const paths = packed.files.map(({ path }) => path);
    const broken = [...pages, llms].flatMap((page) =>
      linksOf(page)
        .map((link) => normalize(join(dirname(page.path), decodeURI(link.replace(/#.*/, "")))))
        // Pictures are for readers of the repository and of npm, which takes them from there.
        .filter((target) => !target.startsWith("docs/images/"))
        .filter((target) => !paths.some((path) => path === target || path.startsWith(`${target}/`)))
        .map((target) => `${page.path}: ${target}`),
    );
    expect(paths).toEqual(expect.arrayContaining(pages.map(({ path }) => path)));
    expect(broken).toEqual([]);
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

  test("its MCP server starts", async () => {
    const cli = join(folder, "node_modules", "card-sandbox", "dist", "node", "cli.js");
    const client = new Client({ name: "agent", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [cli, "mcp"] }));
    onTestFinished(() => client.close());
    expect(client.getServerVersion()).toMatchObject({ name: "card-sandbox", version: "0.1.0" });
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

  test.each(["scenario", "fixtures"])("its schema of %s files is found by name", async (name) => {
    const code = `import schema from "card-sandbox/schema/${name}.json" with { type: "json" }; console.log(schema.type);`;
    writeFileSync(join(folder, "schema.mjs"), code);
    expect(await succeed(process.execPath, ["--no-warnings", "schema.mjs"], { cwd: folder })).toBe(
      "object\n",
    );
  });
});
