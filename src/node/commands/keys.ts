import type { Command } from "commander";
import type { CreatedKey } from "../../access/create-api-key.ts";
import type { KeyListing } from "../../control/api-keys.ts";
import { jsonLines, oneLine } from "../../journal/formats/escape.ts";
import type { ListedKey } from "../../store/api-keys.ts";
import { ask, baseAddress, type RunningSandbox } from "../running-sandbox.ts";
import { columns, newCommand, notEmpty, optionWithVariable } from "./command.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox keys",
    "Lists a running sandbox's API keys, without their secrets.",
  )
    .option("--company <name>", "those of one company: its id, its slug, or live/SLUG")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Exit codes:
  0  it is done
  2  asked for wrongly, or refused
  3  the sandbox cannot be asked`,
    )
    .action(() => list(command));
  const create = command
    .command("create")
    .description("Makes a key; prints its secret on standard output, this once, and the rest beside.")
    .requiredOption("--member <name>", "whose: a member's id or slug")
    .option("--company <name>", "in which company, where it is not the member's own")
    .option("--environment <environment>", "sandbox or live", "sandbox")
    .option("--label <text>", "what it is for")
    .action(() => make(create));
  const revoke = command
    .command("revoke")
    .description("Revokes a key: new exchanges stop, tokens issued live on.")
    .argument("<id>", "the key's id")
    .action((id: string) => end(revoke, id));
  for (const each of [command, create, revoke]) addSandboxOptions(each);
  return command;
}

function addSandboxOptions(command: Command): void {
  command
    .addOption(
      optionWithVariable("--url <address>", "the sandbox's base address (default: this machine's)", "URL"),
    )
    .addOption(
      optionWithVariable("--admin-token <token>", "what its own API demands", "ADMIN_TOKEN").argParser(
        notEmpty,
      ),
    );
}

/** Commander assigns options before the name of a subcommand to its parent. */
function sandboxOf(command: Command): RunningSandbox {
  const { url, adminToken } = command.optsWithGlobals<{ url?: string; adminToken?: string }>();
  return { url: baseAddress(url, process.env), adminToken };
}

async function list(command: Command): Promise<void> {
  const { company, json } = command.opts<{ company?: string; json?: boolean }>();
  const query = company === undefined ? "" : `?company=${encodeURIComponent(company)}`;
  const answer = await ask<KeyListing>(sandboxOf(command), "GET", `/api-keys${query}`);
  process.stdout.write(
    json
      ? jsonLines(answer)
      : columns(
          ["COMPANY", "ENVIRONMENT", "MEMBER", "PREFIX", "STATUS", "ID", "LABEL"],
          answer.api_keys.map(({ company, environment, member, prefix, status, id, label }) => [
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
  if (answer.has_more)
    process.stderr.write("More keys exist: list the keys of one company with --company NAME.\n");
}

async function make(command: Command): Promise<void> {
  const { member, company, environment, label } = command.optsWithGlobals<Record<string, string>>();
  const asked = { member, company, environment, label };
  const key = await ask<CreatedKey>(sandboxOf(command), "POST", "/api-keys", asked);
  process.stderr.write(
    `made ${oneLine(key.id)} for ${oneLine(member ?? "")}; its secret is shown this once:\n`,
  );
  process.stdout.write(`${oneLine(key.secret)}\n`);
}

async function end(command: Command, id: string): Promise<void> {
  const path = `/api-keys/${encodeURIComponent(id)}`;
  const { company, member, prefix } = await ask<ListedKey>(sandboxOf(command), "DELETE", path);
  process.stdout.write(`revoked ${oneLine(prefix)}… of ${oneLine(member)}, ${oneLine(company)}\n`);
}
