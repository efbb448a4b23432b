import { randomInt, randomUUID } from "node:crypto";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/node/database/better-sqlite3.ts";
import { run, startCommandLine, temporaryFolder } from "../support/command-line.ts";
import { killRounds } from "../support/kill-rounds.ts";
import { seededNumbers } from "../support/seeded-random.ts";

const rounds = Number(process.env.KILL_ROUNDS ?? 50);
/** Part of the test names, so that a failure shows it. */
const seed = Number(process.env.KILL_SEED ?? randomInt(1_000_000));

/** The arguments to start with. */
const startedWith: readonly (readonly [string, readonly string[]])[] = [
  ["no further option", []],
  ["full durability", ["--durability", "full"]],
];

test.each(startedWith)(
  `a file keeps every order with a response over ${rounds} kills, with %s (KILL_SEED=${seed})`,
  { timeout: 60_000 + rounds * 5_000 },
  async (_, args) => {
    const { sandbox, file, counts } = await killRounds({ rounds, seed, args });
    expect(counts.cards).toBeGreaterThan(0);
    sandbox.child.kill("SIGKILL");
    await sandbox.ended;
    const database = new BetterSqlite3(file);
    try {
      expect(database.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
      expect(database.pragma("foreign_key_check")).toEqual([]);
      const counted = "SELECT count(*) AS cards FROM cards k WHERE k.company_pk = c.pk";
      const made = "SELECT total(made) FROM card_counts n WHERE n.company_pk = c.pk";
      const wrong = `SELECT slug FROM companies c WHERE (${made}) <> (${counted})`;
      expect(database.prepare(wrong).all()).toEqual([]);
    } finally {
      database.close();
    }
  },
);

test.each(startedWith)(
  `a file is new or complete after its first start was killed, with %s (KILL_SEED=${seed})`,
  { timeout: 180_000 },
  async (_, args) => {
    const random = seededNumbers(seed);
    const startMs = await timeToStart(args);
    for (let n = 0; n < 12; n++) {
      const file = join(temporaryFolder(), "sandbox.db");
      const first = run(["--port", "0", "--db", file, ...args]);
      // The file is made at the end of the start.
      await new Promise((due) => setTimeout(due, startMs * (0.5 + 0.6 * random())));
      first.child.kill("SIGKILL");
      await first.ended;
      const second = await startCommandLine(["--db", file, ...args]);
      expect((await second.order(randomUUID())).status).toBe(201);
      second.child.kill("SIGKILL");
      await second.ended;
      expect(() => openDatabase(file).close()).not.toThrow();
    }
  },
);

async function timeToStart(args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const { child, ended } = await startCommandLine(["--db", join(temporaryFolder(), "sandbox.db"), ...args]);
  const ms = performance.now() - begun;
  child.kill("SIGKILL");
  await ended;
  return ms;
}
