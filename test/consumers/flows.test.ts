import { expect, test } from "vitest";
import { command } from "../support/command.ts";
import { startCommandLine } from "../support/command-line.ts";

const root = new URL("../..", import.meta.url).pathname;

test("the flows of arazzo.yaml run against a sandbox, and its answers fit the OpenAPI document", async () => {
  const { url } = await startCommandLine();
  const { code, stdout, stderr } = await command(
    `${root}/node_modules/.bin/redocly`,
    ["respect", "arazzo.yaml", "--server", `service=${url}`],
    { cwd: root, env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" } },
  );
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain("Workflows: 4 passed, 4 total");
});
