import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SweepCell, SweepReport, Verdict } from "../../../src/journal/sweep-report.ts";
import { sweep as sweepInProcess } from "../../../src/node/sweep/sweep.ts";
import { command } from "../../support/command.ts";
import { cli, plainEnvironment } from "../../support/command-line.ts";
import { seededNumbers } from "../../support/seeded-random.ts";

const examples = new URL("../../../examples/sweep/", import.meta.url).pathname;
const { CardClient } = await import(`${examples}careful-client.mjs`);
/** Each of these tests runs a client a hundred times. */
const limitMs = 900_000;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "card-sandbox-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Sweep {
  readonly code: number;
  readonly stderr: string;
  readonly report: SweepReport;
  /** With the output of the client, which the report as JSON does not have. */
  readonly html: string;
}

let count = 0;

async function sweep(options: readonly string[], ...client: readonly string[]): Promise<Sweep> {
  const file = join(folder, `report-${count++}`);
  const { code, stderr } = await command(
    process.execPath,
    [
      ...[cli, "sweep", "--patience", "3s", "--jobs", "2", ...options],
      ...["--report", `${file}.json`, "--report", `${file}.html`],
      ...["--", process.execPath, "--test-reporter=spec", ...client],
    ],
    { env: plainEnvironment() },
  );
  const read = (extension: string) => readFileSync(`${file}.${extension}`, "utf8");
  return { code, stderr, report: JSON.parse(read("json")), html: read("html") };
}

const careless = [`${examples}suite.mjs`, "careless"];
const careful = [`${examples}suite.mjs`, "careful"];
const parallel = [`${examples}parallel-suite.mjs`];

/** The operations with planted mistakes, and the faults that show them. */
const revealing = [
  "orderPhysicalCard,orderVirtualCard,replaceCard,freezeCard,listCards",
  "created-but-502,lost-response,truncated-response,silent-response,lost-in-flight,issuer-rejected",
  "webhook-duplicate",
].join(",");
const sweepOfCareless = ["--only", revealing];

let first: Promise<Sweep> | undefined;
/** The sweep of the careless client, once for all tests. */
function carelessSweep(): Promise<Sweep> {
  first ??= sweep(sweepOfCareless, ...careless);
  return first;
}

/** The mistakes of examples/sweep/careless-client.mjs that one fault shows: each with its cell, and what the cell says. */
const mistakes: readonly [name: string, cell: string, verdict: Verdict, reason: RegExp][] = [
  ["1", "northwind/orderPhysicalCard#1:silent-response", "damaged", /2 cards for one order/],
  ["2", "northwind/orderPhysicalCard#1:lost-response", "damaged", /2 cards for one order/],
  ["3", "northwind/orderPhysicalCard#1:created-but-502", "damaged", /2 cards for one order/],
  ["4", "northwind/orderPhysicalCard#1:truncated-response", "damaged", /2 cards for one order/],
  ["5", "replacements/orderVirtualCard#1:lost-in-flight", "damaged", /2 cards for one order/],
  ["7", "replacements/orderVirtualCard#1:issuer-rejected", "survived", /succeeds/],
  ["8", "replacements/replaceCard#1:lost-response", "damaged", /never told/],
  ["9", "replacements/replaceCard#1:truncated-response", "damaged", /never told/],
  ["10", "northwind/freezeCard#1:lost-response", "damaged", /reports success, but leaves other cards/],
  ["11", "bookkeeping/listCards#1:silent-response", "hung", /no timeout/],
  ["12", "bookkeeping/orderVirtualCard#1:webhook-duplicate", "failed", /exit code 1/],
];

test(
  "finds every planted mistake that one fault shows",
  async () => {
    const { code, report, html } = await carelessSweep();
    expect(code).toBe(1);
    const cells = new Map(report.cells.map((cell) => [cell.id, cell]));
    for (const [name, id, verdict, reason] of mistakes) {
      const cell = cells.get(id);
      expect(cell?.verdict, `mistake ${name}: ${id}`).toBe(verdict);
      expect(cell?.reason, `mistake ${name}: ${id}`).toMatch(reason);
    }
    const retried = cells.get("replacements/orderVirtualCard#1:issuer-rejected");
    expect(retried?.findings).toEqual([expect.stringContaining("RETRY-3")]);
    expect(html).toContain("the books must have each card once");
  },
  limitMs,
);

