import type { ClockState } from "../rules/clock.ts";
import type { Database } from "./database.ts";

const read = "SELECT frozen_at_ms, offset_ms FROM clock";

const write = `
  INSERT INTO clock (pk, frozen_at_ms, offset_ms) VALUES (1, ?, ?)
  ON CONFLICT (pk) DO UPDATE SET frozen_at_ms = excluded.frozen_at_ms, offset_ms = excluded.offset_ms`;

/** Where time stood when it was last set. */
export function readClock(database: Database): ClockState {
  const row = database.get<{ frozen_at_ms: number | null; offset_ms: number }>(read);
  if (!row) throw new Error("the store has no clock: a world was never planted in it");
  return { frozenAtMs: row.frozen_at_ms, offsetMs: row.offset_ms };
}

export function writeClock(database: Database, { frozenAtMs, offsetMs }: ClockState): void {
  database.run(write, frozenAtMs, offsetMs);
}
