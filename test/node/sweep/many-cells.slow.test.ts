import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { succeed } from "../../support/command.ts";

interface Mark {
  readonly cpuMs: number;
  readonly heapBytes: number;
}

/** With the built package, and in a process of its own, whose memory nothing else uses. */
test("2,000 cells in a process take little time and no memory", { timeout: 900_000 }, async () => {
  const script = fileURLToPath(new URL("./many-cells.mjs", import.meta.url));
  const output = await succeed(process.execPath, ["--expose-gc", script]);
  const { cells, marks, bad } = JSON.parse(output) as {
    cells: number;
    marks: Record<string, Mark>;
    bad: string[];
  };
  expect(bad).toEqual([]);
  expect(cells).toBeGreaterThanOrEqual(2000);
  // Time of the processor, because the machine may be busy. On an idle one, it is about half of this.
  expect(marks[500]?.cpuMs).toBeLessThan(15_000);
  // The reports with their evidence, and the objects of the closed databases, which better-sqlite3 keeps: about 12 KB for each
  // cell.
  expect((marks[2000]?.heapBytes ?? 0) - (marks[500]?.heapBytes ?? 0)).toBeLessThan(27e6);
});
