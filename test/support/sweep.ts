import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SweepReport } from "../../src/journal/sweep-report.ts";
import { type Run, run, temporaryFolder } from "./command-line.ts";
import { suiteOf } from "./suite.ts";

/** Sends each order up to three times, with a new key. */
export const careless = `
for (let i = 0; i < 3; i++) {
  try {
    const response = await order();
    if (response.status === 201) { await response.json(); process.exit(0); }
  } catch (error) { console.log(String(error)); }
}
process.exit(1);`;

/** Orders once, and reports every other response. */
export const strict = `
const response = await order();
if (response.status !== 201) { console.log("status " + response.status); process.exit(4); }
await response.json();`;

export function sweepOf(options: readonly string[], code: string): Run {
  return run(["sweep", ...options, "--", ...suiteOf(code)]);
}

/** Sweeps a client, and reads the report. */
export async function reported(options: readonly string[], code: string) {
  const file = join(temporaryFolder(), "report.json");
  const { output, ended } = sweepOf(["--report", file, ...options], code);
  const { code: exitCode } = await ended;
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as SweepReport) : undefined;
  const verdicts = Object.fromEntries(report?.cells.map(({ id, verdict }) => [id, verdict]) ?? []);
  return { file, output, exitCode, report, verdicts };
}
