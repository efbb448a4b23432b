import * as z from "zod";
import type { SandboxClock } from "../rules/clock.ts";
import { quoted } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
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
import { ControlError } from "./control-error.ts";
import { limits, refuseOver } from "./limits.ts";
import { companyNamed } from "./named.ts";
import { parsed } from "./read-json.ts";

const resetRequest = z.strictObject({ company: z.string().optional() });

const snapshotRequest = z.strictObject({
  name: z
    .string({ error: "is required: a name to restore it by" })
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be up to 64 letters, digits, dots, hyphens or underscores, a letter or digit first",
    ),
});

/** Puts the world back, and keeps states of it. */
export class SandboxState {
  readonly #services: Services;
  readonly #clock: SandboxClock;
  readonly #scenarios: Scenarios;

  constructor(services: Services, clock: SandboxClock, scenarios: Scenarios) {
    this.#services = services;
    this.#clock = clock;
    this.#scenarios = scenarios;
  }

  /**
   * Puts everything back, or one company alone.
   * @throws ControlError 404 where there is no such company
   */
  putBack(asked: z.input<typeof resetRequest> = {}): void {
    const { company } = parsed(resetRequest, asked);
    if (company === undefined) this.reset();
    else this.resetCompany(company);
  }

  /** Puts everything back as freshly started: world, counters, clock, tokens, what is armed. Snapshots stay. */
  reset(): void {
    this.#putBack(() => {
      restoreWorld(this.#services.database, "start", "");
      this.#scenarios.armFromStart();
    });
  }

  /**
   * Puts one company back as it began, its clock included, and leaves the others alone.
   * @throws ControlError 404 where there is none
   */
  resetCompany(name: string): void {
    const { database, generations } = this.#services;
    database.transaction(() => {
      const { pk, slug } = companyNamed(database, name);
      if (!restoreCompany(database, pk)) throw new ControlError(409, `it is not known how ${slug} began`);
      generations.end(pk);
    });
  }

  /** Keeps the world under a name, in place of what the name kept before. */
  snapshot(asked: z.input<typeof snapshotRequest>): SnapshotListing {
    const { name } = parsed(snapshotRequest, asked);
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

  /** @throws ControlError 404 where there is none of that name */
  restore(name: string): void {
    this.#putBack(() => {
      if (!restoreWorld(this.#services.database, "named", name)) throw unknownSnapshot(name);
      // The snapshot may be of a sandbox that was started with another.
      if (!this.#scenarios.isArmedFromStart) this.#scenarios.armFromStart();
    });
  }

  snapshots(): SnapshotListing[] {
    return listSnapshots(this.#services.database);
  }

  /** @throws ControlError 404 where there is none of that name */
  deleteSnapshot(name: string): void {
    this.#services.database.transaction(() => {
      if (!deleteSnapshot(this.#services.database, "named", name)) throw unknownSnapshot(name);
    });
  }

  /** What is under way belongs to the world that goes. */
  #putBack(restore: () => void): void {
    const { database, generations } = this.#services;
    database.transaction(restore);
    generations.end();
    this.#clock.resume(readClock(database));
  }
}

function unknownSnapshot(name: string): ControlError {
  return new ControlError(404, `no snapshot ${quoted(name)}: GET /_sandbox/snapshots lists what there is`);
}
