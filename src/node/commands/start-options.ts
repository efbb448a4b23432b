import { readFileSync } from "node:fs";
import type { Command, Option } from "commander";
import { onBehalfOfModes } from "../../contract/operations.ts";
import { defaultJournalBytes } from "../../journal/journal.ts";
import { keyQuotas } from "../../rules/api-key.ts";
import { SetupError } from "../../rules/errors.ts";
import { databaseChecks, durabilities } from "../database-file.ts";
import { type LogFormat, logFormats } from "../request-log.ts";
import type { StartOptions } from "../start-sandbox.ts";
import { commaSeparated, notEmpty, once, optionWithVariable as option, wholeNumber } from "./command.ts";

interface Flags extends Omit<StartOptions, "assumed" | "tls" | "deliver" | "observe"> {
  readonly assumed: "on" | "off";
  readonly log: LogFormat;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** The options of the command line for a start. */
export interface StartRequest {
  readonly options: StartOptions;
  readonly logFormat: LogFormat;
  /** The certificate's file, for the curl commands that the start prints. */
  readonly tlsCert: string | undefined;
}

const largestJournal = 100_000;
const largestJournalBytes = 16 * 1024 ** 3;

/** The defaults that differ between the commands that start a sandbox. */
export interface StartDefaults {
  readonly port: number;
  readonly log: LogFormat;
}

/** Reads the parsed command line. */
export function startRequest(command: Command): StartRequest {
  const flags = command.opts<Flags>();
  return {
    logFormat: flags.log,
    tlsCert: flags.tlsCert,
    options: {
      port: flags.port,
      host: flags.host,
      livePort: flags.livePort,
      db: flags.db,
      durability: flags.durability,
      checkDatabase: flags.checkDatabase,
      seed: flags.seed,
      clock: flags.clock,
      fixtures: flags.fixtures,
      scenarios: flags.scenarios,
      scenario: flags.scenario,
      assumed: flags.assumed === "on",
      onBehalfOf: flags.onBehalfOf,
      sandboxHeaders: flags.sandboxHeaders,
      keyQuota: flags.keyQuota,
      fixtureKeys: flags.fixtureKeys,
      control: flags.control,
      adminToken: flags.adminToken,
      journal: flags.journal,
      journalBytes: flags.journalBytes,
      allowWebhookHosts: flags.allowWebhookHosts,
      tls: readTls(flags.tlsCert, flags.tlsKey),
    },
  };
}

/**
 * Adds every option of a sandbox. An option that is not given takes its value from its environment variable; an empty
 * variable counts as unset.
 */
export function addStartOptions(command: Command, { port, log }: StartDefaults): Command {
  const options = [
    ...addressOptions(port),
    ...worldOptions(),
    ...serviceOptions(),
    ...controlOptions(log),
    ...transportOptions(),
  ];
  for (const each of options) command.addOption(each);
  return command;
}

function addressOptions(port: number): Option[] {
  return [
    option("--port <number>", "port to listen on; 0 picks a free one", "PORT")
      .argParser(wholeNumber(65_535))
      .default(port),
    option("--host <address>", "address to listen on", "HOST").argParser(notEmpty).default("127.0.0.1"),
    option("--live-port <number>", "a port of its own for the live base address", "LIVE_PORT").argParser(
      wholeNumber(65_535),
    ),
  ];
}

function worldOptions(): Option[] {
  return [
    option("--db <file>", "database file, kept across restarts", "DB")
      .argParser(notEmpty)
      .default(":memory:"),
    option(
      "--durability <degree>",
      "what an answer outlives on a file: the process, or the machine",
      "DURABILITY",
    )
      .choices(durabilities)
      .default("normal"),
    option(
      "--check-database <mode>",
      "how to check a database file at startup: full also compares indexes with tables, quick does not, auto is full up to 48 MiB",
      "CHECK_DATABASE",
    )
      .choices(databaseChecks)
      .default("auto"),
    option("--seed <number>", "what ids and card tokens derive from (default: 1)", "SEED").argParser(
      wholeNumber(Number.MAX_SAFE_INTEGER),
    ),
    option("--clock <instant>", "ISO 8601 instant at which time stands still (default: real time)", "CLOCK"),
    option("--fixtures <file>", "seed world, in YAML (default: the one that comes along)", "FIXTURES"),
    option(
      "--scenarios <folder>",
      "scenario files of your own, beside those that come along",
      "SCENARIOS",
    ).argParser(notEmpty),
    option("--scenario <name>", "a scenario armed for all from the start", "SCENARIO").argParser(once),
  ];
}

function serviceOptions(): Option[] {
  return [
    option("--assumed <mode>", "operations that the spec does not show; off: they answer 501", "ASSUMED")
      .choices(["on", "off"])
      .default("on"),
    option("--on-behalf-of <mode>", "what becomes of X-On-Behalf-Of", "ON_BEHALF_OF")
      .choices(onBehalfOfModes)
      .default("optional"),
    keyQuotaOption(),
    option("--no-fixture-keys", "refuse the API keys of the fixtures, which are public", "NO_FIXTURE_KEYS"),
    option("--no-sandbox-headers", "leave Sandbox-… headers out of answers", "NO_SANDBOX_HEADERS"),
  ];
}

function controlOptions(log: LogFormat): Option[] {
  return [
    option("--log <format>", "request logs", "LOG").choices(logFormats).default(log),
    option("--no-control", "leave out the sandbox's own API under /_sandbox", "NO_CONTROL"),
    option(
      "--admin-token <token>",
      "what that API demands; beyond loopback one is generated",
      "ADMIN_TOKEN",
    ).argParser(notEmpty),
    option("--journal <number>", "how many requests the journal keeps", "JOURNAL")
      .argParser(wholeNumber(largestJournal))
      .default(1000),
    option(
      "--journal-bytes <number>",
      "maximum memory for recorded requests, in bytes; the oldest are dropped first",
      "JOURNAL_BYTES",
    )
      .argParser(wholeNumber(largestJournalBytes))
      .default(defaultJournalBytes, "67108864, which is 64 MiB"),
  ];
}

function transportOptions(): Option[] {
  return [
    option(
      "--allow-webhook-hosts <hosts>",
      "hosts beyond this machine that webhooks may be sent to, parted by commas",
      "ALLOW_WEBHOOK_HOSTS",
    ).argParser(commaSeparated),
    option("--tls-cert <file>", "serve HTTPS with this certificate (PEM)", "TLS_CERT"),
    option("--tls-key <file>", "and this private key (PEM)", "TLS_KEY"),
  ];
}

/** Also an option of `validate`, because it decides which fixtures are valid. */
export function keyQuotaOption(): Option {
  return option(
    "--key-quota <scope>",
    "limit of five active API keys: per company or per member",
    "KEY_QUOTA",
  )
    .choices(keyQuotas)
    .default("company");
}

function readTls(cert: string | undefined, key: string | undefined): StartOptions["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new SetupError("--tls-cert and --tls-key go together: give both, or neither");
  }
  return { cert: readPem("--tls-cert", cert), key: readPem("--tls-key", key) };
}

function readPem(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SetupError(`${option} ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
