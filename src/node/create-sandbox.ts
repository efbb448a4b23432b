import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Fetch, Sandbox as PortableSandbox, SandboxPorts } from "../api.ts";
import type { Dialect } from "../contract/dialect.ts";
import { type OnBehalfOfMode, onBehalfOfModes } from "../contract/operations.ts";
import type { DialectInput } from "../contract/selections.ts";
import type { Exchange, Messages } from "../journal/exchange.ts";
import { type KeyQuota, keyQuotas } from "../rules/api-key.ts";
import { type Clock, instantOf } from "../rules/clock.ts";
import { quoted, SetupError } from "../rules/errors.ts";
import { wireSandbox } from "../sandbox.ts";
import { Catalogue } from "../scenarios/catalogue.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { AnyScenarioName } from "../scenarios/shipped.ts";
import { readOrigin } from "../store/meta.ts";
import { insertStoredRows, type StoredRows } from "../store/stored-rows.ts";
import { type ChangedInputs, shorten, type Waits } from "../tape/tape.ts";
import type { Send } from "../webhooks/attempt.ts";
import type { Fixtures } from "../world/open-world.ts";
import { type OpenDatabase, openDatabase } from "./database/better-sqlite3.ts";
import { openingFailure } from "./database/failure.ts";
import {
  type DatabaseCheck,
  type Durability,
  databaseChecks,
  durabilities,
  removeDatabase,
} from "./database/file.ts";
import { changesOf, keyQuotaOf, readDialect } from "./dialect-option.ts";
import { readDefaultFixtures, readFixtures, readScenarios, readShippedScenarios } from "./input-files.ts";
import { type OptionKinds, refuseInvalidOptions } from "./known-options.ts";
import { systemClock } from "./real-timers.ts";
import { Taping } from "./tape/taping.ts";

/** The version of this package. */
export const version: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version;

/** The options of `createSandbox()`. Unknown options and invalid values are errors. */
export interface SandboxOptions {
  /** A database file, kept across restarts, or `:memory:`. Default `:memory:`. */
  readonly db?: string | undefined;
  /**
   * What a committed change in a database file survives. `normal`: a crash of the process; `full`: loss of
   * power. Default `normal`; `full` requires a database file.
   */
  readonly durability?: Durability | undefined;
  /**
   * The seed of ids, card tokens and secrets: a non-negative integer. Default: the seed of the database file,
   * otherwise 1. A different seed than that of the database file is an error.
   */
  readonly seed?: number | undefined;
  /** Freezes the clock at this ISO 8601 timestamp with a UTC offset, such as `2026-03-10T00:00:00Z`. Default: real time. */
  readonly clock?: string | undefined;
  /** The path of a YAML fixtures file that replaces the default world. */
  readonly fixtures?: string | undefined;
  /** Whether to serve operations that the spec does not describe; otherwise they return 501. Default true. */
  readonly assumed?: boolean | undefined;
  /**
   * How the service behaves where the spec leaves it open: the path of a YAML dialect file, or alternatives by
   * behavior, such as `{ "replay.status": "200" }`. Default: every behavior has its default.
   */
  readonly dialect?: string | DialectInput | undefined;
  /**
   * How to treat the header `X-On-Behalf-Of` (spec §5.7). `off`: ignore it; `optional`: check it if it is
   * sent; `required`: require it in every operation; `required-except-order`: require it, except to order a
   * physical card. Short for the behavior `on_behalf_of.mode` of a dialect. Default `optional`.
   */
  readonly onBehalfOf?: OnBehalfOfMode | undefined;
  /** Whether responses have `Sandbox-…` headers. Default true. */
  readonly sandboxHeaders?: boolean | undefined;
  /**
   * Whether the limit of five active API keys per environment applies to each `company` or (a variant of the
   * spec, §5.5) to each `member`. Short for the behavior `api_keys.quota` of a dialect. Default `company`.
   */
  readonly keyQuota?: KeyQuota | undefined;
  /** Whether to accept and list the API keys of the fixtures, whose secrets are public. Default true. */
  readonly fixtureKeys?: boolean | undefined;
  /** The path of a folder with your own scenario files. */
  readonly scenarios?: string | undefined;
  /** The name of a scenario to arm for every company at startup. */
  readonly scenario?: AnyScenarioName | undefined;
  /** The maximum number of requests in the journal; 0 shows none. Default 1000. */
  readonly journal?: number | undefined;
  /**
   * The maximum memory for recorded requests, in bytes; the oldest are dropped first. Default 67108864 (64
   * MiB).
   */
  readonly journalBytes?: number | undefined;
  /**
   * How to check a database file when it is opened. `full` also compares its indexes with its tables, `quick`
   * does not. `auto`: `full` up to 48 MiB. Default `auto`.
   */
  readonly checkDatabase?: DatabaseCheck | undefined;
  /**
   * External hosts that may receive webhooks, each with or without a port, such as `hooks.example.com`.
   * Default none.
   */
  readonly allowWebhookHosts?: readonly string[] | undefined;
  /** Receives webhook deliveries instead of `fetch`, and returns the response of the receiver. */
  readonly deliver?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Records everything that enters the sandbox to this file, which `card-sandbox replay` plays; secrets are replaced. A
   * folder: each sandbox makes a file of its own in it. Default: nothing is recorded.
   */
  readonly tape?: string | undefined;
  /** Called after each response of the service. The headers and bodies contain secrets. */
  readonly observe?: ((exchange: Exchange, messages: Messages) => void) | undefined;
}

