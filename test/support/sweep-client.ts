import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { SweepCell, SweepReport } from "../../src/journal/sweep-report.ts";
import { openSandbox, type Sandbox, type SandboxOptions } from "../../src/node/create-sandbox.ts";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import { Catalogue } from "../../src/scenarios/catalogue.ts";
import { withWaits } from "../../src/scenarios/step.ts";
import type { Attempt, Exit, Subject } from "../../src/sweep/subject.ts";
import { type SweepOptions, sweep } from "../../src/sweep/sweep.ts";
import { physicalOrder } from "./physical-order.ts";

/** One run of a client: rejects if the client notices a failure. */
export type Run = (sandbox: Sandbox, run: { readonly n: number; readonly signal: AbortSignal }) => unknown;

const shortWaits = { retry_after_s: 1, latency_ms: 5, hold_ms: 500 };

const catalogue = new Catalogue(() => readShippedScenarios().map((each) => withWaits(each, shortWaits)));

const realClock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  after(ms: number, work: () => void) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Sweeps a function in this process, with short waits. */
export function sweepRun(
  run: Run,
  options: SweepOptions = {},
  sandboxOptions: SandboxOptions = {},
): Promise<SweepReport> {
  const ports = { clock: realClock, catalogue, version: "0.0.0-test", shortened: [] };
  return sweep(new RunSubject(run, sandboxOptions), { patienceMs: 3000, ...options }, ports);
}

/** The calls and cells of a client, without running any cell. */
export async function listOf(run: Run, sandboxOptions?: SandboxOptions): Promise<SweepReport> {
  const report = await sweepRun(run, { list: true }, sandboxOptions);
  if (report.problem !== null) throw new Error(report.problem);
  return report;
}

class RunSubject implements Subject {
  readonly name = "client";
  readonly #run: Run;
  readonly #options: SandboxOptions;
  #runs = 0;

  constructor(run: Run, options: SandboxOptions) {
    this.#run = run;
    this.#options = options;
  }

  repeat(cellId: string): string {
    return `cell: ${cellId}`;
  }

  async run({ observer, limitMs, stop, ended }: Attempt): Promise<Exit> {
    const sandbox = openSandbox(this.#options, { privateSecrets: false, observer });
    const given = new AbortController();
    let limit: NodeJS.Timeout | undefined;
    const stopped = new Promise<Exit>((resolve) => {
      const end = () => {
        given.abort();
        resolve({ outcome: "stopped", message: "stopped", output: null });
      };
      if (stop.aborted) end();
      stop.addEventListener("abort", end);
      if (limitMs !== undefined) limit = setTimeout(end, limitMs);
    });
    const n = this.#runs++;
    const result = (async (): Promise<Exit> => {
      try {
        await this.#run(sandbox, { n, signal: given.signal });
        return { outcome: "passed", message: "passed", output: null };
      } catch (error) {
        const { message, cause = "the output" } = error as Error;
        return { outcome: "failed", message, output: String(cause) };
      }
    })();
    const exit = await Promise.race([result, stopped]);
    clearTimeout(limit);
    await ended(sandbox);
    sandbox.close();
    return exit;
  }
}

/** The verdicts by the id of the cell. */
export function verdictsOf({ cells }: SweepReport): Readonly<Record<string, SweepCell["verdict"]>> {
  return Object.fromEntries(cells.map(({ id, verdict }) => [id, verdict]));
}

/** The cell with this id. */
export function cellOf(report: SweepReport, id: string): SweepCell {
  const cell = report.cells.find((each) => each.id === id);
  if (!cell) throw new Error(`the report has no cell ${id}, but ${report.cells.map((each) => each.id)}`);
  return cell;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  readonly body: any;
}

export interface Sent {
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Behaviour {
  readonly apiKey: string;
  readonly accountId: string;
  /** How long it waits for a response; default 10 seconds. */
  readonly timeoutMs: number;
}

/** What a client does wrong. */
export interface Mistakes {
  /** Sends each attempt with a new Idempotency-Key. */
  readonly newKeys?: boolean;
  /** Does not repeat requests. */
  readonly givesUp?: boolean;
  /** Also repeats requests that the service refused for good. */
  readonly repeatsRefused?: boolean;
}

/** A client that repeats what it should, with the same key, unless it makes mistakes. */
export class TestClient {
  readonly #sandbox: Sandbox;
  readonly #apiKey: string;
  readonly #mistakes: Mistakes;
  readonly accountId: string;
  readonly #timeoutMs: number;
  #token: string | undefined;

  /** @param options - default: a correct client of northwind's owner */
  constructor(sandbox: Sandbox, options: Mistakes & Partial<Behaviour> = {}) {
    const { apiKey = "sk_sandbox_northwind_owner", accountId, timeoutMs = 10_000, ...mistakes } = options;
    this.#sandbox = sandbox;
    this.#apiKey = apiKey;
    this.#mistakes = mistakes;
    this.#timeoutMs = timeoutMs;
    this.accountId = accountId ?? sandbox.world().companies[0]?.accounts[0]?.id ?? "";
  }

  async token(): Promise<string> {
    const path = this.#apiKey.startsWith("sk_live_") ? "/auth/v1/token" : "/auth/v1/sandbox/token";
    this.#token ??= (
      await this.#repeat(() => this.#send("POST", path, { body: { api_key: this.#apiKey } }))
    ).body.access_token;
    return this.#token ?? "";
  }

  /** @throws Error unless the request succeeds in the end */
  async call(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    return this.#repeat(async () => {
      const token = await this.token();
      const key = sent.key !== undefined && this.#mistakes.newKeys ? randomUUID() : sent.key;
      const answer = await this.#send(method, path, {
        ...sent,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(key !== undefined && { "Idempotency-Key": key }),
          ...sent.headers,
        },
      });
      if (answer.status === 401) this.#token = undefined;
      return answer;
    });
  }

  /** Orders a card of the first account, with a key of its own. */
  async order(
    fields: object = {},
    { key = randomUUID(), headers = {} }: Omit<Sent, "body"> = {},
  ): Promise<string> {
    const body = { ...physicalOrder(this.accountId), ...fields };
    return (await this.call("POST", "/developer/cards/physical", { body, key, headers })).body.id;
  }

  list(): Promise<Answer> {
    return this.call("GET", "/developer/cards");
  }

  async #repeat(attempt: () => Promise<Answer>): Promise<Answer> {
    let problem = "";
    for (let attempts = 0; attempts < (this.#mistakes.givesUp ? 1 : 6); attempts++) {
      const answer = await attempt().catch((error: Error) => error);
      if (answer instanceof Error) problem = "no response";
      else if (answer.status < 300) return answer;
      else if (this.#mayRepeat(answer)) problem = `status ${answer.status}`;
      else throw new Error(`status ${answer.status}`);
      await wait(1);
    }
    throw new Error(problem);
  }

  #mayRepeat({ status, body }: Answer): boolean {
    if (status === 409) return /in progress|same Idempotency-Key/i.test(JSON.stringify(body));
    return this.#mistakes.repeatsRefused || status === 401 || status === 429 || status >= 500;
  }

  async #send(method: string, path: string, { body, headers }: Sent): Promise<Answer> {
    const response = await this.#sandbox.fetch(`http://sandbox${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }
}
