import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ControlServices, createControl } from "../src/control/app.ts";
import { Gate } from "../src/control/gate.ts";
import { readScenarios } from "../src/node/input-files.ts";
import type { Clock } from "../src/rules/clock.ts";
import { shippedScenarios } from "../src/scenarios/shipped.ts";
import { run, temporaryFolder } from "./support/command-line.ts";
import { exec } from "./support/suite.ts";

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
  // The last two are for Docker; test:image runs them.
  expect(
    blocks("sh")
      .slice(5)
      .map((code) => code.split(" ")[0]),
  ).toEqual(["docker", "export"]);
});

test("its exec does what it says", async () => {
  const [, options = ""] = /^npx card-sandbox exec (.*) -- npm test$/m.exec(blocks("sh")[4] ?? "") ?? [];
  const report = join(temporaryFolder(), "report.html");
  const words = options.replace("report.html", report).split(" ");
  const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
  const once = exec(words, `await order("${key}")`);
  expect((await once.ended).code).toBe(1);
  expect(once.output.stderr).toContain("✗ --require: not met: order.replayed");
  expect((await exec(words, `await order("${key}"); await order("${key}")`).ended).code).toBe(0);
  expect(readFileSync(report, "utf8")).toContain("order.<wbr>replayed");
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

const named = (text: string, pattern: RegExp) => [...new Set(text.match(pattern))].toSorted();

async function help(...words: string[]): Promise<string> {
  const { output, ended } = run([...words, "--help"]);
  await ended;
  return output.stdout;
}

describe("its tables of exec", () => {
  const section = readme.slice(
    readme.indexOf("## In continuous integration"),
    readme.indexOf("## In a container"),
  );

  test("name every option that start has not, and none beside", async () => {
    const rows = section.slice(section.indexOf("| Option"), section.indexOf("`--require`, `--exclude` and"));
    const ofStart = await help("start");
    const own = named(await help("exec"), /^ {2}--[a-z][a-z-]+/gm).map((option) => option.trim());
    expect(named(rows, /(?<=^\| `)--[a-z][a-z-]+/gm)).toEqual(
      own.filter((option) => !ofStart.includes(`  ${option} `)),
    );
  });

  test("name every variable that the command is given, and none beside", async () => {
    const print = "console.log(Object.keys(process.env).join())";
    const { output, ended } = exec(["--admin-token", "correct-horse"], print);
    await ended;
    const rows = section.slice(section.indexOf("| Variable"));
    expect(named(rows, /CARD_SANDBOX_[A-Z_]+/g)).toEqual(named(output.stdout, /CARD_SANDBOX_[A-Z_]+/g));
  });

  test("no variable is an option's too, but for the token that is the same", async () => {
    const options = named((await help("exec")).replace(/\s+/g, " "), /(?<=env: )CARD_SANDBOX_[A-Z_]+/g);
    const rows = section.slice(section.indexOf("| Variable"));
    const both = named(rows, /CARD_SANDBOX_[A-Z_]+/g).filter((name) => options.includes(name));
    expect(both).toEqual(["CARD_SANDBOX_ADMIN_TOKEN"]);
  });
});

describe("its commands", () => {
  const section = readme.slice(readme.indexOf("## Commands"), readme.indexOf("## What is served"));

  test("are those that there are", async () => {
    const list = (await help()).split("\nCommands:\n")[1] ?? "";
    const rows = section.slice(0, section.indexOf("| Exit code"));
    const column = [...rows.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = ""]) => cell).join();
    expect(named(column, /(?<=`)[a-z]+/g)).toEqual(named(list, /(?<=^ {2})[a-z]+(?= {2})/gm));
  });

  test("have the exit codes that their help tells, and no others", async () => {
    const told = await Promise.all(
      ["start", "exec", "wait", "health", "env", "keys", "scenarios", "contract", "validate"].map((word) =>
        help(word),
      ),
    );
    const codes = named(told.join("\n"), /(?<=^ {2})[0-9](?= {2})/gm);
    expect(named(section, /(?<=^\| )[0-9](?= \|)/gm)).toEqual(codes);
  });
});

describe("its configuration", () => {
  const rows = readme.slice(readme.indexOf("## Configuration"), readme.indexOf("## License"));

  test("names every option and variable of the command line, and none beside", async () => {
    const said = (await help()).split("\nCommands:\n")[0] ?? "";
    const table = rows.slice(0, rows.indexOf("`npm start --"));
    expect(named(`${table} --help`, /--[a-z][a-z-]+/g)).toEqual(named(said, /--[a-z][a-z-]+/g));
    expect(named(table, /CARD_SANDBOX_[A-Z_]+/g)).toEqual(
      named(said.replace(/\s+/g, " "), /CARD_SANDBOX_[A-Z_]+/g),
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

describe("the sandbox's own API in its table", () => {
  const table = readme.slice(readme.indexOf("## The sandbox's own API"), readme.indexOf("## Configuration"));
  // Nothing is served: the paths alone are read.
  const { routes } = createControl(
    {} as ControlServices,
    new Gate({ kind: "open" }, {} as Clock, () => new Uint8Array()),
  );
  const paths = routes
    .filter(({ method, path }) => method !== "ALL" && !path.startsWith("/_sandbox/ui"))
    .map(({ path }) => path.slice("/_sandbox/".length).replace(/:(id|name)({[^}]*})?/g, "ID"));

  test("the paths are read", () => expect(paths.length).toBeGreaterThan(40));

  test.each([...new Set(paths)])("%s", (path) => {
    // Arming and snapshots go by a name; what follows its like is written with an ellipsis.
    const named = [path, path.replace("/ID", "/NAME"), path.replace(/^.*\/ID\//, "…/")];
    expect(named.some((each) => table.includes(each))).toBe(true);
  });
});

test("docs/contract.md is the contract's: npm run readme writes it", async () => {
  const generator = new URL("../src/contract/contract-page.generate.mjs", import.meta.url).href;
  const { contractPage, contractText } = await import(generator);
  expect(readFileSync(contractPage, "utf8")).toBe(contractText());
});

test("docs/findings.md is the rules': npm run readme writes it", async () => {
  const generator = new URL("../src/journal/findings/findings-page.generate.mjs", import.meta.url).href;
  const { findingsPage, findingsText } = await import(generator);
  expect(readFileSync(findingsPage, "utf8")).toBe(findingsText());
});

test("it names each key of the seed world, and none beside", () => {
  const fixtures = readFileSync(new URL("../fixtures/default.yaml", import.meta.url), "utf8");
  const keys = (text: string) => [...new Set(text.match(/sk_(sandbox|live)_[a-z_]+/g))].toSorted();
  expect(keys(readme)).toEqual(keys(fixtures));
});
