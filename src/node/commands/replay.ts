import { type Command, Option } from "commander";
import { jsonLines, oneLine } from "../../journal/formats/escape.ts";
import { quoted, SetupError } from "../../rules/errors.ts";
import type { Player } from "../../tape/player.ts";
import type { Tape } from "../../tape/tape.ts";
import { painter } from "../colors.ts";
import { openSandbox, type Sandbox, version } from "../create-sandbox.ts";
import { exitCodes } from "../exit-codes.ts";
import { type StartedSandbox, type StartOptions, start } from "../start-sandbox.ts";
import { checkTape } from "../tape/check-tape.ts";
import { openPlayer } from "../tape/play.ts";
import { replayReport, replayText } from "../tape/replay-report.ts";
import { ServedTape } from "../tape/served-tape.ts";
import { readTape } from "../tape/tape-file.ts";
import {
  addGroups,
  commaSeparated,
  newCommand,
  notEmpty,
  optionWithVariable as option,
  wholeNumber,
} from "./command.ts";
import { closeOnSignal } from "./start.ts";

interface Flags extends Pick<StartOptions, "port" | "host" | "adminToken" | "allowWebhookHosts"> {
  readonly until?: number;
  readonly json?: boolean;
  readonly serve?: boolean;
}

export function define(): Command {
  const command = newCommand(
    "card-sandbox replay",
    "Play a tape in memory and compare every response with the one on the tape. With --serve, then serve its world.",
  ).argument("<file>", "tape that was recorded with --tape");
  addGroups(command, {
    "Replay:": [
      new Option("--until <id>", "play until this request is answered").argParser(
        wholeNumber(Number.MAX_SAFE_INTEGER),
      ),
      new Option("--json", "print the result as JSON, with all differences"),
      new Option("--serve", "then serve the world, with the dashboard and the control API"),
    ],
    "With --serve:": [
      option("--port <number>", "port to listen on; 0 selects a free port", "PORT")
        .argParser(wholeNumber(65_535))
        .default(4242),
      option("--host <address>", "address to listen on", "HOST").argParser(notEmpty).default("127.0.0.1"),
      option("--admin-token <token>", "Bearer token that the control API requires", "ADMIN_TOKEN")
        .argParser(notEmpty)
        .default(undefined, "none on a loopback host; generated on other hosts"),
      option(
        "--allow-webhook-hosts <hosts>",
        "comma-separated list of external hosts that may receive webhooks; those of the tape are not used",
        "ALLOW_WEBHOOK_HOSTS",
      ).argParser(commaSeparated),
    ],
  });
  return command
    .addHelpText(
      "after",
      `
Exit codes:
  0  every response is the same as on the tape; with --serve: stopped by a signal
  1  a response differs
  2  usage error, or the tape is damaged, or this version cannot play it
  3  the replay or the server could not start`,
    )
    .action((file: string) => run(file, command.opts<Flags>()));
}

async function run(file: string, { until, json, serve, ...options }: Flags): Promise<void> {
  if (json && serve) throw new SetupError("--json: cannot be combined with --serve");
  const tape = checkTape(file, readTape(file));
  const served = serve ? new ServedTape(file, tape, options.allowWebhookHosts ?? [], openSandbox) : undefined;
  const player = await named(file, tape, () => openPlayer(tape, openSandbox, served));
  try {
    await named(file, tape, () => player.play(until), player);
    const report = replayReport(file, player, until, version);
    process.stdout.write(json ? jsonLines(report) : replayText(report, painter(process.stdout)));
    if (served) await serveWorld(served, player, options);
    else if (report.differences.length > 0) process.exitCode = exitCodes.failed;
  } finally {
    if (!served) player.sandbox.close();
  }
}

/** Errors of a tape that only seems valid name the tape, and the event. */
async function named<Result>(
  file: string,
  { head }: Tape,
  work: () => Promise<Result>,
  player?: Player<Sandbox>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const message = (error as Error).message.replace(/^:memory: cannot be opened as a database: /, "");
    if (message.startsWith("--until:")) throw error;
    const place = player
      ? `cannot be played at its event ${player.position}`
      : "cannot be played, because this version cannot make its world";
    throw new SetupError(
      `tape: ${file} ${place}: ${message}. Play it with the version that recorded it, card-sandbox ${quoted(head.version)}.`,
      { cause: error },
    );
  }
}

async function serveWorld(served: ServedTape, player: Player<Sandbox>, options: Flags): Promise<void> {
  let started: StartedSandbox | undefined;
  closeOnSignal(() => started);
  const { port, host, adminToken } = options;
  // A response in progress must not be made by a class that the server replaced.
  started = await start({ port, host, adminToken }, { lightGlobals: false, opened: served.open(player) });
  const { url, generatedAdminToken } = started;
  process.stdout.write(
    [
      "",
      `Sandbox base URL  ${url}`,
      `Dashboard         ${url}/_sandbox/ui`,
      `Tape              ${url}/_sandbox/ui/tape`,
      ...(generatedAdminToken === undefined ? [] : [`Admin token       ${generatedAdminToken}`]),
      `Served world      ${oneLine(served.request === null ? "before any request of the tape" : `after request ${served.request}`)}`,
      `Create a key      card-sandbox keys create --url ${url} --member MEMBER`,
      "Ready.",
      "",
    ].join("\n"),
  );
}
