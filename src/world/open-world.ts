import type { Dialect } from "../contract/dialect.ts";
import type { Clock } from "../rules/clock.ts";
import { type ClockState, runningClock, SandboxClock } from "../rules/clock.ts";
import { SetupError } from "../rules/errors.ts";
import { opaqueTokenOf, seededRandom } from "../rules/random.ts";
import { Dialects } from "../runtime/dialects.ts";
import { Generations } from "../runtime/generations.ts";
import { Outbox, type Services, type ShortenWait } from "../runtime/services.ts";
import { Callers } from "../store/callers.ts";
import type { Database } from "../store/database.ts";
import { type Origin, prepareSchema, readClock, readOrigin, writeClock, writeOrigin } from "../store/meta.ts";
import { captureWorld, emptyWorld, restartAt, restoreWorld } from "../store/snapshots.ts";
import type { FixtureWorld } from "./fixtures.ts";
import { loadFixtures } from "./load-fixtures.ts";

/** The fixtures and their digest; other fixtures have another digest. */
export interface Fixtures {
  readonly world: FixtureWorld;
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
  /** The chosen fixtures as they are now, if their file can change while the sandbox runs. A reset loads them. */
  readonly changedFixtures?: (() => Fixtures | undefined) | undefined;
  /** The fixtures of an empty database if none are chosen. */
  readonly defaultFixtures: () => Fixtures;
  /** Default: as in the database, or 1. */
  readonly seed?: number | undefined;
  /** The instant, as `instantOf` writes it, at which the clock is frozen. Default: as in the database, or real time. */
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
  /** The dialect of the start; default: every behavior has its default. */
  readonly dialect?: Dialect | undefined;
  /** Receives a function that replaces the dialect of the start, if its file can change while the sandbox runs. */
  readonly watchDialect?: ((change: (dialect: Dialect) => boolean) => void) | undefined;
  /** Shortens the waits of scenarios; default: they take the time in their files. */
  readonly shortenWait?: ShortenWait | undefined;
}

export interface OpenWorld {
  readonly seed: number;
  readonly secrets: SecretsMode;
  readonly services: Services;
  readonly clock: SandboxClock;
  /** Restores the start, in the caller's transaction. Loads the fixtures again if they changed. */
  readonly restart: () => void;
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
  const generations = new Generations();
  const services: Services = {
    database,
    callers: new Callers(database),
    fixtureKeys: ports.fixtureKeys ?? true,
    clock,
    random: seededRandom(origin.seed, origin.private_secret),
    keysInProgress: new Map(),
    cardsChanging: new Set(),
    generations,
    dialects: new Dialects(database, generations, ports.dialect),
    outbox: new Outbox(),
    shortenWait: ports.shortenWait,
  };
  ports.watchDialect?.((dialect) => services.dialects.changeStart(dialect));
  const begin = ({ world, digest }: Fixtures) => {
    writeClock(database, clock.state);
    loadFixtures(services, world);
    writeOrigin(database, { ...origin, fixtures: digest });
    captureWorld(database, "start", "", clock.now());
  };
  const restart = () => {
    const changed = ports.changedFixtures?.();
    if (changed === undefined || changed.digest === readOrigin(database)?.fixtures) {
      restoreWorld(database, "start", "");
      return;
    }
    emptyWorld(database);
    clock.resume(clockAtStart(origin));
    begin(changed);
  };
  // Nothing else but the clock influences a new world. A private secret belongs to one database.
  const name = JSON.stringify([origin.fixtures, origin.seed]);
  const copies = fixtures && origin.private_secret === undefined ? database.copies : undefined;
  const isCopy = copies?.load(name) === true;
  database.transaction(() => {
    if (isCopy) {
      restartAt(database, clock.state, clock.now());
      writeOrigin(database, origin);
      return;
    }
    prepareSchema(database);
    if (!fixtures) return;
    begin(fixtures);
    copies?.save(name);
  });
  services.callers.startCaching();
  clock.resume(readClock(database));
  const secrets = origin.private_secret === undefined ? "reproducible" : "private";
  return { seed: origin.seed, secrets, services, clock, restart };
}

/** Refuses options that contradict those with which the database was made. */
function refuseContradiction(
  existing: Origin,
  { seed, frozenAt, fixtures, privateSecrets }: WorldPorts,
): void {
  const remedy = "Leave out the option, or use a new database.";
  if (seed !== undefined && seed !== existing.seed) {
    throw new SetupError(`seed: is ${seed}, but the database was created with ${existing.seed}. ${remedy}`);
  }
  if (frozenAt !== undefined && frozenAt !== existing.clock) {
    const was =
      existing.clock === "real" ? "with a clock at real time" : `with the clock frozen at ${existing.clock}`;
    throw new SetupError(`clock: is ${frozenAt}, but the database was created ${was}. ${remedy}`);
  }
  if (fixtures !== undefined && fixtures.digest !== existing.fixtures) {
    throw new SetupError(`fixtures: the database was created with other fixtures. ${remedy}`);
  }
  if (privateSecrets && existing.private_secret === undefined) {
    throw new SetupError(
      `host: must be a loopback address, because the database has reproducible secrets: anyone can compute its API keys, access tokens and webhook secrets from the seed ${existing.seed}. Use a new database file (--db FILE), which gets private secrets, or accept the risk with --seed ${existing.seed}.`,
    );
  }
}

function clockAtStart({ clock }: Origin): ClockState {
  return clock === "real" ? runningClock : { frozenAtMs: Date.parse(clock), offsetMs: 0 };
}
