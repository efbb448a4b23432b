import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readScenarios } from "../src/node/scenario-files.ts";
import { shippedScenarios } from "../src/scenarios/shipped.ts";
import { run, temporaryFolder } from "./support/command-line.ts";

const root = new URL("..", import.meta.url).pathname;
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, code = ""]) => code,
  );

/** What `npm start` prints, up to `Ready.`, on a free port. */
async function npmStart(): Promise<string> {
  // A group of its own, so that npm's own child ends with it.
  const child = spawn("npm", ["start"], {
    cwd: root,
    detached: true,
    env: { ...process.env, CARD_SANDBOX_PORT: "0" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(async () => {
    const closed = once(child, "close");
    process.kill(-(child.pid ?? 0), "SIGTERM");
    await closed;
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  while (!printed.includes("Ready.\n")) await once(child.stdout, "data");
  return printed;
}

test("its shell commands do what it says, from npm start on", async () => {
  const [start = "", order = "", point = "", scenario = ""] = blocks("sh");
  expect(start).toBe("npm ci\nnpm start\n");
  const url = /^Sandbox base address +(\S+)$/m.exec(await npmStart())?.[1] ?? "";
  const shell = (script: string) =>
    execFileSync("bash", ["-c", script.replaceAll("http://127.0.0.1:4242", url)], { encoding: "utf8" });

  const first = shell(order);
  expect(JSON.parse(first)).toMatchObject({
    status: "active",
    spending_limit: { period: "monthly", amount: "250.00", currency: "GBP", used: "0.00" },
  });
  expect(shell(order)).toBe(first);
  expect(shell(point).trim()).toBe(blocks("text")[0]?.trim());
  const token = order.slice(0, order.indexOf("\n\n"));
  const statuses = [1, 2, 3].map(() => /^HTTP\/1\.1 ([0-9]+)/.exec(shell(`${token}\n${scenario}`))?.[1]);
  expect(statuses).toEqual(["503", "503", "201"]);
  expect(blocks("sh")).toHaveLength(4);
});

test("it names every scenario in its table, and none beside; and its own scenario file is one", () => {
  const table = readme.slice(readme.indexOf("| You want to see"), readme.indexOf("### Choosing a scenario"));
  const column = [...table.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].map(([, cell = ""]) => cell).join();
  const names = new Set<string>(shippedScenarios);
  const named = [...column.matchAll(/`([a-z0-9-]+)`/g)]
    .map(([, name = ""]) => name)
    .filter((name) => names.has(name) || name.includes("-"));
  expect(named.toSorted()).toEqual(shippedScenarios.toSorted());
  const folder = temporaryFolder();
  writeFileSync(join(folder, "slow-then-full.yaml"), blocks("yaml")[0] ?? "");
  expect(readScenarios(folder).map(({ name }) => name)).toEqual(["slow-then-full"]);
});

test("its JavaScript runs as it stands, and prints what it says", () => {
  const [code = ""] = blocks("js");
  const said = /console\.log\(.*\); \/\/ (.*)$/m.exec(code)?.[1];
  // The package imports itself by its name, as a user's module would.
  const args = ["--input-type=module", "--eval", code];
  expect(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }).trim()).toBe(said);
});

describe("its configuration", () => {
  const rows = readme.slice(readme.indexOf("## Configuration"), readme.indexOf("## License"));
  const named = (text: string, pattern: RegExp) => [...new Set(text.match(pattern))].toSorted();

  test("names every option and variable of the command line, and none beside", async () => {
    const help = run(["--help"]);
    await help.ended;
    const table = rows.slice(0, rows.indexOf("`npm start --"));
    expect(named(`${table} --help`, /--[a-z][a-z-]+/g)).toEqual(named(help.output.stdout, /--[a-z][a-z-]+/g));
    expect(named(table, /CARD_SANDBOX_[A-Z_]+/g)).toEqual(
      named(help.output.stdout.replace(/\s+/g, " "), /CARD_SANDBOX_[A-Z_]+/g),
    );
  });
});

test("its walk-through prints what it says", () => {
  const printed = execFileSync(process.execPath, ["examples/walk-through.mjs"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(blocks("text")[1]).toBe(printed);
});

test("its table of operations is the contract's: npm run readme writes it", async () => {
  const generator = new URL("../src/contract/operations-table.generate.mjs", import.meta.url).href;
  const { operationsTable, tableInReadme } = await import(generator);
  expect(tableInReadme()).toBe(operationsTable());
});

test("it names each key of the seed world, and none beside", () => {
  const fixtures = readFileSync(new URL("../fixtures/default.yaml", import.meta.url), "utf8");
  const keys = (text: string) => [...new Set(text.match(/sk_(sandbox|live)_[a-z_]+/g))].toSorted();
  expect(keys(readme)).toEqual(keys(fixtures));
});
