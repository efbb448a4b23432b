import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { contractUnder } from "../../contract/dialect.ts";
import { CouldNotRun, quoted, SetupError } from "../../rules/errors.ts";
import { nearest } from "../../rules/nearest.ts";
import { dialectText, driftSince, type EarlierReport, observedDialect } from "../../verify/drift.ts";
import { CannotProbe } from "../../verify/probe.ts";
import { mostCards, openTarget } from "../../verify/target.ts";
import { verifyText } from "../../verify/terminal.ts";
import { type VerifyReport, verifiedIds, verify } from "../../verify/verify.ts";
import { messageLine, painter } from "../colors.ts";
import { version } from "../create-sandbox.ts";
import { readJson, writablePath, writeReport } from "../exec/report-files.ts";
import { exitCodes } from "../exit-codes.ts";
import { readDialectFile } from "../input-files.ts";
import { onSignals } from "../signals.ts";
import { addGroups, commaSeparated, newCommand, notEmpty, positiveNumber } from "./command.ts";

const politeRate = 2;

export function define(): Command {
  const command = newCommand(
    "card-sandbox verify",
    "Compare another server, such as the sandbox of the real service, with the specification and with the alternatives of a dialect. Without --write, it only reads.",
  );
  addGroups(command, {
    "Target:": [
      new Option("--target <url>", "base URL of the server; HTTPS, except on this machine")
        .makeOptionMandatory()
        .argParser(targetUrl),
      new Option(
        "--api-key-env <name>",
        "environment variable with the API key of a member who may order cards",
      )
        .makeOptionMandatory()
        .argParser(variableName),
      new Option(
        "--employee-api-key-env <name>",
        "environment variable with the API key of a member who may not order cards",
      ).argParser(variableName),
      new Option("--company-id <uuid>", "company to act for")
        .argParser(uuid)
        .default(undefined, "the first one that the server lists"),
      new Option("--account-id <uuid>", "account for new cards")
        .argParser(uuid)
        .default(undefined, "the first active one that the server lists"),
      new Option("--live", "accept a live API key: requests, and cards with --write, are real"),
    ],
    "Requests:": [
      new Option(
        "--write",
        `also order and change cards: at most ${mostCards}, which it terminates at the end`,
      ),
      new Option("--only <ids>", "comma-separated list of behaviors and contract points").argParser(ids),
      new Option("--rate <number>", "most requests in a second")
        .argParser(rate)
        .default(undefined, `${politeRate}; on this machine, unlimited`),
      new Option("--budget <number>", "most requests in total")
        .argParser(positiveNumber(1_000_000))
        .default(500),
      new Option("--timeout <seconds>", "longest wait for a response")
        .argParser(positiveNumber(3600))
        .default(30),
    ],
    "Report:": [
      new Option("--dialect <file>", "dialect with the expected alternatives").argParser(notEmpty),
      new Option("--report <file>", "write the report to a .json file").argParser(jsonFile),
      new Option("--write-dialect <file>", "write a dialect with the observed alternatives").argParser(
        notEmpty,
      ),
      new Option("--check <file>", "fail if the server differs from this earlier JSON report").argParser(
        notEmpty,
      ),
    ],
  });
  return command
    .addHelpText(
      "after",
      `
Exit codes:
  0  success: the report is complete (128 + N if signal N interrupted it)
  1  --check: the server differs from the earlier report
  2  usage error
  3  the server did not respond or did not accept the API key, or a file could not be written`,
    )
    .action(async () => {
      process.exitCode = await run(command.opts<Flags>());
    });
}

interface Flags {
  readonly target: string;
  readonly apiKeyEnv: string;
  readonly employeeApiKeyEnv?: string;
  readonly companyId?: string;
  readonly accountId?: string;
  readonly live?: boolean;
  readonly write?: boolean;
  readonly only?: readonly string[];
  readonly rate?: number;
  readonly budget: number;
  readonly timeout: number;
  readonly dialect?: string;
  readonly report?: string;
  readonly writeDialect?: string;
  readonly check?: string;
}

async function run(flags: Flags): Promise<number> {
  const { target: url, write = false, only, budget, timeout } = flags;
  const apiKey = keyIn("--api-key-env", flags.apiKeyEnv, flags);
  const employeeApiKey =
    flags.employeeApiKeyEnv && keyIn("--employee-api-key-env", flags.employeeApiKeyEnv, flags);
  const { choices } = contractUnder(flags.dialect === undefined ? {} : readDialectFile(flags.dialect));
  const before = flags.check === undefined ? undefined : readReport(flags.check);
  if (flags.report !== undefined) writablePath("--report", flags.report);
  if (flags.writeDialect !== undefined) writablePath("--write-dialect", flags.writeDialect);
  if (flags.live && apiKey.startsWith("sk_live_")) warnOfLive(write);

  const perSecond = flags.rate ?? (isLoopback(new URL(url)) ? Number.POSITIVE_INFINITY : politeRate);
  const target = openTarget({
    fetch: (path, init) => fetch(addressOf(url, path), init),
    effect: write ? "write" : "read",
    limits: { budget, perSecond, timeoutMs: timeout * 1000 },
    pace: { now: Date.now, pause: (ms) => pause(ms) },
    uuid: randomUUID,
    ...{ apiKey, employeeApiKey, companyId: flags.companyId, accountId: flags.accountId },
  });
  const stop = new AbortController();
  let interruption: number | undefined;
  onSignals(["SIGINT", "SIGTERM"], (signal) => {
    if (interruption !== undefined) process.exit(interruption);
    interruption = 128 + constants.signals[signal];
    stop.abort();
  });
  const date = new Date().toISOString().slice(0, 10);
  const report = await verify(target, {
    ...{ choices, write, only, version, url, date, stop: stop.signal, onProgress: showProgress },
  }).catch((error) => {
    if (error instanceof CannotProbe) throw new CouldNotRun(`${url}: ${error.message}`, { cause: error });
    throw error;
  });
  process.stdout.write(verifyText(report, choices, painter(process.stdout)));

  const drift = before === undefined ? [] : driftSince(before, report);
  for (const each of drift) warn(`--check: ${each}`);
  const areWritten = [
    flags.report === undefined || written(flags.report, "--report", `${JSON.stringify(report, null, 2)}\n`),
    flags.writeDialect === undefined || writeDialect(report, flags.writeDialect),
  ];
  if (interruption !== undefined) return interruption;
  if (report.problem !== null || areWritten.includes(false)) return exitCodes.notRun;
  return drift.length > 0 ? exitCodes.failed : 0;
}

