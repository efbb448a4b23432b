import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { succeed } from "../support/command.ts";
import { startCommandLine, temporaryFolder } from "../support/command-line.ts";

const client = new URL("./generated-client", import.meta.url).pathname;
const document = new URL("../../schema/openapi.json", import.meta.url).pathname;

test("a client that is generated from the OpenAPI document compiles, and orders a card", async () => {
  const folder = temporaryFolder();
  for (const file of ["package.json", "package-lock.json", "tsconfig.json", "order-a-card.ts"]) {
    cpSync(join(client, file), join(folder, file));
  }
  const bin = (name: string) => join(folder, "node_modules", ".bin", name);
  await succeed("npm", ["ci", "--ignore-scripts"], { cwd: folder });
  await succeed(bin("openapi-typescript"), [document, "--output", "service.d.ts"], { cwd: folder });
  await succeed(bin("tsc"), [], { cwd: folder });

  const { url } = await startCommandLine();
  const printed = await succeed(
    process.execPath,
    [join(folder, "built", "order-a-card.js"), url, "sk_sandbox_northwind_owner"],
    { cwd: folder },
  );
  const { made, shown, status, limit } = JSON.parse(printed);
  expect(shown).toBe(made);
  expect({ status, limit }).toEqual({ status: "active", limit: "250.00" });
});
