import { readFileSync } from "node:fs";
import type { Command, Option } from "commander";
import { onBehalfOfModes } from "../../contract/operations.ts";
import { defaultJournalBytes } from "../../journal/journal.ts";
import { keyQuotas } from "../../rules/api-key.ts";
import { SetupError } from "../../rules/errors.ts";
import { databaseChecks, durabilities } from "../database/file.ts";
import { type LogFormat, logFormats } from "../request-log.ts";
import type { StartOptions } from "../start-sandbox.ts";
import { commaSeparated, notEmpty, once, optionWithVariable as option, wholeNumber } from "./command.ts";

interface Flags extends Omit<StartOptions, "assumed" | "tls" | "deliver" | "observe"> {
  readonly assumed: "on" | "off";
  readonly log: LogFormat;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly watch?: boolean;
}

/** The parsed options of a command that starts a sandbox. */
export interface StartRequest {
  readonly options: StartOptions;
  readonly logFormat: LogFormat;
  /** The certificate's file, for the curl commands in the start-up lines. */
  readonly tlsCert: string | undefined;
  /** Whether to read the files of scenarios, fixtures and the dialect again when they change. */
  readonly watch: boolean;
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
  const { watch = false } = flags;
  if (watch && ![flags.scenarios, flags.fixtures, flags.dialect].some((each) => each !== undefined)) {
    throw new SetupError(
      "--watch: requires --scenarios, --fixtures or --dialect, because it watches their files",
    );
  }
  return {
    logFormat: flags.log,
    tlsCert: flags.tlsCert,
    watch,
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
      dialect: flags.dialect,
      onBehalfOf: flags.onBehalfOf,
      sandboxHeaders: flags.sandboxHeaders,
      keyQuota: flags.keyQuota,
      fixtureKeys: flags.fixtureKeys,
      control: flags.control,
      adminToken: flags.adminToken,
      journal: flags.journal,
      journalBytes: flags.journalBytes,
      tape: flags.tape,
      allowWebhookHosts: flags.allowWebhookHosts,
      tls: readTls(flags.tlsCert, flags.tlsKey),
    },
  };
}

/**
 * Adds every option of a sandbox. An option that is not given takes its value from its environment variable;
 * an empty variable counts as unset.
 */
export function addStartOptions(command: Command, defaults: StartDefaults): Command {
  const groups: Readonly<Record<string, readonly Option[]>> = {
    "Server:": serverOptions(defaults),
    "Data:": dataOptions(),
    "Behavior:": behaviorOptions(),
    "Journal and control API:": controlOptions(),
    "Security:": securityOptions(),
  };
  for (const [heading, options] of Object.entries(groups)) {
    for (const each of options) {
      // sweep and contrary have their own --tape.
      const isTaken = command.options.some(({ long }) => long === each.long);
      if (!isTaken) command.addOption(each.helpGroup(heading));
    }
  }
  return command;
}

function serverOptions({ port, log }: StartDefaults): Option[] {
  return [
    option("--port <number>", "port to listen on; 0 selects a free port", "PORT")
      .argParser(wholeNumber(65_535))
      .default(port),
    option("--host <address>", "address to listen on", "HOST").argParser(notEmpty).default("127.0.0.1"),
    option("--live-port <number>", "serve the live environment on a separate port", "LIVE_PORT").argParser(
      wholeNumber(65_535),
    ),
    option("--log <format>", "format of the request log", "LOG").choices(logFormats).default(log),
  ];
}

function dataOptions(): Option[] {
  return [
    option("--db <file>", "database file, kept across restarts", "DB")
      .argParser(notEmpty)
      .default(":memory:"),
    option(
      "--durability <level>",
      "what a committed order survives; normal: a crash of the process; full: loss of power",
      "DURABILITY",
    )
      .choices(durabilities)
      .default("normal"),
    option(
      "--check-database <mode>",
      "startup check of a database file; quick: check its structure; full: also compare indexes with tables; auto: full up to 48 MiB, quick above",
      "CHECK_DATABASE",
    )
      .choices(databaseChecks)
      .default("auto"),
    option("--seed <number>", "seed of ids, card tokens and secrets", "SEED")
      .argParser(wholeNumber(Number.MAX_SAFE_INTEGER))
      .default(undefined, "1"),
    option("--clock <instant>", "freeze the clock at this ISO 8601 time", "CLOCK").default(
      undefined,
      "real time",
    ),
    option("--fixtures <file>", "YAML fixtures file that replaces the default world", "FIXTURES"),
    option("--tape <file>", "record everything in this file, for card-sandbox replay", "TAPE").argParser(
      notEmpty,
    ),
  ];
}

