import autocannon, { type SetupRequest } from "autocannon";
import { cpuMsOf, type Server } from "./server.ts";
import { quantile } from "./statistics.ts";

/** The request that every connection sends over and over. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Makes headers that differ for each request. */
  readonly ownHeaders?: () => Readonly<Record<string, string>>;
}

export interface LoadOptions {
  readonly server: Server;
  readonly request: LoadRequest;
  readonly connections: number;
  readonly until: { readonly duration: number } | { readonly amount: number };
  readonly expectedStatus: number;
}

/** The figures of one round. */
export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The server's processor time per request, in microseconds; NaN outside Linux. */
  readonly cpuUs: number;
  /** Unexpected responses and errors; if there are any, the figures are worthless. */
  readonly problems: readonly string[];
}

/** Sends a request over a number of connections, each of which waits for the response before it sends again. */
export async function load(options: LoadOptions): Promise<Load> {
  const { server, request, connections, until, expectedStatus } = options;
  const { ownHeaders, ...plain } = request;
  const setupRequest: SetupRequest = (prepared) => ({
    ...prepared,
    headers: { ...prepared.headers, ...ownHeaders?.() },
  });
  const requests = [ownHeaders ? { ...plain, setupRequest } : plain];
  const statuses = new Map<number, number>();
  // autocannon's own latencies are whole milliseconds.
  const latencies: number[] = [];
  const started = { ms: 0, cpuMs: 0 };
  let endedMs = 0;
  const result = await new Promise<{ errors: number; timeouts: number }>((resolve, reject) => {
    autocannon({ url: server.url, connections, ...until, sampleInt: 20, requests }, (error, result) =>
      error ? reject(error) : resolve(result),
    )
      .once("start", () => {
        started.ms = performance.now();
        started.cpuMs = cpuMsOf(server.pid);
      })
      .on("response", (_client: unknown, status: number, _bytes: number, ms: number) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        latencies.push(ms);
        endedMs = performance.now();
      });
  });
  const cpuMs = cpuMsOf(server.pid) - started.cpuMs;
  const seconds = (endedMs - started.ms) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuUs: (cpuMs * 1000) / latencies.length,
    problems: [
      ...(latencies.length === 0 ? ["no response at all"] : []),
      ...[...statuses]
        .filter(([status]) => status !== expectedStatus)
        .map(([status, times]) => `${times} × ${status} instead of ${expectedStatus}`),
      ...(result.errors > 0
        ? [`${result.errors} connection errors, of which ${result.timeouts} timeouts`]
        : []),
    ],
  };
}
