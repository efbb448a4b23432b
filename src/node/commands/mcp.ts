import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { messageLine } from "../colors.ts";
import { createMcpServer } from "../mcp/server.ts";
import { baseUrl } from "../running-sandbox.ts";
import { adminTokenOption, newCommand, urlArgument } from "./command.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox mcp",
    "Serve tools for a coding agent over stdio (Model Context Protocol): they control and explain a running sandbox.",
  )
    .argument(...urlArgument)
    .addOption(adminTokenOption())
    .addHelpText(
      "after",
      `
Configure this command in your agent as a stdio server. It runs until its
standard input ends. Start the sandbox separately, with card-sandbox start.

Exit codes:
  0  the agent closed standard input
  2  usage error`,
    );
  return command.action((given?: string) => {
    const { adminToken } = command.opts<{ adminToken?: string }>();
    const sandbox = { url: baseUrl(given, process.env), adminToken };
    // Standard output belongs to the protocol.
    const onerror = ({ name, message }: Error) => {
      // Its message is JSON with all the alternatives that did not match.
      const problem =
        name === "ZodError" ? "standard input: a line is not a message of JSON-RPC 2.0" : message;
      process.stderr.write(messageLine(problem));
    };
    serveStdio(() => createMcpServer(sandbox), { onerror });
  });
}
