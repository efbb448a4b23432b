import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Fetch, Sandbox as PortableSandbox } from "../api.ts";
import { type OnBehalfOfMode, onBehalfOfModes } from "../contract/operations.ts";
import type { Exchange, Messages } from "../journal/exchange.ts";
import { type KeyQuota, keyQuotas } from "../rules/api-key.ts";
import { type Clock, instantOf } from "../rules/clock.ts";
import { SetupError } from "../rules/errors.ts";
import { wireSandbox } from "../sandbox.ts";
import { Catalogue } from "../scenarios/catalogue.ts";
import { type OpenDatabase, openDatabase } from "./better-sqlite3.ts";
import { openingFailure } from "./database-failure.ts";
import {
  type DatabaseCheck,
  type Durability,
  databaseChecks,
  durabilities,
  removeDatabase,
} from "./database-file.ts";
import { readDefaultFixtures, readFixtures, readScenarios, readShippedScenarios } from "./input-files.ts";
import { type OptionKinds, refuseUnfitOptions } from "./known-options.ts";

/** The version of this package. */
export const version: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;

const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  after(ms, work, inBackground = false) {
    const timer = setTimeout(work, ms);
    if (inBackground) timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface SandboxOptions {
  /** A database file, kept across restarts; default `:memory:`. */
  readonly db?: string | undefined;
  /** What a committed change in a database file survives: `normal`: a crash of the process; `full`: loss of power. */
  readonly durability?: Durability | undefined;
  /** The seed of ids, tokens and last four digits; default 1. A reopened database keeps its own. */
  readonly seed?: number | undefined;
  /** An ISO 8601 instant at which the clock is frozen; default: real time. */
  readonly clock?: string | undefined;
  /** A fixtures file; default: the default world. */
  readonly fixtures?: string | undefined;
  /** Whether to serve operations that the spec only names; otherwise they return 501. Default true. */
  readonly assumed?: boolean | undefined;
  /** How to treat the header `X-On-Behalf-Of` (spec §5.7); default `optional`. */
  readonly onBehalfOf?: OnBehalfOfMode | undefined;
  /** Whether responses have `Sandbox-…` headers; default true. */
  readonly sandboxHeaders?: boolean | undefined;
  /** Whether five active API keys are allowed per company or (a variant of the spec, §5.5) per member. */
  readonly keyQuota?: KeyQuota | undefined;
  /** Whether the API keys of the fixtures, whose secrets are public, are accepted and listed; default true. */
  readonly fixtureKeys?: boolean | undefined;
  /** A folder with scenario files of your own. */
  readonly scenarios?: string | undefined;
  /** The scenario that is armed for every company from the start. */
  readonly scenario?: string | undefined;
  /** How many requests the journal keeps; default 1000, and 0 keeps none. */
  readonly journal?: number | undefined;
  /** The most bytes of memory that recorded requests may use; the oldest are dropped first. Default 64 MiB (67108864). */
  readonly journalBytes?: number | undefined;
  /**
   * How to check a database file when it is opened: `full` also compares its indexes with its tables, `quick` does not.
   * Default `auto`: full up to 48 MiB.
   */
  readonly checkDatabase?: DatabaseCheck | undefined;
  /** External hosts that may receive webhooks, each with or without a port; default none. */
  readonly allowWebhookHosts?: readonly string[] | undefined;
  /** Receives webhook deliveries in place of `fetch`, and returns the receiver's response. */
  readonly deliver?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Called after each response of the service. Headers and bodies contain secrets. */
  readonly observe?: ((exchange: Exchange, messages: Messages) => void) | undefined;
}

export const sandboxOptions: OptionKinds<SandboxOptions> = {
  db: "a string",
  durability: durabilities,
  seed: "a whole number from 0",
  clock: "an ISO 8601 instant as a string",
  fixtures: "a string",
  assumed: "true or false",
  onBehalfOf: onBehalfOfModes,
  sandboxHeaders: "true or false",
  keyQuota: keyQuotas,
  fixtureKeys: "true or false",
  scenarios: "a string",
  scenario: "a string",
  journal: "a whole number from 0",
  journalBytes: "a whole number from 0",
  checkDatabase: databaseChecks,
  allowWebhookHosts: "an array of strings",
  deliver: "a function",
  observe: "a function",
};

export interface Sandbox extends PortableSandbox {
  /** Ends the requests in progress and closes the database; an in-memory database is lost. */
  close(): void;
}

/**
 * Creates a sandbox in this process, without a port: `sandbox.fetch(new Request("http://sandbox/…"))`.
 * @throws SetupError if an option is invalid: a file that is not a database, invalid fixtures, a database that was
 *   created with other options
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  refuseUnfitOptions("createSandbox()", options, sandboxOptions);
  return openSandbox(options, { privateSecrets: false });
}

/** Like `createSandbox`; `privateSecrets` is for a server beyond loopback. */
export function openSandbox(
  options: SandboxOptions,
  { privateSecrets }: { readonly privateSecrets: boolean },
): Sandbox {
  // Checks the options before it creates a database file.
  const frozenAt = options.clock === undefined ? undefined : instantOf(options.clock);
  const fixtures =
    options.fixtures === undefined ? undefined : readFixtures(options.fixtures, options.keyQuota);
  const ownScenarios = options.scenarios === undefined ? [] : readScenarios(options.scenarios);
  const catalogue = new Catalogue(() => [...readShippedScenarios(), ...ownScenarios]);
  if (options.scenario !== undefined) catalogue.required(options.scenario);
  for (const host of options.allowWebhookHosts ?? []) refuseUnlessHost(host);
  const db = options.db?.trim() ?? ":memory:";
  const madeHere = db !== ":memory:" && !existsSync(db);
  const database = openDatabase(db, options.durability, options.checkDatabase);
  try {
    const sandbox = wireSandbox({
      database,
      clock: systemClock,
      version,
      fixtures,
      defaultFixtures: readDefaultFixtures,
      seed: options.seed,
      drawSecret: () => randomBytes(32),
      privateSecrets,
      frozenAt,
      assumed: options.assumed,
      onBehalfOf: options.onBehalfOf,
      sandboxHeaders: options.sandboxHeaders,
      keyQuota: options.keyQuota,
      fixtureKeys: options.fixtureKeys,
      scenarios: catalogue,
      scenario: options.scenario,
      observe: options.observe,
      journal: options.journal,
      journalBytes: options.journalBytes,
      allowWebhookHosts: options.allowWebhookHosts,
      deliver: options.deliver,
      docsFiles: async (name) => (await import("./served-files.ts")).docsFiles(name),
      dashboardFiles: async (name) => (await import("./served-files.ts")).dashboardFiles(name),
    });
    return closable(sandbox, database);
  } catch (error) {
    database.close();
    // It was created and locked by this process, so no other process uses it.
    if (madeHere) removeDatabase(db);
    throw openingFailure(db, error);
  }
}

/** Adds `close`; every later use of the sandbox fails with an error that says so. */
function closable(sandbox: PortableSandbox, database: OpenDatabase): Sandbox {
  let isClosed = false;
  const fetch: Fetch = async (input, init) => {
    if (isClosed) throw closed();
    return sandbox.fetch(input, init);
  };
  const close = () => {
    isClosed = true;
    sandbox.abandon();
    database.close();
    const methods = ["exec", "all", "get", "run", "transaction", "together", "define"] as const;
    Object.assign(database, Object.fromEntries(methods.map((method) => [method, refuse])));
  };
  return { ...sandbox, fetch, close };
}

function closed(): Error {
  return new Error("this sandbox is closed: make another with createSandbox()");
}

function refuse(): never {
  throw closed();
}

function refuseUnlessHost(host: string): void {
  const isHost = URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host.toLowerCase();
  // The host of a URL may contain an asterisk, but it is not a wildcard.
  if (isHost && !host.includes("*")) return;
  throw new SetupError(
    `the webhook hosts are names such as hooks.example.com or hooks.example.com:8443, each in full; got ${JSON.stringify(host)}`,
  );
}
