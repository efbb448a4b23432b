import { setImmediate as turn } from "node:timers/promises";
import type { Command } from "commander";
import { inTurn } from "../../journal/exchange.ts";
import { terminalReport } from "../../journal/formats/terminal.ts";
import { suiteReport } from "../../journal/suite.ts";
import { SetupError } from "../../rules/errors.ts";
import { clientVariables } from "../client-variables.ts";
import { version } from "../create-sandbox.ts";
import { runCommand } from "../exec/command-run.ts";
import { reportFile, writeReports } from "../exec/report-files.ts";
import { addSuiteOptions, type SuiteOptions, suiteOptions } from "../exec/suite-options.ts";
import { databaseLog, requestLog } from "../request-log.ts";
import { type StartedSandbox, start } from "../start-sandbox.ts";
import { newCommand } from "./command.ts";
import { addStartOptions, startRequest } from "./start-options.ts";

/** How long open handles may delay the exit. */
const flushMs = 300;

export function define(): Command {
  const command = newCommand(
    "card-sandbox exec",
    "Runs a command, such as a test suite, against a sandbox of its own, and tells on standard error which parts of the contract it exercised and what the client did wrong. The command finds the sandbox in CARD_SANDBOX_URL, a key in CARD_SANDBOX_API_KEY, and what else the README lists.",
  )
    .usage("[options] -- COMMAND [ARGUMENT...]")
    .argument("[command...]", "what to run; no shell reads it")
    .passThroughOptions();
  command.optionsGroup("What the command is held to:");
  addSuiteOptions(command);
  command.optionsGroup("The sandbox, as for card-sandbox start:");
  addStartOptions(command, { port: 0, log: "silent" });
  return command
    .addHelpText(
      "after",
      `
Requests are logged to standard error, where --log asks for it.

Exit codes:
  the command's own, or 128 and the number of the signal that ended it, where it failed; else
  0  all is well
  1  a gate failed, the command sent no request, or an armed scenario never fired
  2  asked for wrongly, or for what cannot be
  3  could not run: the command cannot be started, a port is taken, a report cannot be written

Example:
  card-sandbox exec --fail-on warn --require order.created,order.replayed --report report.html -- npm test`,
    )
    .action(async (words: readonly string[]) => {
      process.exitCode = await exec(words, command);
      setTimeout(() => process.exit(), flushMs).unref();
    });
}

async function exec(words: readonly string[], command: Command): Promise<number> {
  const [program] = words;
  if (!program) throw new SetupError("exec takes the command to run: card-sandbox exec -- npm test");
  const suite = suiteOptions(command);
  const files = suite.reports.map(reportFile);
  const { options, logFormat } = startRequest(command);
  const log = (line: string) => void process.stderr.write(line);
  let requests = 0;
  const observe = inTurn(() => requests++, inTurn(databaseLog(log), requestLog(logFormat, log)));
  const sandbox = await start({ ...options, observe }, { lightGlobals: true });
  try {
    const adminToken = options.adminToken ?? sandbox.generatedAdminToken;
    const variables = clientVariables({ ...sandbox, adminToken }, sandbox.world().companies);
    const exitCode = await runCommand(words, { ...process.env, ...variables });
    const seen = await reportOn(sandbox, program, exitCode, suite, () => requests);
    const report = writeReports(seen, suite.gates, files);
    process.stderr.write(terminalReport(report));
    return report.exit_code;
  } finally {
    await sandbox.close();
  }
}

async function reportOn(
  sandbox: StartedSandbox,
  program: string,
  exitCode: number,
  { gates, exclude }: SuiteOptions,
  countRequests: () => number,
) {
  // Requests that a scenario still holds are decided first, so that the report counts them.
  sandbox.drain();
  await turn();
  return suiteReport(program, exitCode, gates, {
    version,
    requests: countRequests(),
    coverage: sandbox.coverage({ exclude }),
    findings: sandbox.findings({ final: true }),
    unfired: sandbox.control.scenarios.unfired(),
  });
}
