import { createSandbox, type Sandbox, type SandboxOptions } from "./create-sandbox.ts";
import { type Listening, listen, type Tls } from "./listen.ts";

export interface StartOptions extends SandboxOptions {
  /** Default 4242; 0 picks a free one. */
  readonly port?: number | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /**
   * A port of its own for the live base address; each port then serves its own token endpoint alone and
   * refuses the other's tokens. Default: one origin serves both.
   */
  readonly livePort?: number | undefined;
  /** Serves HTTPS, as the service does; default: plain HTTP. */
  readonly tls?: Tls | undefined;
}

export interface StartedSandbox extends Omit<Sandbox, "close"> {
  /** The base address, without a slash at its end. */
  readonly url: string;
  /** The live base address; the same as `url` unless it has a port of its own. */
  readonly liveUrl: string;
  /** Answers what is under way, then closes ports and database. */
  close(): Promise<void>;
}

/**
 * Makes a sandbox and binds its ports.
 * @throws SetupError where it cannot be as asked, or a port cannot be bound
 */
export function startSandbox(options: StartOptions = {}): Promise<StartedSandbox> {
  return start(options, { lightGlobals: false });
}

/** As `startSandbox`, for a process that is the sandbox's own. */
export async function start(
  options: StartOptions,
  { lightGlobals }: { readonly lightGlobals: boolean },
): Promise<StartedSandbox> {
  const { port = 4242, host = "127.0.0.1", livePort, tls } = options;
  const sandbox = createSandbox(options);
  const common = { malformed: () => sandbox.malformed(), host, tls, lightGlobals };
  const open: Listening[] = [];
  const closeAll = async () => {
    await Promise.all(open.map((each) => each.close()));
    sandbox.close();
  };
  try {
    const separate = livePort !== undefined;
    const fetch = separate ? sandbox.fetchOf("sandbox") : sandbox.fetch;
    const main = await listen({ ...common, fetch, port });
    open.push(main);
    if (!separate) return { ...sandbox, url: main.url, liveUrl: main.url, close: closeAll };
    const live = await listen({ ...common, fetch: sandbox.fetchOf("live"), port: livePort });
    open.push(live);
    return { ...sandbox, url: main.url, liveUrl: live.url, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
