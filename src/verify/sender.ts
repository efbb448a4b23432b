import { pathPattern } from "./evidence.ts";
import { CannotProbe, type ProbeReply } from "./probe.ts";

/** Sends a request to a path of the target. It must follow no redirect. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

export interface Limits {
  /** The most requests that are sent. */
  readonly budget: number;
  /** The most requests in a second. */
  readonly perSecond: number;
  /** How long a response may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** Time, as far as sending needs it. */
export interface Pace {
  /** Milliseconds since the epoch. */
  now(): number;
  pause(ms: number): Promise<void>;
}

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The budget does not allow another request. */
export class BudgetUsedUp extends CannotProbe {}

/** No usable response arrived: the connection failed, it took too long, or it leads elsewhere. */
export class NoResponse extends CannotProbe {}

/** The longest `Retry-After` that is waited for, and how often. */
const longestWaitMs = 60_000;
const mostRetries = 3;

/** The most bytes of a response that are read. */
const mostBytes = 1024 * 1024;

/** Sends requests within the limits. */
export class Sender {
  readonly #send: Send;
  readonly #limits: Limits;
  readonly #pace: Pace;
  readonly #onReply: (request: SentRequest, reply: ProbeReply) => void;
  #used = 0;
  #nextMs = 0;
  /** How many requests of the budget are kept for cleaning up. */
  reserved = 0;

  constructor(
    send: Send,
    limits: Limits,
    pace: Pace,
    onReply: (request: SentRequest, reply: ProbeReply) => void,
  ) {
    this.#send = send;
    this.#limits = limits;
    this.#pace = pace;
    this.#onReply = onReply;
  }

  /** How many requests were sent. */
  get used(): number {
    return this.#used;
  }

  /**
   * Waits and repeats the request if the response is a 429 with `Retry-After`.
   * @throws BudgetUsedUp, NoResponse
   */
  async send(request: SentRequest): Promise<ProbeReply> {
    for (let retries = 0; ; retries++) {
      const reply = await this.#once(request);
      if (reply.status !== 429) return reply;
      const waitMs = retryAfterMs(reply.headers, this.#pace.now());
      if (waitMs === undefined || waitMs > longestWaitMs || retries === mostRetries) {
        throw new CannotProbe(`${nameOf(request)}: the target limits the rate (429). Use a lower --rate.`);
      }
      await this.#pace.pause(waitMs);
    }
  }

  async #once(request: SentRequest): Promise<ProbeReply> {
    const { budget, timeoutMs } = this.#limits;
    if (this.#used + this.reserved >= budget) {
      throw new BudgetUsedUp(`the budget of ${budget} requests is used up. Use a higher --budget.`);
    }
    this.#used++;
    await this.#turn();
    const { method, path, headers, body } = request;
    const signal = AbortSignal.timeout(timeoutMs);
    let reply: ProbeReply;
    try {
      const init = {
        method,
        headers,
        redirect: "manual",
        signal,
        ...(body !== undefined && { body }),
      } as const;
      const response = await this.#send(path, init);
      const text = await readText(response);
      reply = { status: response.status, headers: response.headers, text, json: parsed(text) };
    } catch (error) {
      if (error instanceof CannotProbe) throw error;
      const why = signal.aborted ? `no complete response within ${timeoutMs / 1000} s` : reasonOf(error);
      throw new NoResponse(`${nameOf(request)}: ${why}`, { cause: error });
    }
    this.#onReply(request, reply);
    if (reply.status >= 300 && reply.status < 400) {
      throw new NoResponse(
        `${nameOf(request)}: redirected (${reply.status}). verify follows no redirect, so that no key reaches another server.`,
      );
    }
    return reply;
  }

  /** Waits until the rate allows another request. */
  async #turn(): Promise<void> {
    const nowMs = this.#pace.now();
    const atMs = Math.max(nowMs, this.#nextMs);
    this.#nextMs = atMs + 1000 / this.#limits.perSecond;
    if (atMs > nowMs) await this.#pace.pause(atMs - nowMs);
  }
}

/** Seconds or a date, relative to the server's own clock; undefined if there is none. */
function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get("Retry-After")?.trim() ?? "";
  if (/^[0-9]+(\.[0-9]+)?$/.test(value)) return Number(value) * 1000;
  const atMs = Date.parse(value);
  if (Number.isNaN(atMs)) return undefined;
  const serverMs = Date.parse(headers.get("Date") ?? "");
  return Math.max(0, atMs - (Number.isNaN(serverMs) ? nowMs : serverMs));
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > mostBytes) {
      reader.cancel().catch(() => {});
      throw new Error("the response is larger than 1 MiB");
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The code or the message of a failed request. The cause of a `TypeError` of `fetch` says more than the error. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code, message: reason = message } = (cause ?? {}) as { code?: unknown; message?: string };
  return typeof code === "string" ? `no response (${code})` : reason;
}

/** Without the query and without ids. */
function nameOf({ method, path }: SentRequest): string {
  return `${method} ${pathPattern(path)}`;
}