export const sandboxOptions: OptionKinds<SandboxOptions> = {
  db: "a string",
  durability: durabilities,
  seed: "a non-negative integer",
  clock: "a string with an ISO 8601 timestamp",
  fixtures: "a string",
  assumed: "true or false",
  dialect: "a string or an object with alternatives by behavior",
  onBehalfOf: onBehalfOfModes,
  sandboxHeaders: "true or false",
  keyQuota: keyQuotas,
  fixtureKeys: "true or false",
  scenarios: "a string",
  scenario: "a string",
  journal: "a non-negative integer",
  journalBytes: "a non-negative integer",
  checkDatabase: databaseChecks,
  allowWebhookHosts: "an array of strings",
  deliver: "a function",
  tape: "a string",
  observe: "a function",
};

/** A sandbox in this process. */
export interface Sandbox extends PortableSandbox {
  /** The absolute path of the tape, if the option `tape` is set. */
  readonly tape: string | undefined;
  /**
   * Ends the requests in progress and closes the database; a database in memory is lost. Later calls throw an
   * error.
   */
  close(): void;
}

/**
 * Creates a sandbox in this process, without a port.
 *
 * @example
 * import { createSandbox } from "card-sandbox";
 *
 * const sandbox = createSandbox({ clock: "2026-03-10T09:30:00Z" });
 * const company = await sandbox.isolatedCompany();
 * const response = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
 *   method: "POST",
 *   body: JSON.stringify({ api_key: company.apiKey }),
 * });
 * console.log(response.status); // 200
 * sandbox.close();
 *
 * @throws SetupError if an option is unknown or invalid, a file cannot be read or is invalid, or the database
 *   was created with other options
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  refuseInvalidOptions("createSandbox", options, sandboxOptions);
  return openSandbox(options, { privateSecrets: false });
}

/** A file, or a folder with YAML files, that can be read again. */
export interface InputFile {
  readonly path: string;
  /**
   * Reads it, and replaces its contents in the sandbox.
   * @returns a message for the user; undefined if the contents are the same
   * @throws SetupError if a file is invalid
   */
  readonly read: () => string | undefined;
}

