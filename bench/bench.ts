// `npm run bench -- --help` tells what it measures.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { divideCores } from "./cores.ts";
import { benchmarksPage, type Findings, isWrong } from "./document.ts";
import { missesGoal } from "./goals.ts";
import { machineLines } from "./machine.ts";
import { measureMemory } from "./memory.ts";
import { readOptions } from "./options.ts";
import { openPeers } from "./peers.ts";
import { measureResets } from "./resets.ts";
import { type Measured, measureRounds, type Step } from "./rounds.ts";
import { rows } from "./rows.ts";
import { openFloors, openRows } from "./servers.ts";
import { openSizes, quickSizes, sizes } from "./sizes.ts";
import { measureStarts } from "./starts.ts";

const root = resolve(import.meta.dirname, "..");
const began = new Date();
const options = readOptions(process.argv.slice(2), root);
/** As it was called, without this machine's folders. */
const given = process.argv.slice(2).map((word) => basename(word));
const { builds, rounds, seconds, quick, chosen } = options;
const tell = (line: string) => void process.stderr.write(`${line}\n`);
const scratch = mkdtempSync(join(tmpdir(), "card-sandbox-bench-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(3));

const cores = divideCores();
tell(cores.description);
// The short ones first, while no other server is there.
const starts = chosen("start") ? await measureStarts(builds, cores, quick ? 3 : 15, tell) : [];
const memory = chosen("memory") ? await measureMemory(builds, cores, quick ? 2_000 : 50_000, tell) : [];
const resets = chosen("reset") ? await measureResets(builds, cores, quick ? 10 : 50) : [];

const opened = await openRows(
  rows.filter(({ name }) => chosen(name)),
  builds,
  cores,
  scratch,
);
const peers = options.peers ? await openPeers(builds[0], cores, scratch, tell) : { steps: [], skipped: [] };
const asked = [...opened.steps, ...peers.steps];
const measured = asked.length > 0 ? await measureBesideFloors(asked, rounds) : [];

const sizeSteps: Step[] = [];
for (const build of chosen("sizes") ? builds : []) {
  sizeSteps.push(...(await openSizes(build, cores, scratch, quick ? quickSizes : sizes, tell)));
}
const sized = sizeSteps.length > 0 ? await measureBesideFloors(sizeSteps, Math.min(rounds, 3)) : [];

/** Measures in turn with both floors, and ends every server then. */
async function measureBesideFloors(steps: readonly Step[], rounds: number): Promise<Measured[]> {
  const found = await measureRounds([...(await openFloors(cores)), ...steps], { rounds, seconds, tell });
  for (const server of new Set(found.map((step) => step.server))) await server.stop();
  return found;
}

const findings: Findings = {
  measured,
  sized,
  skipped: [...opened.skipped, ...peers.skipped],
  starts,
  memory,
  resets,
};
const page = benchmarksPage(findings, {
  machine: machineLines(cores, scratch, began, (Date.now() - began.getTime()) / 1000),
  command: ["npm run bench", ...(given.length > 0 ? ["--", ...given] : [])].join(" "),
  rounds,
  seconds,
  compared: builds.length > 1,
});
process.stdout.write(page);
if (options.write) writeFileSync(join(root, "docs/benchmarks.md"), page);
if (isWrong(findings) || (options.strict && missesGoal(findings))) process.exitCode = 1;
