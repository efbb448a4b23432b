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
import { loadFixtures } from "./load-fixtures.ts";
import type { SeedWorld } from "./seed-world.ts";

/** The fixtures and their digest. */
export interface Fixtures {
  readonly world: SeedWorld;
  readonly digest: string;
}

/**
 * How API keys, access tokens and webhook secrets are derived. `reproducible`: from the seed, so anyone who knows it can
 * compute them. `private`: from the seed and a random secret that is stored in the database.
 */
export type SecretsMode = "reproducible" | "private";

/** The options and ports for opening a world. */
export interface WorldPorts {
  /** Empty, or made by a sandbox. If a sandbox made it, it keeps its seed, its clock and its world. */
  readonly database: Database;
  /** Real time. */
  readonly clock: Clock;
  /** The chosen fixtures. A database that is opened again must have been made with them. */
  readonly fixtures?: Fixtures | undefined;
  /** The fixtures of an empty database if none are chosen. */
  readonly defaultFixtures: () => Fixtures;
  /** Default: the database's, or 1. */
  readonly seed?: number | undefined;
  /** The instant, as `instantOf` writes it, at which the clock is frozen. Default: the database's, or real time. */
  readonly frozenAt?: string | undefined;
  /** Returns 32 unpredictable bytes. */
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

/** Opens the database's world, or loads the fixtures into an empty database. */
export function openWorld(ports: WorldPorts): OpenWorld {
  const { database } = ports;
  const existing = readOrigin(database);
  if (existing) refuseContradiction(existing, ports);
  const fixtures = existing ? undefined : (ports.fixtures ?? ports.defaultFixtures());
  const origin = existing ?? {
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
    loadFixtures(services, fixtures.world);
    writeOrigin(database, origin);
    captureWorld(database, "start", "", clock.now());
  });
  services.callers.startCaching();
  clock.resume(readClock(database));
  const secrets = origin.private_secret === undefined ? "reproducible" : "private";
  return { seed: origin.seed, secrets, services, clock };
}

/** Refuses options that contradict those with which the database was made. */
function refuseContradiction(
  existing: Origin,
  { seed, frozenAt, fixtures, privateSecrets }: WorldPorts,
): void {
  const remedy = "leave the option out to keep it, or start a new database";
  if (seed !== undefined && seed !== existing.seed) {
    throw new SetupError(`the database was made with seed ${existing.seed}, not ${seed}: ${remedy}`);
  }
  if (frozenAt !== undefined && frozenAt !== existing.clock) {
    const was = existing.clock === "real" ? "runs on real time" : `has its clock at ${existing.clock}`;
    throw new SetupError(`the database ${was}, not at ${frozenAt}: ${remedy}`);
  }
  if (fixtures !== undefined && fixtures.digest !== existing.fixtures) {
    throw new SetupError(`the database was made from other fixtures: ${remedy}`);
  }
  if (privateSecrets && existing.private_secret === undefined) {
    throw new SetupError(
      `the database has reproducible secrets: anyone can compute its API keys, access tokens and webhook secrets from seed ${existing.seed}. To listen beyond loopback, name a new database file with --db, which gets private secrets, or pass --seed ${existing.seed} to accept that`,
    );
  }
}

function clockAtStart({ clock }: Origin): ClockState {
  return clock === "real" ? runningClock : { frozenAtMs: Date.parse(clock), offsetMs: 0 };
}
