import { CouldNotRun, quoted, SetupError } from "../rules/errors.ts";

const responseTimeoutMs = 5000;

/** A sandbox in another process. */
export interface RunningSandbox {
  /** Its base URL, without a trailing slash. */
  readonly url: string;
  readonly adminToken: string | undefined;
}

/**
 * The base URL of a sandbox: the given one, `CARD_SANDBOX_URL`, or the URL on this machine that follows from
 * the environment variables of `start`.
 * @throws SetupError if it is not a base URL
 */
export function baseUrl(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const scheme = env.CARD_SANDBOX_TLS_CERT ? "https" : "http";
  const url = given ?? env.CARD_SANDBOX_URL ?? `${scheme}://127.0.0.1:${portOf(env)}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !/[?#@]/.test(url)) {
    return url.replace(/\/+$/, "");
  }
  if (given === undefined && env.CARD_SANDBOX_URL === undefined) {
    const name = env.CARD_SANDBOX_PORT ? "CARD_SANDBOX_PORT" : "PORT";
    throw new SetupError(`${name}: must be an integer from 0 to 65535, but is ${quoted(env[name] ?? "")}`);
  }
  const name = given === undefined ? "CARD_SANDBOX_URL" : "url";
  throw new SetupError(
    `${name}: must be a base URL such as http://127.0.0.1:4242, without a user name, query or fragment, but is ${quoted(url)}`,
  );
}

/** Port 0 selects any free port, so it is unknown here. */
function portOf({ CARD_SANDBOX_PORT, PORT }: NodeJS.ProcessEnv): string {
  const port = CARD_SANDBOX_PORT || PORT || "0";
  return port === "0" ? "4242" : port;
}

/** The problem with a sandbox's health; undefined if it is healthy. */
export async function healthProblem(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/_sandbox/health`, {
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    const { status } = (await response.json()) as { status?: string };
    return response.status === 200 && status === "ok"
      ? undefined
      : unexpected(url, "GET /_sandbox/health", response.status);
  } catch (error) {
    return unreachable(url, error);
  }
}

/**
 * Sends a request to the control API of a sandbox.
 * @param path - below `/_sandbox`
 * @throws SetupError with the message of the sandbox if it refuses the request; CouldNotRun if it does not
 *   respond
 */
export async function callControl<Body>(
  { url, adminToken }: RunningSandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  let status: number;
  let received: unknown;
  try {
    const response = await fetch(`${url}/_sandbox${path}`, {
      method,
      signal: AbortSignal.timeout(responseTimeoutMs),
      headers: adminToken === undefined ? {} : { Authorization: `Bearer ${adminToken}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    status = response.status;
    received = status === 204 ? undefined : await response.json();
  } catch (error) {
    throw new CouldNotRun(unreachable(url, error), { cause: error });
  }
  const refusal = (received as { error?: unknown } | null)?.error;
  if (status < 300) return received as Body;
  if (status === 401 && typeof refusal === "string") {
    const problem = adminToken === undefined ? "is required by" : "does not match the admin token of";
    throw new SetupError(
      `--admin-token: ${problem} ${url}. Set this option or CARD_SANDBOX_ADMIN_TOKEN to its admin token.`,
    );
  }
  if (status < 500 && typeof refusal === "string") throw new SetupError(refusal);
  throw new CouldNotRun(unexpected(url, `${method} /_sandbox${path}`, status));
}

function unexpected(url: string, request: string, status: number): string {
  return `${url}: ${request} returned ${status}. Check that it is a card-sandbox server and that it runs without --no-control.`;
}

function unreachable(url: string, error: unknown): string {
  const { message, cause } = error as Error;
  if (error instanceof SyntaxError)
    return `${url}: the response is not JSON. Check that it is a card-sandbox server.`;
  const { code, message: reason = message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  const why = code ?? reason;
  return `${url}: no response (${why}). ${hintFor(url, why)}`;
}

function hintFor(url: string, why: string): string {
  if (/CERT|SIGNED|ISSUER|ALTNAME/.test(why)) return "To trust its certificate, set NODE_EXTRA_CA_CERTS.";
  if (/WRONG_VERSION|PACKET_LENGTH/.test(why)) {
    return `The server uses plain HTTP. Try ${url.replace(/^https/i, "http")}.`;
  }
  // A server that expects TLS closes the connection on plain HTTP.
  if (/^http:/i.test(url) && /UND_ERR_SOCKET|ECONNRESET|EPIPE/.test(why)) {
    return `The server probably uses HTTPS. Try ${url.replace(/^http/i, "https")}.`;
  }
  return "Check that the URL is correct and that the sandbox is running.";
}
