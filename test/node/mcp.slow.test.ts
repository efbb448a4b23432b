import { spawnSync } from "node:child_process";
import { Client, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { toolNames } from "../../src/node/mcp/tools.ts";
import { cli, freePort, startCommandLine } from "../support/command-line.ts";

/** Starts the built command line as an agent does, with its own environment and the given variables. */
async function startAgent(
  args: readonly string[],
  env: Record<string, string> = {},
  mode: VersionNegotiationMode = "legacy",
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "mcp", ...args],
    env,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (text) => {
    stderr += text;
  });
  const client = new Client({ name: "agent", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    return { isError, text: (content as { text: string }[])[0]?.text ?? "" };
  };
  return { client, call, stderr: () => stderr };
}

test.each([
  ["2025-11-25", "legacy"],
  ["2026-07-28", { pin: "2026-07-28" }],
] as const)(
  "serves an agent over stdio with protocol %s, which arms a scenario and asks why an order failed",
  async (version, mode) => {
    const { url, order } = await startCommandLine();
    const { client, call, stderr } = await startAgent([], { CARD_SANDBOX_URL: url }, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(toolNames);
    expect(await call("arm_scenario", { name: "issuer-unavailable", times: 1 })).toMatchObject({
      isError: false,
    });
    expect((await order("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30")).status).toBe(503);
    expect(JSON.parse((await call("explain_request")).text)).toMatchObject({
      decided_by: { point: "order.issuer_unavailable" },
      scenario: { name: "issuer-unavailable" },
    });
    expect(await call("arm_scenario", { name: "issuer-down" })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^unknown scenario "issuer-down"/),
    });
    expect(await call("get_world", { limit: "all" })).toMatchObject({
      isError: true,
      text: expect.stringContaining('limit: must be an integer from 1 to 50, but is "all"'),
    });
    expect(stderr()).toBe("");
  },
);

test("starts before its sandbox, and takes the admin token from its environment", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const withoutToken = await startAgent([url]);
  const withToken = await startAgent([url], { CARD_SANDBOX_ADMIN_TOKEN: "correct-horse" });
  expect(await withToken.call("get_findings")).toEqual({
    isError: true,
    text: expect.stringMatching(new RegExp(`^${url}: no response .* npx card-sandbox$`)),
  });
  await startCommandLine(["--port", String(port), "--admin-token", "correct-horse"]);
  expect(await withToken.call("get_findings")).toMatchObject({ isError: false });
  expect(await withoutToken.call("get_findings")).toEqual({
    isError: true,
    text: expect.stringMatching(/^--admin-token: is required by .*CARD_SANDBOX_ADMIN_TOKEN/),
  });
});

test("prints nothing but messages of the protocol to standard output, and ends with its input", async () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "agent", version: "1" } },
  };
  const input = `not JSON\n${JSON.stringify(initialize)}\n{"id":2}\n`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, "mcp"], { input, encoding: "utf8" });
  expect([status, stderr]).toEqual([
    0,
    "card-sandbox: standard input: a line is not a message of JSON-RPC 2.0\n",
  ]);
  const messages = stdout.trimEnd().split("\n");
  expect(messages.map((line) => JSON.parse(line))).toMatchObject([
    { jsonrpc: "2.0", id: 1, result: { serverInfo: { name: "card-sandbox" } } },
  ]);
});
