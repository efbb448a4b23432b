import { randomInt } from "node:crypto";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { killRounds } from "../support/kill-rounds.ts";

const rounds = Number(process.env.KILL_ROUNDS ?? 50);
/** Part of the test's name, so that one that fails says it. */
const seed = Number(process.env.KILL_SEED ?? randomInt(1_000_000));

/** What is held to the rounds: each row is the options to start with. */
const startedWith: readonly (readonly [string, readonly string[]])[] = [
  ["no further option", []],
  ["full durability", ["--durability", "full"]],
];

test.each(startedWith)(
  `a file keeps what was answered over ${rounds} kills, with %s (KILL_SEED=${seed})`,
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
      const wrong = `SELECT slug FROM companies c WHERE cards_made <> (${counted})`;
      expect(database.prepare(wrong).all()).toEqual([]);
    } finally {
      database.close();
    }
  },
);
