import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { ServeOptions } from "../api.ts";
import type { Environment } from "../contract/identifiers.ts";
import { type Guard, isLoopback } from "../control/gate.ts";
import { SetupError } from "../rules/errors.ts";
import {
  type Internals,
  openSandbox,
  readInputs,
  type Sandbox,
  type SandboxOptions,
  sandboxOptions,
} from "./create-sandbox.ts";
import { removeDatabase } from "./database/file.ts";
import { type OptionKinds, refuseInvalidOptions } from "./known-options.ts";
import type { Listening, ListenOptions, Tls } from "./server/listen.ts";
import type { Watch } from "./watch-inputs.ts";

const defaultHost = "127.0.0.1";

/** The options of `startSandbox()`. Unknown options and invalid values are errors. */
export interface StartOptions extends SandboxOptions {
  /** The port to listen on; 0 selects a free port. Default 4242. */
  readonly port?: number | undefined;
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /**
   * A separate port for the live environment; 0 selects a free port. Each port then serves only its own token
   * endpoint and refuses the access tokens of the other. Default: one port serves both environments.
   */
  readonly livePort?: number | undefined;
  /** The certificate and private key for HTTPS. Default: plain HTTP. */
  readonly tls?: Tls | undefined;
  /** Whether to serve the control API and the dashboard under `/_sandbox`. Default true. */
  readonly control?: boolean | undefined;
  /**
   * The Bearer token that the control API requires. Default on a loopback host: no token, but requests from
   * other sites are refused. Default on other hosts: a generated token.
   */
  readonly adminToken?: string | undefined;
}

export const startOptions: OptionKinds<StartOptions> = {
  port: "an integer from 0 to 65535",
  host: "a string",
  livePort: "an integer from 0 to 65535",
  tls: "an object with the PEM strings cert and key",
  control: "true or false",
  adminToken: "a string",
  ...sandboxOptions,
};

/** A sandbox that listens on a port. */
export interface StartedSandbox extends Omit<Sandbox, "close"> {
  /** The base URL, such as `http://127.0.0.1:4242`, without a trailing slash. */
  readonly url: string;
  /** The live base URL; the same as `url` unless `livePort` is set. */
  readonly liveUrl: string;
  /** The generated admin token; undefined if none was generated. */
  readonly generatedAdminToken: string | undefined;
  /** Completes the requests in progress (for up to 1.5 seconds), then closes the ports and the database. */
  close(): Promise<void>;
}

/**
 * Creates a sandbox and listens on a port.
 *
 * @example
 * import { startSandbox } from "card-sandbox";
 *
 * const sandbox = await startSandbox({ port: 0 });
 * const company = await sandbox.isolatedCompany();
 * const response = await fetch(`${sandbox.url}/auth/v1/sandbox/token`, {
 *   method: "POST",
 *   body: JSON.stringify({ api_key: company.apiKey }),
 * });
 * console.log(response.status); // 200
 * await sandbox.close();
 *
 * @returns a promise that rejects with a SetupError if an option is unknown or invalid, a port is in use, a
 *   file cannot be read or is invalid, or the database was created with other options
 */
export function startSandbox(options: StartOptions = {}): Promise<StartedSandbox> {
  return start(options, { lightGlobals: false });
}

/** Like `startSandbox`, for a process that only runs the sandbox. */
export async function start(
  options: StartOptions,
  {
    lightGlobals,
    drainMs,
    watch,
    inputs = watch && readInputs(options),
    observer,
    waits,
    onTapeFailure,
    opened,
  }: Pick<Internals, "observer" | "inputs" | "waits" | "onTapeFailure"> &
    Pick<ListenOptions, "lightGlobals" | "drainMs"> & {
      readonly watch?: Watch | undefined;
      /** Serves this sandbox instead of a new one. */
      readonly opened?: Sandbox;
    },
): Promise<StartedSandbox> {
  refuseInvalidOptions("startSandbox", options, startOptions);
  const { port = 4242, host = defaultHost, livePort, tls, db, control: _, adminToken: __, ...own } = options;
  if (options.adminToken !== undefined && !/^\S+$/.test(options.adminToken)) {
    throw new SetupError("admin token: must not be empty or contain white space");
  }
  const separate = livePort !== undefined;
  // As long as an access token, so that masking finds it by the same rule.
  const generatedAdminToken = needsAdminToken(options) ? randomBytes(32).toString("base64url") : undefined;
  const isCreated = db !== undefined && !existsSync(db);
  // The default seed is public, so the secrets of a server that others can reach must not derive from it. An
  // explicit seed selects reproducible secrets.
  const privateSecrets = !isLoopback(host) && own.seed === undefined;
  let beginTape = () => {};
  const deferTape: Internals["deferTape"] = (begin) => {
    beginTape = begin;
  };
  const internals = { privateSecrets, inputs, observer, waits, deferTape, onTapeFailure };
  const sandbox = opened ?? openSandbox({ ...own, db }, internals);
  // `createSandbox()` needs no server, so only a start loads it.
  const { listen } = await import("./server/listen.ts");
  const open: Listening[] = [];
  let stopWatching: (() => void) | undefined;
  const bind = async (served: ServeOptions, port: number) => {
    const serve = sandbox.serve(served);
    const { batch, malformed } = sandbox;
    const listening = await listen({ serve, batch, malformed, host, port, tls, lightGlobals, drainMs });
    open.push(listening);
    return listening.url;
  };
  const close = async () => {
    stopWatching?.();
    sandbox.drain();
    await Promise.all(open.map((each) => each.close()));
    sandbox.close();
  };
  try {
    const environments: Environment[] = separate ? ["sandbox"] : ["sandbox", "live"];
    const live = separate ? await bind({ environments: ["live"], control: undefined }, livePort) : undefined;
    const control = guardOf(options, generatedAdminToken);
    const url = await bind(
      { environments, control, livePort: live === undefined ? undefined : portOf(live) },
      port,
    );
    // No request has arrived yet: these need a later turn of the event loop.
    beginTape();
    if (inputs && watch) {
      const { watchInputs } = await import("./watch-inputs.ts");
      stopWatching = watchInputs(inputs.files, watch);
    }
    return { ...sandbox, url, liveUrl: live ?? url, generatedAdminToken, close };
  } catch (error) {
    await close();
    // A failed start leaves no file behind, because the next start would have to use the same options.
    if (isCreated) removeDatabase(db);
    throw error;
  }
}

/** A URL omits the default port of its scheme. */
function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

function needsAdminToken({ control = true, adminToken, host = defaultHost }: StartOptions): boolean {
  return control && adminToken === undefined && !isLoopback(host);
}

function guardOf(
  { control = true, adminToken }: StartOptions,
  generated: string | undefined,
): Guard | undefined {
  if (!control) return undefined;
  const token = adminToken ?? generated;
  return token === undefined ? { kind: "loopback" } : { kind: "token", token };
}
