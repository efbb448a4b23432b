import type { Command } from "commander";
import { formatSweep } from "../../journal/formats/sweep.ts";
import { sweepTerminalReport } from "../../journal/formats/sweep-terminal.ts";
import { sweep } from "../../sweep/sweep.ts";
import { messageLine } from "../colors.ts";
import { exitRepeated, runRepeatedly } from "../sweep/repeated-command.ts";
import { addSweepOptions, sweepRequest } from "../sweep/sweep-options.ts";
import { newCommand, shortenHelp } from "./command.ts";
import { addStartOptions } from "./start-options.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox sweep",
    "Run a command, such as your tests, again and again, each time with one fault in one of its calls, then report the faults that it does not survive to standard error.",
  )
    .usage("[options] -- COMMAND [ARGUMENT...]")
    .argument("[command...]", "command to run, with its arguments (without a shell)")
    .passThroughOptions();
  addSweepOptions(command);
  const ownOptions = command.options.map(({ long }) => long ?? "");
  addStartOptions(command, { port: 0, log: "silent" });
  shortenHelp(command, ownOptions);
  return command
    .addHelpText(
      "after",
      `
Other options are those of card-sandbox start; the variables those of exec.

Exit codes:
  0  success (128 + N if signal N interrupted the sweep)
  1  a cell is damaged, hung or crashed, or the command fails without faults
  2  usage error
  3  the server or the command could not start, or a report could not be written`,
    )
    .action((words: readonly string[]) => exitRepeated(run(words, command)));
}

async function run(words: readonly string[], command: Command): Promise<number> {
  const request = sweepRequest(command);
  return runRepeatedly({
    ...{ name: "sweep", command, words, request },
    run: (subject, options, ports) => sweep(subject, { ...request.sweep, ...options }, ports),
    print(report, paint) {
      if (!request.sweep.list || report.exit_code !== 0) {
        process.stderr.write(sweepTerminalReport(report, paint, process.stderr.columns));
        return;
      }
      process.stdout.write(report.not_run.map((id) => `${id}\n`).join(""));
      const unstable = report.calls.filter((call) => call.unstable !== null);
      if (unstable.length > 0 && !request.sweep.unstable) {
        const calls = unstable.map(({ id }) => id).join(", ");
        process.stderr.write(
          messageLine(`unstable calls, whose cells are listed only with --unstable: ${calls}`, "yellow"),
        );
      }
    },
    format: (report, format) => formatSweep(report, format).text,
  });
}
