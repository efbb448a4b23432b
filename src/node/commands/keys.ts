import type { Command } from "commander";
import type { CreatedKey } from "../../access/create-api-key.ts";
import type { KeyListing } from "../../control/api-keys.ts";
import { jsonLines, oneLine } from "../../journal/formats/escape.ts";
import type { ListedKey } from "../../store/api-keys.ts";
import { baseUrl, callControl, type RunningSandbox } from "../running-sandbox.ts";
import { adminTokenOption, columns, localUrl, newCommand, optionWithVariable } from "./command.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox keys",
    "List the API keys of a running sandbox, without their secrets.",
  )
    .option("--company <name>", "list only the keys of this company: its id, slug or live/SLUG")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Exit codes:
  0  success
  2  usage error, or the sandbox refused the request
  3  the sandbox does not respond`,
    )
    .action(() => list(command));
  const create = command
    .command("create")
    .description("Create a key. Its secret is printed to standard output, and is not shown again.")
    .requiredOption("--member <name>", "owner of the key: the id or slug of a member")
    .option("--company <name>", "company of the key (default: the company of the member)")
    .option("--environment <environment>", "environment of the key: sandbox or live", "sandbox")
    .option("--label <text>", "description of the key, shown in lists")
    .action(() => createKey(create));
  const revoke = command
    .command("revoke")
    .description(
      "Revoke a key. It can no longer be exchanged. Access tokens that were already issued stay valid until they expire.",
    )
    .argument("<id>", "id of the key")
    .action((id: string) => revokeKey(revoke, id));
  for (const each of [command, create, revoke]) addSandboxOptions(each);
  return command;
}

function addSandboxOptions(command: Command): void {
  command
    .addOption(
      optionWithVariable("--url <url>", "base URL of the sandbox", "URL").default(undefined, localUrl),
    )
    .addOption(adminTokenOption());
}

/** Commander assigns options before the name of a subcommand to its parent. */
function sandboxOf(command: Command): RunningSandbox {
  const { url, adminToken } = command.optsWithGlobals<{ url?: string; adminToken?: string }>();
  return { url: baseUrl(url, process.env), adminToken };
}

async function list(command: Command): Promise<void> {
  const { company, json } = command.opts<{ company?: string; json?: boolean }>();
  const query = company === undefined ? "" : `?company=${encodeURIComponent(company)}`;
  const listing = await callControl<KeyListing>(sandboxOf(command), "GET", `/api-keys${query}`);
  process.stdout.write(
    json
      ? jsonLines(listing)
      : columns(
          ["COMPANY", "ENVIRONMENT", "MEMBER", "PREFIX", "STATUS", "ID", "LABEL"],
          listing.api_keys.map(({ company, environment, member, prefix, status, id, label }) => [
            company,
            environment,
            member,
            `${prefix}…`,
            status,
            id,
            label ?? "",
          ]),
        ),
  );
  if (listing.has_more)
    process.stderr.write("More keys exist: list the keys of one company with --company NAME.\n");
}

async function createKey(command: Command): Promise<void> {
  const { member, company, environment, label } = command.optsWithGlobals<Record<string, string>>();
  const request = { member, company, environment, label };
  const key = await callControl<CreatedKey>(sandboxOf(command), "POST", "/api-keys", request);
  process.stderr.write(
    `Created the key ${oneLine(key.id)} for ${oneLine(member ?? "")}. Copy its secret now, because it is not shown again:\n`,
  );
  process.stdout.write(`${oneLine(key.secret)}\n`);
}

async function revokeKey(command: Command, id: string): Promise<void> {
  const path = `/api-keys/${encodeURIComponent(id)}`;
  const { company, member, prefix } = await callControl<ListedKey>(sandboxOf(command), "DELETE", path);
  process.stdout.write(`Revoked the key ${oneLine(prefix)}… of ${oneLine(member)} (${oneLine(company)})\n`);
}
