// Installs the packed package with each Node, package manager and policy for install scripts, and orders a card. Where
// that fails, it runs the command that the message names. `npm run test:installs -- 20 pnpm` takes only these.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { succeed } from "../support/command.ts";
import { keepBinary, managers, tryInstall } from "./install.ts";
import { installManager, installNode, printTable, StepFailed, Trial } from "./trial.ts";

const root = new URL("../..", import.meta.url).pathname;
/** The npm that comes with each Node; the package `node` has none. */
const lines = { "20": "npm@10", "22": "npm@10", "24": "npm@11", "26": "npm@11" } as const;
type Line = keyof typeof lines;

const asked = process.argv.slice(2);
const known = [...Object.keys(lines), ...Object.keys(managers)];
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`test:installs knows ${known.join(", ")}, not ${unknown.join(", ")}\n`);
  process.exit(2);
}
const selected = <Name extends string>(names: readonly Name[]) => {
  const some = names.filter((name) => asked.includes(name));
  return some.length > 0 ? some : names;
};

const scratch = mkdtempSync(join(tmpdir(), "card-sandbox-installs-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(3));
const home = join(scratch, "home");
mkdirSync(home);
const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch];
const tarball = join(scratch, JSON.parse(await succeed("npm", pack, { cwd: root }))[0].filename);

const installed = new Map<string, Promise<string>>();
/** The folder of a program from the registry, which is installed once. */
function once(name: string, install: () => Promise<string>): Promise<string> {
  const found = installed.get(name) ?? install();
  installed.set(name, found);
  return found;
}

async function binsOf(line: Line, manager: string): Promise<readonly string[]> {
  const node = await once(line, () => installNode(line, scratch));
  const specs = new Set([
    lines[line] as string,
    managers[manager]?.spec === "npm" ? lines[line] : managers[manager]?.spec,
  ]);
  const bins = [...specs]
    .flatMap((spec) => spec ?? [])
    .map((spec) => once(spec, () => installManager(spec, scratch)));
  return [...(await Promise.all(bins)), node];
}

const rows: string[][] = [];
const failures: string[] = [];

async function tryCell(line: Line, manager: string, ignoresScripts: boolean, from: Line = line) {
  const started = performance.now();
  const folder = mkdtempSync(join(scratch, "project-"));
  const name = [
    from === line ? line : `${from}, then ${line}`,
    manager,
    ignoresScripts ? "ignored" : "default",
  ];
  let engine = "";
  let outcome: string;
  try {
    const bins = await binsOf(line, manager);
    const installBins = from === line ? undefined : await binsOf(from, manager);
    const done = await tryInstall({ manager, ignoresScripts, tarball, folder, bins, installBins, home });
    engine = done.engine.version;
    outcome = done.repairs.length === 0 ? "works" : `works after ${done.repairs.join("; ")}`;
    const modules = await new Trial(folder, bins).run("node", "node", [
      "--print",
      "process.versions.modules",
    ]);
    keepBinary(done.engine.folder, home, modules);
  } catch (error) {
    outcome = "FAILED";
    const printed = error instanceof StepFailed ? error.printed.split("\n").slice(-30).join("\n") : "";
    failures.push(`${name.join(", ")}: ${(error as Error).message}\n${printed}`);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  rows.push([...name, engine, String(seconds), outcome]);
  process.stderr.write(`Node ${name.join(", ")}: ${outcome} (${seconds} s)\n`);
  rmSync(folder, { recursive: true, force: true });
}

const nodes = selected(Object.keys(lines) as Line[]);
for (const line of nodes) {
  for (const manager of selected(Object.keys(managers))) {
    for (const ignoresScripts of [false, true]) await tryCell(line, manager, ignoresScripts);
  }
}
for (const manager of selected(Object.keys(managers).filter((name) => name !== "npm ci"))) {
  if (!nodes.includes("20") || !nodes.includes("24")) break;
  await tryCell("24", manager, false, "20");
  await tryCell("20", manager, false, "24");
}
printTable([["Node", "package manager", "scripts", "better-sqlite3", "seconds", "outcome"], ...rows]);
for (const failure of failures) process.stdout.write(`\n${failure}\n`);
process.exitCode = failures.length > 0 ? 1 : 0;
