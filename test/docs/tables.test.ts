import type { Tokens } from "marked";
import { describe, expect, onTestFinished, test } from "vitest";
import { sandboxOptions } from "../../src/node/create-sandbox.ts";
import { startOptions, startSandbox } from "../../src/node/start-sandbox.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { pages } from "./pages.ts";

/** The rows of the first table after a heading, as the text of their cells. */
function rowsUnder(path: string, heading: string): string[][] {
  const tokens = pages.find((page) => page.path === path)?.tokens ?? [];
  const from = tokens.findIndex((token) => token.type === "heading" && token.text === heading);
  const table = tokens.slice(from).find((token): token is Tokens.Table => token.type === "table");
  return (table?.rows ?? []).map((row) => row.map(({ text }) => text));
}

/** The names of the members in a cell: `reset` of `reset(company?)`. */
const namesIn = (cell = "") => [...cell.matchAll(/`([A-Za-z_]+)[^`]*`/g)].map(([, name = ""]) => name);

test("docs/scenarios.md names each scenario in the list of responses", () => {
  const cells = rowsUnder("docs/scenarios.md", "Find a scenario").map(([, scenario = ""]) => scenario);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  const scenarios = named.filter((name) => name !== "operation");
  expect([...new Set(scenarios)].toSorted()).toEqual(shippedScenarios.toSorted());
});

describe("docs/testing.md lists each", () => {
  const listed = (heading: string) =>
    rowsUnder("docs/testing.md", heading)
      .flatMap(([cell]) => namesIn(cell))
      .toSorted();

  test("member of a sandbox and of an isolated company", async () => {
    const sandbox = await startSandbox({ port: 0 });
    onTestFinished(() => sandbox.close());
    expect(listed("Sandbox")).toEqual(Object.keys(sandbox).toSorted());
    const company = await sandbox.isolatedCompany();
    expect(listed("Isolated company")).toEqual(Object.keys(company).toSorted());
  });

  test("option of createSandbox and startSandbox", () => {
    const rows = rowsUnder("docs/testing.md", "Options");
    const isForStart = ([, , text = ""]: string[]) => text.startsWith("`startSandbox` only");
    const names = (of: string[][]) => of.flatMap(([cell]) => namesIn(cell)).toSorted();
    expect(names(rows)).toEqual(Object.keys(startOptions).toSorted());
    expect(names(rows.filter((row) => !isForStart(row)))).toEqual(Object.keys(sandboxOptions).toSorted());
  });
});
