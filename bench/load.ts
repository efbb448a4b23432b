import { randomUUID } from "node:crypto";
import autocannon from "autocannon";
import { cpuMsOf } from "./server.ts";
import { quantile } from "./statistics.ts";

/** What every connection sends over and over. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Whether each request has an `Idempotency-Key` of its own. `once`: and none may be sent twice, since its answer
   * would be a cheaper one.
   */
  readonly keys: "none" | "any" | "once";
  /** The header in which the key stands, and what stands before it there; default `Idempotency-Key`. */
  readonly keyIn?: { readonly header: string; readonly prefix: string };
}

export interface LoadOptions {
  readonly url: string;
  readonly pid: number;
  readonly request: LoadRequest;
  readonly connections: number;
  readonly until: { readonly seconds: number } | { readonly requests: number };
  readonly expectedStatus: number;
  /** How many keys to make: what the server may answer in the time, and more. */
  readonly perSecondAtMost: number;
}

/** What came of one round. */
export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The server's processor time for each request, in microseconds. */
  readonly cpuUs: number | undefined;
  /** How much of a core the load itself took, 1 being all of it. */
  readonly loadShare: number;
  /** What was not as expected; empty where the round counts. */
  readonly wrong: readonly string[];
}

/** Sends one kind of request over a number of connections, each waiting for its answer, and counts the answers. */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, pid, connections, until, expectedStatus } = options;
  const lists = requestsOf(options);
  let taken = 0;
  const statuses = new Map<number, number>();
  const answersTo = new Map<unknown, number>();
  const latencies: number[] = [];
  let started = 0;
  let ended = 0;
  let serverMs: number | undefined;
  let ownUs = 0;
  const result = await new Promise<{ errors: number; timeouts: number }>((done, failed) => {
    const tracker = autocannon(
      {
        url,
        connections,
        ...("seconds" in until ? { duration: until.seconds } : { amount: until.requests }),
        sampleInt: 20,
        setupClient: (client) => client.setRequests(lists[taken++ % lists.length] ?? []),
      },
      (error, result) => (error ? failed(error) : done(result)),
    );
    // By then every connection has built its requests, and none has had an answer.
    tracker.once("start", () => {
      started = performance.now();
      serverMs = cpuMsOf(pid);
      ownUs = ownCpuUs();
    });
    tracker.on("response", (client: unknown, status: number, _bytes: number, ms: number) => {
      answersTo.set(client, (answersTo.get(client) ?? 0) + 1);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      latencies.push(ms);
      ended = performance.now();
    });
  });
  const seconds = (ended - started) / 1000;
  const ownShare = (ownCpuUs() - ownUs) / 1e6 / seconds;
  const serverMsAfter = cpuMsOf(pid);
  const answers = latencies.length;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: answers / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuUs:
      serverMs === undefined || serverMsAfter === undefined
        ? undefined
        : ((serverMsAfter - serverMs) * 1000) / answers,
    loadShare: ownShare,
    wrong: [
      ...(answers === 0 ? ["no answer at all"] : []),
      ...[...statuses]
        .filter(([status]) => status !== expectedStatus)
        .map(([status, times]) => `${times} × ${status} in place of ${expectedStatus}`),
      ...(result.errors > 0
        ? [`${result.errors} connection errors, ${result.timeouts} of them timeouts`]
        : []),
      ...keysUsedUp(options.request, lists, Math.max(...answersTo.values())),
    ],
  };
}

/** How many keys a connection has where it does not matter that they come again. */
const enoughKeys = 500;

/** Each connection's requests, made before the round: making a key costs as much as floor A's whole answer. */
function requestsOf({ request, connections, until, perSecondAtMost }: LoadOptions) {
  const { keys, keyIn = { header: "Idempotency-Key", prefix: "" }, ...plain } = request;
  if (keys === "none") return [[plain]];
  const wanted = "requests" in until ? until.requests : until.seconds * perSecondAtMost;
  const each = keys === "any" ? enoughKeys : Math.ceil(wanted / connections) + 1;
  return Array.from({ length: connections }, () =>
    Array.from({ length: each }, () => ({
      ...plain,
      headers: { ...plain.headers, [keyIn.header]: keyIn.prefix + randomUUID() },
    })),
  );
}

/** A connection that came to its list's end began it again. */
function keysUsedUp({ keys }: LoadRequest, [list = []]: readonly unknown[][], mostAnswers: number): string[] {
  return keys === "once" && mostAnswers > list.length
    ? [`a connection had ${list.length} keys and sent more orders: some were replays`]
    : [];
}

function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
