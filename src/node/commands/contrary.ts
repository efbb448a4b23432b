import type { Command } from "commander";
import { formatContrary } from "../../journal/formats/contrary.ts";
import { contraryTerminalReport } from "../../journal/formats/contrary-terminal.ts";
import { contrary } from "../../sweep/contrary.ts";
import { addContraryOptions, contraryRequest } from "../sweep/contrary-options.ts";
import { exitRepeated, runRepeatedly } from "../sweep/repeated-command.ts";
import { newCommand, shortenHelp } from "./command.ts";
import { addStartOptions } from "./start-options.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox contrary",
    "Run a command, such as your tests, once under each alternative of each behavior that the specification leaves open, then report the assumptions that it depends on to standard error.",
  )
    .usage("[options] -- COMMAND [ARGUMENT...]")
    .argument("[command...]", "command to run, with its arguments (without a shell)")
    .passThroughOptions();
  addContraryOptions(command);
  const ownOptions = command.options.map(({ long }) => long ?? "");
  addStartOptions(command, { port: 0, log: "silent" });
  shortenHelp(command, ownOptions);
  return command
    .addHelpText(
      "after",
      `
Other options are those of card-sandbox start; the variables those of exec.
With --dialect FILE, one behavior of that dialect is switched at a time.

Exit codes:
  0  success (128 + N if signal N interrupted the runs)
  1  with --fail-on: a dependency; or the command fails as it is
  2  usage error
  3  the server or the command could not start, or a report could not be written`,
    )
    .action((words: readonly string[]) => exitRepeated(run(words, command)));
}

async function run(words: readonly string[], command: Command): Promise<number> {
  const request = contraryRequest(command);
  return runRepeatedly({
    ...{ name: "contrary", command, words, request },
    run: (subject, options, { catalogue: _, ...ports }, { dialect }) =>
      contrary(subject, { ...request.contrary, ...options }, { ...ports, dialect }),
    print(report, paint) {
      if (request.contrary.list) process.stdout.write(report.not_run.map((id) => `${id}\n`).join(""));
      else process.stderr.write(contraryTerminalReport(report, paint));
    },
    format: (report, format) => formatContrary(report, format).text,
  });
}
