import { CouldNotRun, SetupError } from "../rules/errors.ts";

/** How long a response may take. */
const patienceMs = 5000;

/** A sandbox in another process. */
export interface RunningSandbox {
  /** Its base address, without a trailing slash. */
  readonly url: string;
  readonly adminToken: string | undefined;
}

/**
 * The base address of a sandbox: the given one, `CARD_SANDBOX_URL`, or the address on this machine that follows from the
 * environment variables of `start`.
 * @throws SetupError if it is not an address
 */
export function baseAddress(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const scheme = env.CARD_SANDBOX_TLS_CERT ? "https" : "http";
  const url = given ?? env.CARD_SANDBOX_URL ?? `${scheme}://127.0.0.1:${portOf(env)}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !/[?#]/.test(url)) {
    return url.replace(/\/+$/, "");
  }
  throw new SetupError(
    `${JSON.stringify(url)}${sourceOf(given, env)} is no base address: give one such as http://127.0.0.1:4242, without query or fragment`,
  );
}

/** Names the environment variable that an address comes from. */
function sourceOf(given: string | undefined, env: NodeJS.ProcessEnv): string {
  if (given !== undefined) return "";
  if (env.CARD_SANDBOX_URL !== undefined) return ", which CARD_SANDBOX_URL says,";
  return `, which ${env.CARD_SANDBOX_PORT ? "CARD_SANDBOX_PORT" : "PORT"} makes it,`;
}

/** Port 0 means any port, so it does not help. */
function portOf({ CARD_SANDBOX_PORT, PORT }: NodeJS.ProcessEnv): string {
  const port = CARD_SANDBOX_PORT || PORT || "0";
  return port === "0" ? "4242" : port;
}

/** The problem with a sandbox's health; undefined if it is healthy. */
export async function illness(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/_sandbox/health`, { signal: AbortSignal.timeout(patienceMs) });
    const { status } = (await response.json()) as { status?: string };
    if (response.status === 200 && status === "ok") return undefined;
    return `GET ${url}/_sandbox/health answers ${response.status}: no card-sandbox, or one with --no-control`;
  } catch (error) {
    return unreachable(url, error);
  }
}

/**
 * Sends a request to the control API of a sandbox.
 * @param path - below `/_sandbox`
 * @throws SetupError with the sandbox's message if it refuses; CouldNotRun if it cannot be reached
 */
export async function ask<Answer>(
  { url, adminToken }: RunningSandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(`${url}/_sandbox${path}`, {
      method,
      signal: AbortSignal.timeout(patienceMs),
      headers: adminToken === undefined ? {} : { Authorization: `Bearer ${adminToken}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    status = response.status;
    answer = await response.json();
  } catch (error) {
    throw new CouldNotRun(unreachable(url, error), { cause: error });
  }
  const refused = (answer as { error?: unknown } | null)?.error;
  if (status < 300) return answer as Answer;
  if (status === 401 && typeof refused === "string") {
    throw new SetupError(
      adminToken === undefined
        ? `${url} demands its admin token: give --admin-token, or CARD_SANDBOX_ADMIN_TOKEN`
        : `${url} has another admin token: the one of --admin-token, or CARD_SANDBOX_ADMIN_TOKEN, is wrong`,
    );
  }
  if (status < 500 && typeof refused === "string") throw new SetupError(refused);
  throw new CouldNotRun(
    `${method} ${url}/_sandbox${path} answers ${status}: no card-sandbox, or one with --no-control`,
  );
}

function unreachable(url: string, error: unknown): string {
  const { message, cause } = error as Error;
  if (error instanceof SyntaxError) return `${url} does not answer as card-sandbox does`;
  const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
  return `${url} does not answer (${why}): ${hintFor(url, why)}`;
}

function hintFor(url: string, why: string): string {
  if (/CERT|SIGNED|ISSUER|ALTNAME/.test(why)) return "NODE_EXTRA_CA_CERTS names a certificate to trust";
  if (/WRONG_VERSION|PACKET_LENGTH/.test(why)) {
    return `it speaks plain HTTP, so try ${url.replace(/^https/i, "http")}`;
  }
  // A server that expects TLS closes the connection on plain HTTP.
  if (/^http:/i.test(url) && /UND_ERR_SOCKET|ECONNRESET|EPIPE/.test(why)) {
    return `it may speak HTTPS, so try ${url.replace(/^http/i, "https")}`;
  }
  return "is it the address, and is the sandbox started?";
}