/** The address of a path below the base URL, and of no other server. */
function addressOf(base: string, path: string): string {
  const address = new URL(base + path);
  if (address.origin !== new URL(base).origin) throw new Error("the path leads to another server");
  return address.href;
}

function writeDialect(report: VerifyReport, file: string): boolean {
  const { dialect, leftOut } = observedDialect(report, `verify ${new URL(report.target).host}`);
  for (const each of leftOut) warn(`--write-dialect: left out, because ${each}`);
  return written(file, "--write-dialect", dialectText(dialect));
}

function written(file: string, option: string, text: string): boolean {
  const failure = writeReport({ path: file }, text);
  if (failure !== undefined) process.stderr.write(messageLine(`${option} ${file}: ${failure}`));
  return failure === undefined;
}

function warn(message: string): void {
  process.stderr.write(messageLine(message, "yellow"));
}

function warnOfLive(write: boolean): void {
  const writes = "orders real cards on a real account, and terminates them at the end";
  warn(
    `warning: --live: this uses the live environment. verify ${write ? writes : "only reads, because --write is missing"}.`,
  );
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY || process.env.TERM === "dumb") return;
  process.stderr.write(done === total ? "\r\u001b[K" : `\r\u001b[K${done}/${total}`);
}

/**
 * Reads an API key from the environment. No message contains it.
 * @throws SetupError if the variable is not set, or has no API key that may be used
 */
function keyIn(option: string, name: string, { live = false }: Flags): string {
  const key = process.env[name]?.trim() ?? "";
  if (key === "") throw new SetupError(`${option}: the environment variable ${name} is not set`);
  if (!/^sk_(sandbox|live)_[\x21-\x7e]+$/.test(key)) {
    throw new SetupError(
      `${option}: the variable ${name} must have an API key, which starts with sk_sandbox_ or sk_live_`,
    );
  }
  if (key.startsWith("sk_live_") && !live) {
    throw new SetupError(
      `${option}: the variable ${name} has a live API key. Use a sandbox key, or add --live if requests to the live environment, with real accounts and cards, are intended.`,
    );
  }
  return key;
}

/** @throws SetupError if the file is no report of this command */
function readReport(file: string): EarlierReport {
  const report = readJson("--check", file) as Partial<VerifyReport> | null;
  const { behaviours, specification } = report?.format === 1 ? report : {};
  const isList = (list: unknown) =>
    Array.isArray(list) &&
    list.every((each) => typeof each?.id === "string" && typeof each.outcome === "string");
  if (behaviours && specification && isList(behaviours) && isList(specification)) {
    return { behaviours, specification };
  }
  throw new SetupError(
    `--check: ${quoted(file)} is not a report of verify. Write one with --report FILE.json.`,
  );
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.[0-9]+){3}|\[::1\])$/.test(hostname);
}

/** @returns the URL without a trailing slash */
function targetUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || /[?#@\s]/.test(text)) {
    throw new InvalidArgumentError(
      "must be a base URL such as https://sandbox.example.com, without a user name, query or fragment",
    );
  }
  if (url.protocol === "http:" && !isLoopback(url)) {
    throw new InvalidArgumentError(
      "must use https, because it receives an API key; http is allowed only on this machine",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** The value is not shown: it may be the secret itself. */
function variableName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !text.startsWith("sk_")) return text;
  throw new InvalidArgumentError("must be the name of an environment variable, not the API key itself");
}

function uuid(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw new InvalidArgumentError(`must be a UUID, but is ${quoted(text)}`);
}

function ids(text: string): string[] {
  const given = commaSeparated(text);
  for (const id of given) {
    if (verifiedIds.includes(id)) continue;
    const meant = nearest(id, verifiedIds);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw new InvalidArgumentError(
      `unknown behavior or contract point ${quoted(id)}.${hint} A report has all ids.`,
    );
  }
  return given;
}

function rate(text: string): number {
  const value = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError(`must be a number above 0, but is ${quoted(text)}`);
}

function jsonFile(text: string): string {
  if (/\.json$/i.test(text)) return text;
  throw new InvalidArgumentError(`must end in .json, but is ${quoted(text)}`);
}