function behaviorOptions(): Option[] {
  return [
    option("--scenario <name>", "arm this scenario for every company at startup", "SCENARIO").argParser(once),
    scenariosOption(),
    option("--watch", "reload edited scenarios, fixtures and dialects", "WATCH"),
    option(
      "--assumed <mode>",
      "serve operations that the specification does not describe; off: return 501",
      "ASSUMED",
    )
      .choices(["on", "off"])
      .default("on"),
    dialectOption(),
    option(
      "--on-behalf-of <mode>",
      "how to treat the X-On-Behalf-Of header, short for on_behalf_of.mode in a dialect; off: ignore it; optional: check it if it is sent; required: require it in every operation; required-except-order: require it, except to order a physical card",
      "ON_BEHALF_OF",
    )
      .choices(onBehalfOfModes)
      .default(undefined, "optional"),
    keyQuotaOption(),
    option("--no-sandbox-headers", "omit the Sandbox-… headers from responses", "NO_SANDBOX_HEADERS"),
  ];
}

function controlOptions(): Option[] {
  return [
    option("--journal <number>", "maximum number of requests in the journal; 0 shows none", "JOURNAL")
      .argParser(wholeNumber(largestJournal))
      .default(1000),
    option(
      "--journal-bytes <number>",
      "maximum memory for recorded requests, in bytes; the oldest are dropped first",
      "JOURNAL_BYTES",
    )
      .argParser(wholeNumber(largestJournalBytes))
      .default(defaultJournalBytes, "67108864, which is 64 MiB"),
    option("--no-control", "do not serve the control API and the dashboard under /_sandbox", "NO_CONTROL"),
  ];
}

function securityOptions(): Option[] {
  return [
    option("--admin-token <token>", "Bearer token that the control API requires", "ADMIN_TOKEN")
      .argParser(notEmpty)
      .default(undefined, "none on a loopback host; generated on other hosts"),
    option("--no-fixture-keys", "refuse the public API keys of the fixtures", "NO_FIXTURE_KEYS"),
    option(
      "--allow-webhook-hosts <hosts>",
      "comma-separated list of external hosts that may receive webhooks",
      "ALLOW_WEBHOOK_HOSTS",
    ).argParser(commaSeparated),
    option("--tls-cert <file>", "serve HTTPS with this certificate (PEM file)", "TLS_CERT"),
    option("--tls-key <file>", "private key of the certificate (PEM file)", "TLS_KEY"),
  ];
}

/** Also an option of `scenarios`. */
export function scenariosOption(): Option {
  return option("--scenarios <folder>", "folder with your own scenario files", "SCENARIOS").argParser(
    notEmpty,
  );
}

/** Also an option of `contract`. */
export function dialectOption(): Option {
  return option(
    "--dialect <file>",
    "YAML dialect file: how the service behaves where the specification leaves it open",
    "DIALECT",
  ).argParser(notEmpty);
}

/** Also an option of `validate`, because it decides which fixtures are valid. */
export function keyQuotaOption(): Option {
  return option(
    "--key-quota <scope>",
    "scope of the limit of five active API keys: each company or each member; short for api_keys.quota in a dialect",
    "KEY_QUOTA",
  )
    .choices(keyQuotas)
    .default(undefined, "company");
}

function readTls(cert: string | undefined, key: string | undefined): StartOptions["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new SetupError(
      `${cert === undefined ? "--tls-cert" : "--tls-key"}: is required, because --tls-cert and --tls-key must be used together`,
    );
  }
  return { cert: readPem("--tls-cert", cert), key: readPem("--tls-key", key) };
}

function readPem(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SetupError(`${option}: cannot read the file: ${(error as Error).message}`, { cause: error });
  }
}
