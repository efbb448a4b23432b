import type { Clock } from "../rules/clock.ts";
import { type ClockState, runningClock, SandboxClock } from "../rules/clock.ts";
import { SetupError } from "../rules/errors.ts";
import { opaqueTokenOf, seededRandom } from "../rules/random.ts";
import { Generations } from "../runtime/generations.ts";
import { Outbox, type Services } from "../runtime/services.ts";
import { Callers } from "../store/callers.ts";
import type { Database } from "../store/database.ts";
import { type Origin, prepareSchema, readClock, readOrigin, writeClock, writeOrigin } from "../store/meta.ts";
import { captureWorld } from "../store/snapshots.ts";
import { plantWorld } from "./plant.ts";
import type { SeedWorld } from "./seed-world.ts";

/** A seed world, and what tells it from another. */
export interface Fixtures {
  readonly world: SeedWorld;
  readonly digest: string;
}

/**
 * How API keys, access tokens and webhook secrets are derived. `reproducible`: from the seed, so anyone who knows it can
 * compute them. `private`: from the seed and a random secret that is stored in the database.
 */
export type SecretsMode = "reproducible" | "private";

/** What a world is opened with. */
export interface WorldPorts {
  /** Empty, or one that a sandbox made: that one keeps its seed, its clock and its world. */
  readonly database: Database;
  /** Real time. */
  readonly clock: Clock;
  /** The seed world that is asked for; a reopened database has to have been made with it. */
  readonly fixtures?: Fixtures | undefined;
  /** The seed world of an empty database where none is asked for. */
  readonly defaultFixtures: () => Fixtures;
  /** Default: what the database keeps, or 1. */
  readonly seed?: number | undefined;
  /** The instant, as `instantOf` writes it, at which time stands still. Default: what the database keeps, or real time. */
  readonly frozenAt?: string | undefined;
  /** Draws 32 bytes that nobody can predict. */
  readonly drawSecret: () => Uint8Array;
  /**
   * Whether a new database gets private secrets, and one with reproducible secrets is refused. Default: a new database
   * gets reproducible secrets, and either kind is opened.
   */
  readonly privateSecrets?: boolean | undefined;
  /** Whether the API keys of the fixtures, whose secrets are public, are accepted and listed; default true. */
  readonly fixtureKeys?: boolean | undefined;
}

export interface OpenWorld {
  readonly seed: number;
  readonly secrets: SecretsMode;
  readonly services: Services;
  readonly clock: SandboxClock;
}

/** Opens the world that the database holds, or plants the seed world in an empty one. */
export function openWorld(ports: WorldPorts): OpenWorld {
  const { database } = ports;
  const kept = readOrigin(database);
  if (kept) refuseOtherwise(kept, ports);
  const fixtures = kept ? undefined : (ports.fixtures ?? ports.defaultFixtures());
  const origin = kept ?? {
    seed: ports.seed ?? 1,
    clock: ports.frozenAt ?? "real",
    fixtures: fixtures?.digest ?? "",
    private_secret: ports.privateSecrets ? opaqueTokenOf(ports.drawSecret()) : undefined,
  };
  const clock = new SandboxClock(ports.clock, clockAtStart(origin));
  const services: Services = {
    database,
    callers: new Callers(database),
    fixtureKeys: ports.fixtureKeys ?? true,
    clock,
    random: seededRandom(origin.seed, origin.private_secret),
    keysInProgress: new Set(),
    cardsChanging: new Set(),
    generations: new Generations(),
    outbox: new Outbox(),
  };
  database.transaction(() => {
    prepareSchema(database);
    if (!fixtures) return;
    writeClock(database, clock.state);
    plantWorld(services, fixtures.world);
    writeOrigin(database, origin);
    captureWorld(database, "start", "", clock.now());
  });
  services.callers.startCaching();
  clock.resume(readClock(database));
  const secrets = origin.private_secret === undefined ? "reproducible" : "private";
  return { seed: origin.seed, secrets, services, clock };
}

/** A reopened database keeps its seed, its clock and its world. */
function refuseOtherwise(kept: Origin, { seed, frozenAt, fixtures, privateSecrets }: WorldPorts): void {
  const remedy = "leave the option out to keep it, or start a new database";
  if (seed !== undefined && seed !== kept.seed) {
    throw new SetupError(`the database was made with seed ${kept.seed}, not ${seed}: ${remedy}`);
  }
  if (frozenAt !== undefined && frozenAt !== kept.clock) {
    const was = kept.clock === "real" ? "runs on real time" : `has its clock at ${kept.clock}`;
    throw new SetupError(`the database ${was}, not at ${frozenAt}: ${remedy}`);
  }
  if (fixtures !== undefined && fixtures.digest !== kept.fixtures) {
    throw new SetupError(`the database was made from other fixtures: ${remedy}`);
  }
  if (privateSecrets && kept.private_secret === undefined) {
    throw new SetupError(
      `the database has reproducible secrets: anyone can compute its API keys, access tokens and webhook secrets from seed ${kept.seed}. To listen beyond loopback, name a new database file with --db, which gets private secrets, or pass --seed ${kept.seed} to accept that`,
    );
  }
}

function clockAtStart({ clock }: Origin): ClockState {
  return clock === "real" ? runningClock : { frozenAtMs: Date.parse(clock), offsetMs: 0 };
}