/** The contents of the files that the user of a sandbox can edit. */
export interface Inputs {
  readonly catalogue: Catalogue;
  /** A reset loads them. */
  fixtures: Fixtures | undefined;
  dialect: Dialect;
  /** Called after the dialect has changed; returns whether the new one is in effect. Set by the sandbox. */
  dialectChanged?: (dialect: Dialect) => boolean;
  /** Called after a change of a file, with the new contents. Set by a sandbox that can be recorded. */
  changed?: (contents: ChangedInputs) => void;
  /** For `--watch`. */
  readonly files: readonly InputFile[];
}

/** @throws SetupError if a file cannot be read or is invalid, or the scenario is unknown */
export function readInputs(options: SandboxOptions): Inputs {
  const { fixtures, scenarios, scenario } = options;
  const catalogueOf = (own: readonly Scenario[]) => {
    const made = new Catalogue(readShippedScenarios, own);
    if (scenario !== undefined) made.required(scenario);
    return made;
  };
  const files: InputFile[] = [];
  const dialect = readDialect(options);
  const inputs: Inputs = {
    dialect,
    fixtures: fixtures === undefined ? undefined : readFixtures(fixtures, keyQuotaOf(dialect)),
    catalogue: catalogueOf(scenarios === undefined ? [] : readScenarios(scenarios)),
    files,
  };
  if (scenarios !== undefined) {
    const read = () => {
      const own = readScenarios(scenarios, { mayBeEmpty: true });
      catalogueOf(own);
      const changes = [...inputs.catalogue.replaceOwn(own)];
      if (changes.length === 0) return undefined;
      inputs.changed?.({ scenarios: own });
      return `${scenarios}: ${changes.map(([name, change]) => `${change} ${name}`).join(", ")}`;
    };
    files.push({ path: scenarios, read });
  }
  if (fixtures !== undefined) {
    const read = () => {
      const changed = readFixtures(fixtures, keyQuotaOf(inputs.dialect));
      if (changed.digest === inputs.fixtures?.digest) return undefined;
      inputs.fixtures = changed;
      inputs.changed?.({ fixtures: changed });
      return `${fixtures}: changed. Reset the sandbox (POST /_sandbox/reset) or restart it to load the fixtures.`;
    };
    files.push({ path: fixtures, read });
  }
  if (typeof options.dialect === "string") {
    const path = options.dialect;
    const read = () => {
      const changed = readDialect(options);
      const changes = changesOf(inputs.dialect, changed);
      if (fixtures !== undefined) readFixtures(fixtures, keyQuotaOf(changed));
      if (changes.length === 0) return undefined;
      const isInEffect = inputs.dialectChanged?.(changed) ?? true;
      inputs.dialect = changed;
      inputs.changed?.({ dialect: changed });
      const hint =
        " (not in effect: another dialect was selected meanwhile. DELETE /_sandbox/dialect restores this one)";
      return `${path}: ${changes.join(", ")}${isInEffect ? "" : hint}`;
    };
    files.push({ path, read });
  }
  return inputs;
}

/** Parts of a sandbox that are no options. */
export interface Internals
  extends Pick<SandboxPorts, "observer" | "tap" | "tapeRecorder" | "replay" | "journalAfter"> {
  /** For a server on a host other than loopback. */
  readonly privateSecrets: boolean;
  readonly inputs?: Inputs | undefined;
  /** How to shorten the waits of scenarios; default: not. */
  readonly waits?: Waits | undefined;
  /** Receives the function that begins the tape, because a start that fails must not replace the tape of another one. */
  readonly deferTape?: ((begin: () => void) => void) | undefined;
  /** Called once if the tape cannot be written any more; default: a warning of the process. */
  readonly onTapeFailure?: ((message: string) => void) | undefined;
  /** Default: real time. */
  readonly clock?: Clock | undefined;
  /** The rows of the database, which must be new. */
  readonly rows?: StoredRows | undefined;
  /** Default: that of the options. */
  readonly deliver?: SandboxPorts["deliver"];
}

export type OpenSandbox = typeof openSandbox;

