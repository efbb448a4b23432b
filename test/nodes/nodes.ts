// Runs the whole suite on each Node that the package is for, in a folder of its own with what this work tree holds.
// `npm run test:nodes -- 22 24` runs it on these alone.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { succeed } from "../support/command.ts";
import { installNode, printTable, StepFailed, Trial } from "./trial.ts";

const root = new URL("../..", import.meta.url).pathname;
const supported = ["20", "22", "24", "26"];
/** How long a test may take on a busy machine. */
const testMinutes = 2;

interface Row {
  readonly node: string;
  readonly engine: string;
  readonly outcome: string;
  readonly seconds: number;
  /** What went wrong, to be read below the table. */
  readonly failures: readonly string[];
}

/** What Vitest's JSON reporter writes, as far as it is read here. */
interface Results {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The work tree as it stands, committed or not, without what is built or installed in it. */
async function copyWorkTree(to: string): Promise<void> {
  const listed = await succeed("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  for (const name of listed.split("\0")) {
    if (name && existsSync(join(root, name))) cpSync(join(root, name), join(to, name));
  }
}

async function install(trial: Trial, line: string): Promise<void> {
  if (Number(line) < 22) return void (await trial.run("npm ci", "npm", ["ci", "--no-audit", "--no-fund"]));
  // The lockfile holds better-sqlite3 at 12, for Node 20; 13 brings its binary along.
  const args = ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
  await trial.run("npm install", "npm", args);
}

async function tryNode(line: string, scratch: string): Promise<Row> {
  const started = performance.now();
  const nodeFolder = join(scratch, `node-${line}`);
  const folder = join(scratch, `suite-${line}`);
  let node = line;
  let engine = "";
  const row = (outcome: string, failures: readonly string[]): Row => ({
    node,
    engine,
    outcome,
    seconds: Math.round((performance.now() - started) / 1000),
    failures,
  });
  try {
    mkdirSync(folder);
    const trial = new Trial(folder, [await installNode(line, scratch)]);
    node = (await trial.run("node --version", "node", ["--version"])).slice(1);
    if (node.split(".")[0] !== line) throw new StepFailed(`npm installed Node ${node}: node@${line}`, "");
    await copyWorkTree(folder);
    await install(trial, line);
    const manifest = join(folder, "node_modules", "better-sqlite3", "package.json");
    engine = JSON.parse(readFileSync(manifest, "utf8")).version;
    await trial.run("npm run build", "npm", ["run", "build"]);
    const results = await runSuite(trial);
    const counts = `${results.numPassedTests} of ${results.numTotalTests} passed`;
    return row(results.success ? counts : `${counts}, ${results.numFailedTests} failed`, failuresIn(results));
  } catch (error) {
    const printed = error instanceof StepFailed ? error.printed.split("\n").slice(-30).join("\n") : "";
    return row((error as Error).message.split("\n")[0] ?? "failed", [
      printed || String((error as Error).message),
    ]);
  } finally {
    rmSync(nodeFolder, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runSuite(trial: Trial): Promise<Results> {
  const file = join(trial.folder, "results.json");
  const reported = ["--reporter=json", `--outputFile=${file}`];
  const args = ["vitest", "run", "--project", "unit", `--testTimeout=${testMinutes * 60_000}`, ...reported];
  const failure = await trial.run("the suite", "npx", args).catch((error: Error) => error);
  const results: Results | undefined = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  // Which tests failed is told by the results; what failed beside them is not.
  if (failure instanceof Error && results?.success !== false) throw failure;
  if (!results) throw new StepFailed("the suite", "it wrote no results");
  return results;
}

function failuresIn({ testResults }: Results): string[] {
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName, failureMessages: [message = ""] }) => `${fullName}: ${firstLine(message)}`);
      return (failed.length > 0 ? failed : [message]).map(
        (text) => `${name.split("/test/").at(-1)}: ${text}`,
      );
    });
}

/** Vitest's reporter has no other word for a test that took too long. */
function firstLine(message: string): string {
  const [line = ""] = message.split("\n");
  return line.replace("Error: STACK_TRACE_ERROR", "timed out");
}

const asked = process.argv.slice(2);
const unknown = asked.filter((line) => !supported.includes(line));
if (unknown.length > 0) {
  process.stderr.write(`test:nodes knows the Nodes ${supported.join(", ")}, not ${unknown.join(", ")}\n`);
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), "card-sandbox-nodes-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(3));
const rows: Row[] = [];

for (const line of asked.length > 0 ? asked : supported) {
  process.stderr.write(`Node ${line} …\n`);
  const row = await tryNode(line, scratch);
  process.stderr.write(`Node ${row.node}: ${row.outcome}\n`);
  rows.push(row);
}
printTable([
  ["Node", "better-sqlite3", "seconds", "outcome"],
  ...rows.map(({ node, engine, seconds, outcome }) => [node, engine, String(seconds), outcome]),
]);
for (const { node, failures } of rows) {
  for (const failure of failures) process.stdout.write(`\nNode ${node}: ${failure}\n`);
}
process.exitCode = rows.some(({ failures }) => failures.length > 0) ? 1 : 0;
