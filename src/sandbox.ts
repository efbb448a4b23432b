import * as z from "zod";
import type { Environment } from "./contract/identifiers.ts";
import { createControl } from "./control/app.ts";
import { SetupError } from "./core/errors.ts";
import { type Overlay, plainOverlay } from "./core/facts.ts";
import { plantWorld } from "./core/plant-world.ts";
import type { Clock, Database } from "./core/ports.ts";
import { seededRandom } from "./core/random.ts";
import type { Services } from "./core/services.ts";
import type { SeedWorld } from "./core/world.ts";
import { createApp } from "./http/app.ts";
import type { Exchange, HttpServices, OnBehalfOfMode } from "./http/http-services.ts";
import { malformedRequest } from "./http/on-error.ts";
import { type Origin, prepareSchema, readOrigin, writeOrigin } from "./store/meta.ts";
import { openStore } from "./store/open-store.ts";
import { listWorld, type WorldListing } from "./store/world-listing.ts";

/** A seed world, and what tells it from another. */
export interface Fixtures {
  readonly world: SeedWorld;
  readonly digest: string;
}

export interface SandboxPorts {
  /** Empty, or one that a sandbox made: that one keeps its seed, its clock and its world. */
  readonly database: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly version: string;
  /** Called for the seed world where the database is empty, or where a reopened one is held against it. */
  readonly fixtures: () => Fixtures;
  /** Whether `fixtures` were asked for, and a reopened database must have been made with them. */
  readonly fixturesAsked: boolean;
  /** Default: what the database keeps, or 1. */
  readonly seed?: number | undefined;
  /** The instant, as `instantOf` writes it, at which time stands still. Default: what the database keeps, or real time. */
  readonly frozenAt?: string | undefined;
  readonly onBehalfOf?: OnBehalfOfMode | undefined;
  readonly sandboxHeaders?: boolean | undefined;
  readonly overlayOf?: ((request: Request) => Overlay) | undefined;
  readonly observe?: ((exchange: Exchange) => void) | undefined;
}

/** Answers requests as `fetch` does. */
export type Fetch = (request: Request) => Promise<Response>;

/** A card service of its own: a world, a clock, and the face that callers see. */
export interface Sandbox {
  /** The whole service on one origin: both token endpoints, and the token decides the environment. */
  readonly fetch: Fetch;
  /** One environment's base address alone; the sandbox's own API stands beside the sandbox environment. */
  fetchOf(environment: Environment): Fetch;
  /** The answer to a request that cannot be read as one. */
  malformed(): Response;
  /** Companies with their members, keys and accounts, as `GET /_sandbox/world` lists them. */
  world(): WorldListing;
}

/**
 * Wires a sandbox out of its ports.
 * @throws SetupError where the database says otherwise than what is asked
 */
export function wireSandbox(ports: SandboxPorts): Sandbox {
  const { database, version } = ports;
  const { origin, services } = openServices(ports);
  const control = createControl({ database, clock: services.clock, seed: origin.seed, version });
  const faceOf = (served: readonly Environment[]): HttpServices => ({
    ...services,
    served,
    onBehalfOf: ports.onBehalfOf ?? "optional",
    sandboxHeaders: ports.sandboxHeaders ?? true,
    overlayOf: ports.overlayOf ?? (() => plainOverlay),
    observe: ports.observe,
  });
  const fetchOf = (served: readonly Environment[]): Fetch => {
    const app = createApp(faceOf(served));
    if (served.includes("sandbox")) app.route("/", control);
    return async (request) => app.fetch(request, { startedAt: services.clock.ticks() });
  };
  return {
    fetch: fetchOf(["sandbox", "live"]),
    fetchOf: (environment) => fetchOf([environment]),
    malformed: () => malformedRequest(faceOf([])),
    world: () => listWorld(database),
  };
}

/** Opens the world that the database holds, or plants the seed world in an empty one. */
function openServices(ports: SandboxPorts): { origin: Origin; services: Services } {
  const { database } = ports;
  const kept = readOrigin(database);
  if (kept) refuseOtherwise(kept, ports);
  const origin = kept ?? {
    seed: ports.seed ?? 1,
    clock: ports.frozenAt ?? "real",
    fixtures: ports.fixtures().digest,
  };
  const services: Services = {
    database,
    store: openStore(database),
    clock: origin.clock === "real" ? ports.clock : frozenClock(origin.clock, ports.clock),
    random: seededRandom(origin.seed),
    keysInProgress: new Set(),
  };
  database.transaction(() => {
    prepareSchema(database);
    if (kept) return;
    plantWorld(services, ports.fixtures().world);
    writeOrigin(database, origin);
  });
  return { origin, services };
}

/** A reopened database keeps its seed, its clock and its world. */
function refuseOtherwise(kept: Origin, { seed, frozenAt, fixtures, fixturesAsked }: SandboxPorts): void {
  const remedy = "leave the option out to keep it, or start a new database";
  if (seed !== undefined && seed !== kept.seed) {
    throw new SetupError(`the database was made with seed ${kept.seed}, not ${seed}: ${remedy}`);
  }
  if (frozenAt !== undefined && frozenAt !== kept.clock) {
    const was = kept.clock === "real" ? "runs on real time" : `has its clock at ${kept.clock}`;
    throw new SetupError(`the database ${was}, not at ${frozenAt}: ${remedy}`);
  }
  if (fixturesAsked && fixtures().digest !== kept.fixtures) {
    throw new SetupError(`the database was made from other fixtures: ${remedy}`);
  }
}

const isoInstant = z.iso.datetime({ offset: true });

/**
 * An ISO 8601 instant in its one form, with milliseconds and `Z`.
 * @throws SetupError where the text is none
 */
export function instantOf(text: string): string {
  if (!isoInstant.safeParse(text).success) {
    throw new SetupError(
      `the clock takes an ISO 8601 instant with its offset, such as 2026-03-29T00:30:00Z; got ${JSON.stringify(text)}`,
    );
  }
  return new Date(text).toISOString();
}

function frozenClock(instant: string, real: Clock): Clock {
  const nowMs = Date.parse(instant);
  return { now: () => nowMs, ticks: () => real.ticks() };
}
