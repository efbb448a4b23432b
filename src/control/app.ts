import { Hono } from "hono";
import type { Clock, Database } from "../core/ports.ts";
import { listWorld } from "../store/world-listing.ts";

/** What the sandbox's own API works with. */
export interface ControlServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly seed: number;
  readonly version: string;
}

/** The sandbox's own API under `/_sandbox`: JSON in and out, errors as `{error}`. */
export function createControl({ database, clock, seed, version }: ControlServices): Hono {
  const control = new Hono().basePath("/_sandbox");
  control.get("/health", (c) =>
    c.json({ status: "ok", version, seed, now: new Date(clock.now()).toISOString() }),
  );
  control.get("/world", (c) => c.json(listWorld(database)));
  control.all("/*", (c) =>
    c.json({ error: `${c.req.method} ${c.req.path} is no path of the sandbox's own API` }, 404),
  );
  return control;
}