/** Like `createSandbox`. */
export function openSandbox(
  options: SandboxOptions,
  {
    privateSecrets,
    inputs,
    rows,
    clock,
    deliver,
    tap,
    waits,
    deferTape,
    onTapeFailure,
    ...internals
  }: Internals,
): Sandbox {
  // Checks the options before it creates a database file.
  const frozenAt = options.clock === undefined ? undefined : instantOf(options.clock);
  const { catalogue, fixtures, dialect } = inputs ?? readInputs(options);
  for (const host of options.allowWebhookHosts ?? []) refuseUnlessHost(host);
  const taping = tap
    ? undefined
    : new Taping(clock ?? systemClock, openSandbox, { waits, onFailure: onTapeFailure });
  const db = options.db?.trim() ?? ":memory:";
  const isCreated = db !== ":memory:" && !existsSync(db);
  const database = openDatabase(db, options.durability, options.checkDatabase);
  try {
    if (rows) insertStoredRows(database, rows);
    const isNew = readOrigin(database) === undefined;
    if (inputs && taping) inputs.changed = (contents) => taping.recorder.inputs(contents);
    // The global is read at each call, because a test may replace it.
    const send: Send = deliver ?? options.deliver ?? ((url, init) => fetch(url, init));
    const sandbox = wireSandbox({
      database,
      clock: taping?.recorder.clock ?? clock ?? systemClock,
      version,
      fixtures,
      changedFixtures: inputs && (() => inputs.fixtures),
      defaultFixtures: readDefaultFixtures,
      seed: options.seed,
      drawSecret: () => randomBytes(32),
      privateSecrets,
      frozenAt,
      assumed: options.assumed,
      dialect,
      watchDialect: inputs && ((change) => Object.assign(inputs, { dialectChanged: change })),
      sandboxHeaders: options.sandboxHeaders,
      fixtureKeys: options.fixtureKeys,
      scenarios: catalogue,
      scenario: options.scenario,
      observe: options.observe,
      shortenWait: waits && shorten(waits),
      tapeRecorder: taping,
      ...internals,
      journal: options.journal,
      journalBytes: options.journalBytes,
      allowWebhookHosts: options.allowWebhookHosts,
      deliver: send,
      tap: tap ?? taping?.recorder,
      docsFiles: async (name) => (await import("./served-files.ts")).docsFiles(name),
      dashboardFiles: async (name) => (await import("./served-files.ts")).dashboardFiles(name),
    });
    const beginTape = () => options.tape !== undefined && taping?.begin(isNew, options.tape);
    if (deferTape) deferTape(beginTape);
    else beginTape();
    return closable(sandbox, database, taping);
  } catch (error) {
    database.close();
    // This process created and locked it, so no other process uses it.
    if (isCreated) removeDatabase(db);
    throw openingFailure(db, error);
  }
}

/** Adds `close`. Later use of the sandbox fails with a clear error. */
function closable(sandbox: PortableSandbox, database: OpenDatabase, taping: Taping | undefined): Sandbox {
  let isClosed = false;
  const fetch: Fetch = async (input, init) => {
    if (isClosed) throw closed();
    return sandbox.fetch(input, init);
  };
  const close = () => {
    isClosed = true;
    taping?.end();
    sandbox.abandon();
    database.close();
    const methods = ["exec", "all", "get", "run", "transaction", "batch", "define"] as const;
    Object.assign(database, Object.fromEntries(methods.map((method) => [method, refuse])));
  };
  return {
    ...sandbox,
    fetch,
    close,
    get tape() {
      return taping?.recording?.path ?? undefined;
    },
  };
}

function closed(): Error {
  return new Error("this sandbox is closed. Create another one with createSandbox().");
}

function refuse(): never {
  throw closed();
}

function refuseUnlessHost(host: string): void {
  const isHost = URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host.toLowerCase();
  // The host of a URL may contain an asterisk, but it is not a wildcard.
  if (isHost && !host.includes("*")) return;
  throw new SetupError(
    `--allow-webhook-hosts (allowWebhookHosts): must be host names such as hooks.example.com or hooks.example.com:8443, without wildcards, but one is ${quoted(host)}`,
  );
}
