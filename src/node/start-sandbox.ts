import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { Face } from "../api.ts";
import type { Environment } from "../contract/identifiers.ts";
import { type Guard, isLoopback } from "../control/gate.ts";
import { SetupError } from "../rules/errors.ts";
import { openSandbox, type Sandbox, type SandboxOptions, sandboxOptions } from "./create-sandbox.ts";
import { removeDatabase } from "./database-file.ts";
import { type OptionKinds, refuseUnfitOptions } from "./known-options.ts";
import { type Listening, listen, type Tls } from "./listen.ts";

const defaultHost = "127.0.0.1";

export interface StartOptions extends SandboxOptions {
  /** Default 4242; 0 picks a free one. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /**
   * A separate port for the live base address. Each port then serves only its own token endpoint and refuses the
   * tokens of the other. Default: one origin serves both.
   */
  readonly livePort?: number | undefined;
  /** Serves HTTPS, as the service does; default: plain HTTP. */
  readonly tls?: Tls | undefined;
  /** Whether to serve the control API under `/_sandbox`; default true. */
  readonly control?: boolean | undefined;
  /**
   * The Bearer token of the control API. Default: none on a loopback host, which refuses foreign hosts and origins
   * instead; a generated one on other hosts.
   */
  readonly adminToken?: string | undefined;
}

const startOptions: OptionKinds<StartOptions> = {
  port: "a port from 0 to 65535",
  host: "a string",
  livePort: "a port from 0 to 65535",
  tls: "an object of cert and key, each PEM",
  control: "true or false",
  adminToken: "a string",
  ...sandboxOptions,
};

export interface StartedSandbox extends Omit<Sandbox, "close"> {
  /** The base address, without a trailing slash. */
  readonly url: string;
  /** The live base address; the same as `url` unless it has its own port. */
  readonly liveUrl: string;
  /** The generated admin token; undefined if none was generated. */
  readonly generatedAdminToken: string | undefined;
  /** Completes the requests in progress, then closes the ports and the database. */
  close(): Promise<void>;
}

/**
 * Creates a sandbox and binds its ports.
 * @throws SetupError if an option is invalid or a port cannot be bound
 */
export function startSandbox(options: StartOptions = {}): Promise<StartedSandbox> {
  return start(options, { lightGlobals: false });
}

/** Like `startSandbox`, for a process that only runs the sandbox. */
export async function start(
  options: StartOptions,
  { lightGlobals }: { readonly lightGlobals: boolean },
): Promise<StartedSandbox> {
  refuseUnfitOptions("startSandbox()", options, startOptions);
  const { port = 4242, host = defaultHost, livePort, tls, db, control: _, adminToken: __, ...own } = options;
  if (options.adminToken !== undefined && !/^\S+$/.test(options.adminToken)) {
    throw new SetupError("the admin token must not be empty, nor hold white space");
  }
  const separate = livePort !== undefined;
  // As long as an access token, so that masking finds it in the same way.
  const generatedAdminToken = needsAdminToken(options) ? randomBytes(32).toString("base64url") : undefined;
  const madeHere = db !== undefined && !existsSync(db);
  // The default seed is public, so it must not make the secrets of a server that others can reach. An explicit seed
  // asks for reproducible secrets.
  const privateSecrets = !isLoopback(host) && own.seed === undefined;
  const sandbox = openSandbox({ ...own, db }, { privateSecrets });
  const open: Listening[] = [];
  const bind = async (face: Face, port: number) => {
    const serve = sandbox.serve(face);
    const { together, malformed } = sandbox;
    const listening = await listen({ serve, together, malformed, host, port, tls, lightGlobals });
    open.push(listening);
    return listening.url;
  };
  const close = async () => {
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
    return { ...sandbox, url, liveUrl: live ?? url, generatedAdminToken, close };
  } catch (error) {
    await close();
    // A failed start leaves no file behind, because the next start would have to use the same options.
    if (madeHere) removeDatabase(db);
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
