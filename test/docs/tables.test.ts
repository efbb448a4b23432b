import { describe, expect, onTestFinished, test } from "vitest";
import { gridOf } from "../../src/journal/formats/sweep-grid.ts";
import { sandboxOptions } from "../../src/node/create-sandbox.ts";
import { startOptions, startSandbox } from "../../src/node/start-sandbox.ts";
import { sweepOptions } from "../../src/node/sweep/sweep.ts";
import { shippedScenarios } from "../../src/scenarios/shipped.ts";
import { faultNames } from "../../src/sweep/faults.ts";
import { sweepCell, sweepReport } from "../support/sweep-report.ts";
import { rowsUnder } from "./rows-under.ts";

/** The names of the members in a cell: `reset` of `reset(company?)`. */
const namesIn = (cell = "") => [...cell.matchAll(/`([A-Za-z_]+)[^`]*`/g)].map(([, name = ""]) => name);

test("docs/scenarios.md names each scenario in the list of responses", () => {
  const cells = rowsUnder("docs/scenarios.md", "Find a scenario").map(([, scenario = ""]) => scenario);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  const scenarios = named.filter((name) => name !== "operation");
  expect([...new Set(scenarios)].toSorted()).toEqual(shippedScenarios.toSorted());
});

test("docs/sweep.md lists each fault with its column in the grid", () => {
  const listed = rowsUnder("docs/sweep.md", "Faults").flatMap(([faults = "", headings = ""]) => {
    const columns = headings.split(", ");
    return [...faults.matchAll(/`([^`]+)`/g)].map(([, fault], i) => `${fault}: ${columns[i]}`);
  });
  const { columns } = gridOf(
    sweepReport(faultNames.map((fault) => sweepCell(`orderPhysicalCard#1:${fault}`, "survived"))),
    1,
  );
  const faults = columns.flatMap((column) => column.faults.map((fault) => `${fault}: ${column.heading}`));
  expect(faults).toHaveLength(faultNames.length);
  expect(listed.toSorted()).toEqual(faults.toSorted());
});

test("docs/sweep.md lists each option of sweep()", () => {
  const listed = rowsUnder("docs/sweep.md", "In a test process").flatMap(([cell]) => namesIn(cell));
  // A sweep keeps the tapes of cells, which is another option than that of a sandbox.
  const own = Object.keys(sweepOptions).filter(
    (name) => !Object.hasOwn(sandboxOptions, name) || name === "tape",
  );
  expect(listed.toSorted()).toEqual(own.toSorted());
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
