import * as z from "zod";
import { quoted } from "../rules/errors.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import { readClock } from "../store/meta.ts";
import {
  captureWorld,
  countWorldRows,
  deleteSnapshot,
  listSnapshots,
  otherSnapshots,
  restoreCompany,
  restoreWorld,
  type SnapshotListing,
} from "../store/snapshots.ts";
import type { OpenWorld } from "../world/open-world.ts";
import type { SandboxTime } from "./clock.ts";
import { ControlError, limits, refuseOver } from "./errors.ts";
import { parse, readJson, requiredText } from "./input.ts";
import { requireCompany } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

type RestartableWorld = Pick<OpenWorld, "services" | "clock" | "restart">;

export const resetRequest = z.lazy(() => z.strictObject({ company: z.string().optional() }));

export const snapshotRequest = z.lazy(() =>
  z.strictObject({
    name: requiredText('a snapshot name, such as "before-the-test"').regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must have 1 to 64 letters, digits, dots, hyphens or underscores, and begin with a letter or a digit",
    ),
  }),
);

/** Resets the world, and keeps snapshots of it. */
export class SandboxState {
  readonly #world: RestartableWorld;
  readonly #scenarios: Scenarios;

  constructor(world: RestartableWorld, scenarios: Scenarios) {
    this.#world = world;
    this.#scenarios = scenarios;
  }

  /** Resets everything, or one company. */
  putBack(input: z.input<typeof resetRequest> = {}): void {
    const { company } = parse(resetRequest, input);
    if (company === undefined) this.reset();
    else this.resetCompany(company);
  }

  /** Resets world, counters, clock, tokens and armed scenarios to the sandbox's start. Snapshots stay. */
  reset(): void {
    this.#replaceWorld(() => {
      this.#world.restart();
      this.#scenarios.armFromStart();
    });
  }

  /** Resets one company and its clock to its beginning; other companies do not change. */
  resetCompany(name: string): void {
    const { database, generations } = this.#world.services;
    database.transaction(() => {
      const { pk, slug } = requireCompany(database, name);
      generations.ending(pk);
      if (!restoreCompany(database, pk))
        throw new ControlError(
          409,
          `company: ${slug} cannot be reset, because its initial state is unknown. Delete it, or reset the whole world.`,
        );
      generations.end(pk);
    });
  }

  /** Saves the world under a name; replaces an earlier snapshot of that name. */
  snapshot(input: z.input<typeof snapshotRequest>): SnapshotListing {
    const { name } = parse(snapshotRequest, input);
    const madeAtMs = this.#world.clock.now();
    const { database } = this.#world.services;
    database.transaction(() => {
      const others = otherSnapshots(database, name);
      const rows = countWorldRows(database);
      const remedy = "Delete some with DELETE /_sandbox/snapshots/NAME";
      const most = limits.snapshots;
      refuseOver(most, others.count + 1, `the sandbox can hold at most ${most} snapshots. ${remedy}.`);
      const held = `the new snapshot has ${rows}, the others have ${others.rows}`;
      const message = `snapshots can have at most ${limits.snapshotRows} rows together (${held}). ${remedy}.`;
      refuseOver(limits.snapshotRows, others.rows + rows, message);
      captureWorld(database, "named", name, madeAtMs);
    });
    return { name, made_at: new Date(madeAtMs).toISOString() };
  }

  restore(name: string): void {
    this.#replaceWorld(() => {
      if (!restoreWorld(this.#world.services.database, "named", name)) throw unknownSnapshot(name);
      // The snapshot may come from a sandbox that started with another scenario.
      if (!this.#scenarios.isArmedFromStart) this.#scenarios.armFromStart();
    });
  }

  snapshots(): SnapshotListing[] {
    return listSnapshots(this.#world.services.database);
  }

  deleteSnapshot(name: string): void {
    this.#world.services.database.transaction(() => {
      if (!deleteSnapshot(this.#world.services.database, "named", name)) throw unknownSnapshot(name);
    });
  }

  /** Requests in progress belong to the old world: their generation ends. */
  #replaceWorld(restore: () => void): void {
    const { database, generations } = this.#world.services;
    generations.ending();
    try {
      database.transaction(restore);
    } finally {
      this.#world.clock.resume(readClock(database));
    }
    generations.end();
  }
}

function unknownSnapshot(name: string): ControlError {
  return new ControlError(
    404,
    `name: no snapshot has the name ${quoted(name)}. GET /_sandbox/snapshots lists all snapshots.`,
  );
}

/** @internal */
export function stateHandlers(
  state: SandboxState,
  time: SandboxTime,
): ControlHandlers<"reset" | "listSnapshots" | "createSnapshot" | "restoreSnapshot" | "deleteSnapshot"> {
  return {
    reset: async (c) => {
      const input = await readJson<{ company?: string }>(c);
      state.putBack(input);
      return c.json(time.read(input.company));
    },
    listSnapshots: (c) => c.json({ snapshots: state.snapshots() }),
    createSnapshot: async (c) => c.json(state.snapshot(await readJson(c)), 201),
    restoreSnapshot: (c) => {
      state.restore(c.req.param("name"));
      return c.json(time.read());
    },
    deleteSnapshot: (c) => {
      state.deleteSnapshot(c.req.param("name"));
      return c.body(null, 204);
    },
  };
}
