import { relative } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Command } from "commander";
import { inTurn } from "../../journal/exchange.ts";
import { type Style, terminalReport } from "../../journal/formats/terminal.ts";
import { merged } from "../../journal/merge.ts";
import { type CommandResult, type SuiteReport, suiteReport } from "../../journal/suite.ts";
import { SetupError } from "../../rules/errors.ts";
import { clientVariables } from "../client-variables.ts";
import { messageLine, painter } from "../colors.ts";
import { runCommand } from "../exec/command-run.ts";
import { writeReports } from "../exec/report-files.ts";
import { addSuiteOptions, type SuiteOptions, suiteOptions } from "../exec/suite-options.ts";
import { databaseLog, requestLog } from "../request-log.ts";
import { type StartedSandbox, start } from "../start-sandbox.ts";
import { newCommand, shortenHelp } from "./command.ts";
import { addStartOptions, startRequest } from "./start-options.ts";

/** How long open handles may delay the exit, in milliseconds. */
const flushMs = 300;

export function define(): Command {
  const command = newCommand(
    "card-sandbox exec",
    "Run a command, such as your tests, on a fresh sandbox, then report contract coverage, findings and failed gates to standard error. The command gets the environment variables that card-sandbox env prints, such as CARD_SANDBOX_URL and CARD_SANDBOX_API_KEY.",
  )
    .usage("[options] -- COMMAND [ARGUMENT...]")
    .argument("[command...]", "command to run, with its arguments (without a shell)")
    .passThroughOptions();
  addSuiteOptions(command);
  const ownOptions = command.options.map(({ long }) => long ?? "");
  addStartOptions(command, { port: 0, log: "silent" });
  shortenHelp(command, ownOptions);
  return command
    .addHelpText(
      "after",
      `
The options of card-sandbox start also work here, for example --fixtures,
--tape and --log. By default, the sandbox uses a free port and does not log
requests; with --log, the log goes to standard error.

Exit codes:
  the exit code of the command if it fails (128 + N if signal N ended it), or
  0  success
  1  a gate failed
  2  usage error
  3  the server or the command could not start, or a report could not be written

Example:
  card-sandbox exec --fail-on warn --require order.created,order.replayed \\
    --report report.html -- npm test`,
    )
    .action(async (words: readonly string[]) => {
      process.exitCode = await exec(words, command);
      setTimeout(() => process.exit(), flushMs).unref();
    });
}

async function exec(words: readonly string[], command: Command): Promise<number> {
  const [program] = words;
  if (!program) throw new SetupError("command: is required. Example: card-sandbox exec -- npm test");
  const suite = suiteOptions(command);
  const { options, logFormat, watch } = startRequest(command);
  const log = (line: string) => void process.stderr.write(line);
  const logMessage = (message: string, style?: Style) => log(messageLine(message, style));
  const paint = painter(process.stderr);
  const observe = inTurn(databaseLog(log), requestLog(logFormat, log, paint));
  const sandbox = await start(
    { ...options, observe },
    {
      lightGlobals: true,
      watch: watch ? { report: logMessage } : undefined,
      onTapeFailure: logMessage,
    },
  );
  try {
    const adminToken = options.adminToken ?? sandbox.generatedAdminToken;
    const variables = clientVariables({ ...sandbox, adminToken }, sandbox.world().companies);
    const exitCode = await runCommand(words, { ...process.env, ...variables });
    const result = await reportOn(sandbox, { name: program, exit_code: exitCode }, suite);
    const report = writeReports(result, suite.gates, suite.files);
    process.stderr.write(terminalReport(report, paint));
    return report.exit_code;
  } finally {
    await sandbox.close();
  }
}

async function reportOn(
  sandbox: StartedSandbox,
  command: CommandResult,
  { gates, exclude }: SuiteOptions,
): Promise<SuiteReport> {
  // Continues the requests that a scenario still holds, so that the report counts them.
  sandbox.drain();
  await nextTick();
  const { scenarios } = sandbox.control;
  const report = {
    ...sandbox.report({ final: true }),
    ...(sandbox.tape !== undefined && { tape: relative("", sandbox.tape) }),
  };
  const run = { name: command.name, report, commands: [command] };
  const judged = suiteReport(
    gates,
    { ...merged([run], exclude), sources: [] },
    {
      latest: (operations, company) => sandbox.requests.latest(operations, company),
      operationsOf: (name) => scenarios.all().find((each) => each.name === name)?.on ?? [],
    },
  );
  return { ...judged, exit_code: command.exit_code || judged.exit_code };
}