test(
  "finds the planted mistake that only a second fault shows",
  async () => {
    const id = "replacements/orderVirtualCard#1:lost-response+token-expired";
    const { code, report } = await sweep(["--cell", id], ...careless);
    expect(code).toBe(1);
    expect(report.cells).toMatchObject([{ id, verdict: "damaged", reason: "2 cards for one order" }]);
  },
  limitMs,
);

test(
  "reports the same about the same client a second time",
  async () => {
    const again = await sweep(sweepOfCareless, ...careless);
    expect(withoutDurations(again.report)).toEqual(withoutDurations((await carelessSweep()).report));
  },
  limitMs,
);

test(
  "reaches the same verdict when a cell is repeated",
  async () => {
    const { report } = await carelessSweep();
    const drawn = draw(report.cells, 20);
    const repeated = await Promise.all([repeatAll(drawn.slice(0, 10)), repeatAll(drawn.slice(10))]);
    expect(repeated.flat().map(summary)).toEqual(drawn.map(summary));
  },
  limitMs,
);

test(
  "the careful client is never damaged, and never hangs or crashes, with any two faults in a row",
  async () => {
    const report = await sweepInProcess(
      async ({ sandbox, company: { apiKey, accountId } }) => {
        const client = new CardClient("http://sandbox", apiKey, { fetch: sandbox.fetch });
        const card = await client.orderPhysicalCard({
          account_id: accountId,
          pin: "4821",
          delivery_address: {
            line1: "1 Long Lane",
            city: "London",
            post_code: "SE1 4PG",
            country_code: "GB",
          },
          delivery_method: "express",
        });
        expect((await client.freezeCard(card.id)).status).toBe("frozen");
        const virtual = await client.orderVirtualCard({ account_id: accountId });
        await client.replaceCard(virtual.id, { reason: "lost" });
        await client.createWebhook("http://localhost:9/", ["invoice.created"]);
        expect(await client.listCards()).toHaveLength(3);
      },
      // Most of its time is spent with silent responses.
      { name: "careful", depth: 2, jobs: 16 },
    );
    expect(failing(report)).toEqual([]);
    expect(report.totals.survived).toBeGreaterThan(800);
  },
  limitMs,
);

test.each([
  ["the careful client", careful],
  ["the parallel client", parallel],
])(
  "%s with its suite is never damaged, and never hangs or crashes, with two faults in a row",
  async (_, client) => {
    const options = ["--depth", "2", "--only", "orderVirtualCard,lost-response,lost-in-flight"];
    const { code, report } = await sweep(options, ...client);
    expect(failing(report)).toEqual([]);
    expect(report.totals.survived).toBeGreaterThan(15);
    expect(code).toBe(0);
  },
  limitMs,
);

test("points a suite that never calls the sandbox to sweepTest()", async () => {
  const { code, stderr, report } = await sweep([], "--eval", "");
  expect(code).toBe(1);
  expect(stderr).toContain("sweepTest()");
  expect(report.problem).toContain("sweepTest()");
});

function failing({ cells }: SweepReport): SweepCell[] {
  return cells.filter(({ verdict }) => ["damaged", "hung", "crashed"].includes(verdict));
}

function summary({ id, verdict, reason }: SweepCell) {
  return { id, verdict, reason };
}

/** The report without durations and requests, which are the only difference between two sweeps. */
function withoutDurations({ reference, cells, ...rest }: SweepReport) {
  return {
    ...rest,
    reference: { ...reference, duration_ms: 0 },
    cells: cells.map((cell) => ({ ...cell, duration_ms: 0, evidence: [] })),
  };
}

function draw(cells: readonly SweepCell[], size: number): SweepCell[] {
  const random = seededNumbers(1);
  const rest = [...cells];
  const take = () => rest.splice(Math.floor(random() * rest.length), 1);
  return Array.from({ length: size }, take).flat();
}

/** Runs the commands that repeat cells, one after another. */
async function repeatAll(cells: readonly SweepCell[]): Promise<SweepCell[]> {
  const repeated: SweepCell[] = [];
  for (const { repeat } of cells) {
    const file = join(folder, `repeated-${count++}.json`);
    const [program, subcommand, ...words] = repeat.split(" ");
    expect([program, subcommand]).toEqual(["card-sandbox", "sweep"]);
    await command(process.execPath, [cli, "sweep", "--report", file, ...words], { env: plainEnvironment() });
    const { cells } = JSON.parse(readFileSync(file, "utf8")) as SweepReport;
    repeated.push(...cells);
  }
  return repeated;
}
