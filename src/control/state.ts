import { Hono } from "hono";
import * as z from "zod";
import type { SandboxClock } from "../rules/clock.ts";
import { quoted } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
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
import type { SandboxTime } from "./clock.ts";
import { ControlError, limits, refuseOver } from "./errors.ts";
import { parse, readJson } from "./input.ts";
import { requireCompany } from "./lookup.ts";

const resetRequest = z.strictObject({ company: z.string().optional() });

const snapshotRequest = z.strictObject({
  name: z
    .string({ error: "is required: a name to restore it by" })
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be up to 64 letters, digits, dots, hyphens or underscores, a letter or digit first",
    ),
});

/** Resets the world, and keeps snapshots of it. */
export class SandboxState {
  readonly #services: Services;
  readonly #clock: SandboxClock;
  readonly #scenarios: Scenarios;

  constructor(services: Services, clock: SandboxClock, scenarios: Scenarios) {
    this.#services = services;
    this.#clock = clock;
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
      restoreWorld(this.#services.database, "start", "");
      this.#scenarios.armFromStart();
    });
  }

  /** Resets one company and its clock to its beginning; other companies do not change. */
  resetCompany(name: string): void {
    const { database, generations } = this.#services;
    database.transaction(() => {
      const { pk, slug } = requireCompany(database, name);
      if (!restoreCompany(database, pk)) throw new ControlError(409, `it is not known how ${slug} began`);
      generations.end(pk);
    });
  }

  /** Saves the world under a name; replaces an earlier snapshot of that name. */
  snapshot(input: z.input<typeof snapshotRequest>): SnapshotListing {
    const { name } = parse(snapshotRequest, input);
    const madeAtMs = this.#clock.now();
    const { database } = this.#services;
    database.transaction(() => {
      const others = otherSnapshots(database, name);
      const rows = countWorldRows(database);
      const remedy = "delete some (DELETE /_sandbox/snapshots/NAME)";
      const most = limits.snapshots;
      refuseOver(most, others.count + 1, `a sandbox keeps up to ${most} snapshots: ${remedy}`);
      const held = `this one needs ${rows}, the others hold ${others.rows}`;
      const message = `snapshots hold up to ${limits.snapshotRows} rows together (${held}): ${remedy}`;
      refuseOver(limits.snapshotRows, others.rows + rows, message);
      captureWorld(database, "named", name, madeAtMs);
    });
    return { name, made_at: new Date(madeAtMs).toISOString() };
  }

  restore(name: string): void {
    this.#replaceWorld(() => {
      if (!restoreWorld(this.#services.database, "named", name)) throw unknownSnapshot(name);
      // The snapshot may come from a sandbox that started with another scenario.
      if (!this.#scenarios.isArmedFromStart) this.#scenarios.armFromStart();
    });
  }

  snapshots(): SnapshotListing[] {
    return listSnapshots(this.#services.database);
  }

  deleteSnapshot(name: string): void {
    this.#services.database.transaction(() => {
      if (!deleteSnapshot(this.#services.database, "named", name)) throw unknownSnapshot(name);
    });
  }

  /** Requests in progress belong to the old world: their generation ends. */
  #replaceWorld(restore: () => void): void {
    const { database, generations } = this.#services;
    database.transaction(restore);
    generations.end();
    this.#clock.resume(readClock(database));
  }
}

function unknownSnapshot(name: string): ControlError {
  return new ControlError(404, `no snapshot ${quoted(name)}: GET /_sandbox/snapshots lists what there is`);
}

/** @internal */
export function stateRoutes(state: SandboxState, time: SandboxTime): Hono {
  const routes = new Hono();
  routes.post("/reset", async (c) => {
    const input = await readJson<{ company?: string }>(c);
    state.putBack(input);
    return c.json(time.read(input.company));
  });
  routes.get("/snapshots", (c) => c.json({ snapshots: state.snapshots() }));
  routes.post("/snapshots", async (c) => c.json(state.snapshot(await readJson(c)), 201));
  routes.post("/snapshots/:name/restore", (c) => {
    state.restore(c.req.param("name"));
    return c.json(time.read());
  });
  routes.delete("/snapshots/:name", (c) => {
    state.deleteSnapshot(c.req.param("name"));
    return c.body(null, 204);
  });
  return routes;
}
