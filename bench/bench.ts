import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { divideCores } from "./cores.ts";
import { readOptions } from "./options.ts";
import { roundsTable } from "./report.ts";
import { measureRounds } from "./rounds.ts";
import { rows } from "./rows.ts";
import { openSteps } from "./servers.ts";

const root = resolve(import.meta.dirname, "..");
const options = readOptions(process.argv.slice(2), root);
const scratch = mkdtempSync(join(tmpdir(), "card-sandbox-bench-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(3));

const tell = (line: string) => process.stderr.write(`${line}\n`);
const cores = divideCores();
tell(cores.description);
const chosen = rows.filter(({ name }) => options.chosen(name));
const { steps, skipped, servers } = await openSteps(chosen, options.builds, cores, scratch);
const measured = await measureRounds(steps, { ...options, tell });
for (const server of servers) await server.stop();
process.stdout.write(roundsTable(measured, skipped, options.builds.length > 1));
if (measured.some(({ loads }) => loads.some(({ wrong }) => wrong.length > 0))) process.exitCode = 1;
