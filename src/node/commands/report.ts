import type { Command } from "commander";
import { runReport } from "../../control/openapi/responses.ts";
import { evidenceIn, latestOf } from "../../journal/findings/evidence.ts";
import { terminalReport } from "../../journal/formats/terminal.ts";
import type { JournalListing } from "../../journal/journal.ts";
import { merged, mergedEvidence, type Source } from "../../journal/merge.ts";
import { type GateEvidence, type RunReport, type SuiteReport, suiteReport } from "../../journal/suite.ts";
import { quoted, SetupError } from "../../rules/errors.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { painter } from "../colors.ts";
import { version } from "../create-sandbox.ts";
import { readJson, writeReports } from "../exec/report-files.ts";
import { addSuiteOptions, suiteOptions } from "../exec/suite-options.ts";
import { baseUrl, callControl } from "../running-sandbox.ts";
import { adminTokenOption, localUrl, newCommand } from "./command.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox report",
    "Judge the requests that running sandboxes received, or JSON reports of exec, by the gates of exec. Several are merged, as if all their tests had run against one sandbox.",
  )
    .usage("[options] [URL|FILE...]")
    .argument(
      "[sources...]",
      `base URLs of running sandboxes, or JSON reports (default: CARD_SANDBOX_URL, or ${localUrl})`,
    );
  addSuiteOptions(command).addOption(adminTokenOption());
  return command
    .addHelpText(
      "after",
      `
Exit codes:
  0  success
  1  a gate failed, or the command of a report
  2  usage error, or a file is no report of this version
  3  a sandbox does not respond, or a report could not be written

Examples:
  card-sandbox report --fail-on warn http://127.0.0.1:4242
  card-sandbox report --fail-on warn --report all.html shard-1.json shard-2.json`,
    )
    .action(async (given: readonly string[]) => {
      const { gates, exclude, files } = suiteOptions(command);
      const { adminToken } = command.opts<{ adminToken?: string }>();
      const sources = await readSources(given, adminToken);
      const verdict = suiteReport(gates, merged(sources, exclude), mergedEvidence(sources));
      const report = writeReports(verdict, gates, files);
      process.stdout.write(terminalReport(report, painter(process.stdout)));
      process.exitCode = report.exit_code;
    });
}

async function readSources(given: readonly string[], adminToken: string | undefined): Promise<Source[]> {
  const repeated = given.find((name, at) => given.indexOf(name) !== at);
  if (repeated !== undefined) throw new SetupError(`${repeated}: is given twice. Name each source once.`);
  if (given.length === 0) return [await runningSandbox(baseUrl(undefined, process.env), adminToken)];
  return Promise.all(
    given.map(async (name) =>
      /^https?:/i.test(name) ? runningSandbox(baseUrl(name, process.env), adminToken) : savedReport(name),
    ),
  );
}

async function runningSandbox(url: string, adminToken: string | undefined): Promise<Source> {
  const get = <Body>(path: string) => callControl<Body>({ url, adminToken }, "GET", path);
  const received = await get("/report?final=true");
  const report = checked(url, received, "does not send a report. Check that it is a card-sandbox server.");
  const { requests } = await get<JournalListing>("/requests?limit=1000");
  const { scenarios } = await get<{ readonly scenarios: readonly Scenario[] }>("/scenarios");
  const evidence: GateEvidence = {
    latest(operations, company) {
      const included = requests.filter(
        ({ operation, caller }) =>
          (company === null || caller?.company === company.replace(/^live\//, "")) &&
          (operations === undefined || (operation !== null && operations.includes(operation))),
      );
      return latestOf(included, ({ operation }) => operation).map(evidenceIn);
    },
    operationsOf: (name) => scenarios.find((each) => each.name === name)?.on ?? [],
  };
  return { name: url, report, commands: [], evidence };
}

/** @throws SetupError if the file cannot be read, or is not a JSON report of this version */
function savedReport(file: string): Source {
  const saved = readJson(file, file) as Partial<SuiteReport> | null;
  const report = checked(file, saved, "is not a report of exec. Write one with exec --report FILE.json.");
  return { name: file, report, commands: Array.isArray(saved?.commands) ? saved.commands : [] };
}

/** @throws SetupError if it is of another version of card-sandbox, whose rules differ, or is no report */
function checked(name: string, received: unknown, problem: string): RunReport {
  const { version: its, coverage } = (received ?? {}) as Partial<RunReport>;
  if (typeof its === "string" && coverage && its !== version) {
    throw new SetupError(
      `${name}: is of card-sandbox ${quoted(its)}, but this is ${version}. Use the same version for all.`,
    );
  }
  if (!runReport.safeParse(received).success) throw new SetupError(`${name}: ${problem}`);
  return received as RunReport;
}
