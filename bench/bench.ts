// `npm run bench -- --help` lists the options.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join, relative, resolve } from "node:path";
import { goalsTable, missesGoal } from "./goals.ts";
import { readOptions } from "./options.ts";
import { figuresOf, withFigures } from "./page.ts";
import { openPeers } from "./peers.ts";
import { measureRounds, openBaselines } from "./rounds.ts";
import { openRows, rows } from "./rows.ts";
import { divideCores } from "./server.ts";
import { measureStarts } from "./starts.ts";
import { measureTestRuns, measureVitest } from "./test-run.ts";

const root = resolve(import.meta.dirname, "..");
const { rounds, seconds, quick, only, dir, node, peers, write, strict } = readOptions(process.argv.slice(2));
const builds = [
  { name: "this", folder: root },
  ...dir.map((folder) => ({ name: relative(root, folder), folder })),
];
const isChosen = (name: string) => only.length === 0 || only.includes(name);
const cards = quick ? 2000 : 100_000;
const log = (line: string) => void process.stderr.write(`${line}\n`);

const scratch = mkdtempSync(join(tmpdir(), "card-sandbox-bench-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(3));

const cores = divideCores();
log(cores);
// First, while no other server runs.
const testCosts = isChosen("test-run") ? measureTestRuns(builds, quick ? 3 : 15) : [];
if (isChosen("vitest") && !quick) testCosts.push(...measureVitest(builds, 2, join(scratch, "vitest")));
const starts = isChosen("start")
  ? await measureStarts(builds, quick ? 3 : 15, node, join(scratch, "nodes"))
  : [];

const chosen = rows.filter(({ name }) => isChosen(name));
const targets = await openRows(chosen, builds, scratch, cards);
const { targets: others, skipped } = peers ? await openPeers(scratch, log) : { targets: [], skipped: [] };
targets.push(...others);
const measured =
  targets.length > 0
    ? await measureRounds([...(await openBaselines()), ...targets], { rounds, seconds, log })
    : [];

const figures = { measured, starts, testCosts };
const text = figuresOf(figures, {
  machine: [
    cpus()[0]?.model.trim(),
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Node ${process.versions.node}`,
    cores,
    new Date().toISOString().slice(0, 10),
  ].join("; "),
  command: ["npm run bench --", ...process.argv.slice(2)].join(" "),
  rounds,
  seconds,
  cards,
  skipped,
});
process.stdout.write(text);
log(goalsTable(figures));
const page = join(root, "docs/benchmarks.md");
if (write) writeFileSync(page, withFigures(readFileSync(page, "utf8"), text));
const hasProblem = measured.some(({ loads }) => loads.some(({ problems }) => problems.length > 0));
if (hasProblem || (strict && missesGoal(figures))) process.exitCode = 1;
