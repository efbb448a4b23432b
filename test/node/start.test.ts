import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readDefaultFile } from "../../src/node/fixtures-file.ts";
import { startCommandLine, temporaryFolder } from "../support/command-line.ts";

const root = new URL("../../", import.meta.url).pathname;
const defaultFile = join(root, "fixtures/default.yaml");

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

test("neither a start nor an order reads the engine's time zones, which are slow to load", async () => {
  const unread = "Intl.DateTimeFormat = class { constructor() { throw new Error('a time zone is read') } }";
  const hook = `--import=data:text/javascript,${encodeURIComponent(unread)}`;
  const sandbox = await startCommandLine([], { NODE_OPTIONS: hook });
  expect((await sandbox.order("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30")).status).toBe(201);
});
