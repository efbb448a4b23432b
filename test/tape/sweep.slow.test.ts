import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contrary } from "../../src/node/sweep/contrary.ts";
import { sweep } from "../../src/node/sweep/sweep.ts";
import { readTape } from "../../src/node/tape/tape-file.ts";
import { order } from "../node/sweep/client.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { careless, reported } from "../support/sweep.ts";
import { differencesOf } from "../support/taped.ts";

/** Plays each tape in a folder, and returns the file names without their ending. */
async function played(folder: string): Promise<string[]> {
  const names = readdirSync(folder);
  for (const name of names) {
    const tape = readTape(join(folder, name));
    expect(tape.isComplete, name).toBe(true);
    expect(await differencesOf(tape), name).toEqual([]);
  }
  return names.toSorted();
}

test("sweep() keeps the tapes of exactly the failing cells, which replay without a difference", async () => {
  const folder = join(temporaryFolder(), "tapes");
  const report = await sweep((fixtures) => order(fixtures, { newKey: true }), { jobs: 4, tape: folder });
  expect(report.problem).toBeNull();
  const failing = report.cells.filter(({ verdict }) => !["survived", "not_reached"].includes(verdict));
  expect(failing.length).toBeGreaterThan(5);
  expect(failing.length).toBeLessThan(report.cells.length);
  const kept = report.cells.flatMap(({ tape }) => (tape === undefined ? [] : [tape]));
  expect(failing.map(({ tape }) => tape)).toEqual(kept);
  expect(await played(folder)).toEqual(kept.map((path) => path.slice(folder.length + 1)).toSorted());
});

test("contrary() keeps the tape of each alternative that a client does not survive", async () => {
  const folder = join(temporaryFolder(), "tapes");
  const run = async (fixtures: Parameters<typeof order>[0]) => {
    await order(fixtures);
    const { sandbox, company } = fixtures;
    const exchanged = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
      method: "POST",
      body: JSON.stringify({ api_key: company.apiKey }),
    });
    const { access_token } = (await exchanged.json()) as { access_token: string };
    const listed = await sandbox.fetch("http://sandbox/developer/cards", {
      headers: { Authorization: `Bearer ${access_token}` },
    });
    const { data } = (await listed.json()) as { data?: unknown[] };
    if (data?.length !== 1) throw new Error("the card is not listed");
  };
  const { cells, problem } = await contrary(run, { tape: folder, only: ["lists.*", "replay.*"] });
  expect(problem).toBeNull();
  const kept = cells.flatMap(({ tape }) => (tape === undefined ? [] : [tape]));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(cells.length);
  expect(await played(folder)).toEqual(kept.map((path) => path.slice(folder.length + 1)).toSorted());
});

test("sweep --tape keeps the tapes of a command, and makes the folder", async () => {
  const folder = join(temporaryFolder(), "a/b");
  const { report, output } = await reported(["--tape", folder, "--only", "orderPhysicalCard"], careless);
  expect(report?.problem, output.stderr).toBeNull();
  const kept = report?.cells.flatMap(({ tape }) => (tape === undefined ? [] : [tape])) ?? [];
  expect(kept.join()).toMatch(/\ba.b.orderPhysicalCard-1-lost-response-[0-9a-f]{8}\.tape\b/);
  expect(await played(folder)).toEqual(kept.map((path) => path.slice(folder.length + 1)).toSorted());
});
