import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Tokens } from "marked";
import { describe, expect, test } from "vitest";
import { partsIn } from "../../build/docs.ts";
import { operationIds, operations } from "../../src/contract/operations.ts";
import { contractPoints } from "../../src/contract/points.ts";
import { controlDocument } from "../../src/control/openapi/document.ts";
import { ruleIds } from "../../src/journal/findings/rules.ts";
import { clientVariables } from "../../src/node/client-variables.ts";
import { commands } from "../../src/node/commands/commands.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { run } from "../support/command-line.ts";
import { allTokens, pages, root } from "./pages.ts";

const tables = pages.flatMap(({ tokens }) =>
  allTokens(tokens).filter((token): token is Tokens.Table => token.type === "table"),
);

/** The names in a column of all tables whose first column has this head, without code marks and arguments. */
function entries(head: string, column = 0): string[] {
  return tables
    .filter(({ header }) => header[0]?.text === head)
    .flatMap(({ rows }) =>
      rows.flatMap((row) => /^`(?:-\w, )?([^`<[]*[^`<[ ])/.exec(row[column]?.text ?? "")?.[1] ?? []),
    );
}

const sorted = (names: Iterable<string>) => [...names].toSorted();

describe("exactly one reference entry has each", () => {
  test("scenario", () => expect(sorted(entries("Scenario"))).toEqual(sorted(shippedScenarios)));

  test("contract point", () => expect(sorted(entries("Point"))).toEqual(sorted(Object.keys(contractPoints))));

  test("finding", () => {
    const headings = pages.flatMap(({ tokens }) =>
      allTokens(tokens).flatMap((token) => (token.type === "heading" ? String(token.text) : [])),
    );
    const ids = headings.flatMap((heading) => /^[A-Z]+-[0-9]+(?=:)/.exec(heading)?.[0] ?? []);
    expect(sorted(ids)).toEqual(sorted(ruleIds));
  });

  test("operation of the service", () => {
    const paths = operationIds.map((id) => {
      const { method, path } = operations[id];
      return `${method} ${path.replace(/:([a-z]+)/g, "{$1}")}`;
    });
    expect(sorted(entries("Operation").filter((name) => !name.includes("_sandbox")))).toEqual(sorted(paths));
  });

  test("operation of the control API", () => {
    const paths = Object.entries(controlDocument().paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods ?? {}).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(sorted(entries("Operation").filter((name) => name.includes("_sandbox")))).toEqual(sorted(paths));
  });

  test("command", () => {
    expect(entries("Command")).toEqual(Object.keys(commands).map((name) => `card-sandbox ${name}`));
  });

  test("option of a command", async () => {
    const { options } = await define("start");
    const withInner = (command: Command): Command[] => [command, ...command.commands.flatMap(withInner)];
    const others = (await Promise.all(Object.keys(commands).map(define))).flatMap(withInner);
    const own = others.flatMap((command) =>
      command.options.filter(({ flags }) => !options.some((each) => each.flags === flags)),
    );
    const all = [...options, ...own].flatMap(({ long }) => (long && long !== "--version" ? long : []));
    const listed = entries("Option").filter((name) => all.includes(name));
    expect(sorted(listed)).toEqual(sorted(all));
  });

  test("environment variable", async () => {
    const { options } = await define("start");
    const given = Object.keys(clientVariables({ url: "", liveUrl: "", adminToken: undefined }, []));
    const ofOptions = options.flatMap(({ envVar }) => envVar ?? []);
    const ofColors = ["FORCE_COLOR", "NO_COLOR"];
    expect(sorted(entries("Variable"))).toEqual(sorted([...given, ...ofColors]));
    expect(sorted(entries("Option", 1).filter((name) => !given.includes(name)))).toEqual(
      sorted(ofOptions.filter((name) => !given.includes(name))),
    );
  });

  test("exit code of the commands' help", async () => {
    const helps = await Promise.all(
      Object.keys(commands).map(async (name) => {
        const { output, ended } = run([name, "--help"]);
        await ended;
        return output.stdout;
      }),
    );
    const codes = helps.flatMap((help) =>
      [...help.matchAll(/^ {2}([0-9])(?= {2})/gm)].map(([, code = ""]) => code),
    );
    expect(entries("Exit code")).toEqual(sorted(new Set(codes)));
  });
});

async function define(name: string) {
  const command = await commands[name]?.load();
  if (!command) throw new Error(`${name}: no such command`);
  return command.define();
}

test("reference tables are generated, not written", () => {
  const heads = ["Scenario", "Point", "Exit code", "Command"];
  for (const { path, text } of pages) {
    const written = text.replace(/^<!-- generated: [\s\S]*?^<!-- \/generated -->$/gm, "");
    for (const head of heads) expect([path, written.includes(`\n| ${head} |`)]).toEqual([path, false]);
  }
  expect(pages.some(({ text }) => partsIn(text).includes("options"))).toBe(true);
});

test("the API keys in the pages are those of the default world, or of a page's own fixtures", () => {
  const keys = (text: string) => text.match(/\bsk_(sandbox|live)_[a-z_]+\b/g) ?? [];
  const own = pages.flatMap(({ blocks }) => blocks.filter(({ language }) => language === "yaml"));
  const documented = new Set(pages.flatMap(({ text }) => keys(text)));
  const fixtures = readFileSync(join(root, "fixtures/default.yaml"), "utf8");
  const known = new Set([fixtures, ...own.map(({ code }) => code)].flatMap(keys));
  expect(sorted(documented)).toEqual(sorted(known));
});

test("the README stays short: it leads into docs/", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  expect(text.split("\n").length - 1).toBeLessThanOrEqual(150);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12_000);
});
