import { randomUUID } from "node:crypto";
import { ConnectionLost } from "../../src/rules/errors.ts";
import { type OrderBody, openSandbox, type Reply, type TestOptions } from "./open-sandbox.ts";

interface ClientOptions extends TestOptions {
  readonly apiKey?: string;
}

/** Differences from the default request of the client. */
export interface Sent {
  readonly key?: string;
  readonly body?: OrderBody;
  /** For `Sandbox-Scenario`. */
  readonly scenario?: string | undefined;
  /** Sends `Sandbox-Test: negative`. */
  readonly negative?: boolean;
  /** Instead of the client's access token. */
  readonly token?: string;
  readonly headers?: Record<string, string | undefined>;
  /** Aborted when the client gives up. */
  readonly signal?: AbortSignal;
}

/** Opens a sandbox with a client that keeps its access token. */
export async function openClient({ apiKey = "sk_sandbox_northwind_owner", ...options }: ClientOptions = {}) {
  const sandbox = openSandbox(options);
  const own = await sandbox.exchange(apiKey);
  const headersOf = ({ token = own, scenario, negative, headers, key }: Sent) => ({
    "Sandbox-Scenario": scenario,
    "Sandbox-Test": negative ? "negative" : undefined,
    "Idempotency-Key": key,
    Authorization: `Bearer ${token}`,
    ...headers,
  });
  /** Sends a request; undefined if the response is lost or the client gave up. */
  const send = async (method: string, path: string, sent: Sent = {}): Promise<Reply | undefined> => {
    const headers = Object.fromEntries(
      Object.entries(headersOf(sent)).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    try {
      const { body, token = own, signal } = sent;
      return await sandbox.call(method, path, { body, token, headers, ...(signal && { signal }) });
    } catch (error) {
      if (sent.signal?.aborted) return undefined;
      if (error instanceof ConnectionLost || error instanceof TypeError) return undefined;
      throw error;
    }
  };
  return {
    ...sandbox,
    token: own,
    send,
    /** Orders a physical card, by default the same card with a new key. */
    order: (sent: Sent = {}) =>
      send("POST", "/developer/cards/physical", {
        key: randomUUID(),
        ...sent,
        body: sandbox.orderBody(sent.body),
      }),
    /** Orders a virtual card, by default with a new key. */
    virtual: (sent: Sent = {}) =>
      send("POST", "/developer/cards/virtual", {
        key: randomUUID(),
        ...sent,
        body: { account_id: sandbox.account("northwind").id, ...sent.body },
      }),
    replace: (id: string, sent: Sent = {}) =>
      send("POST", `/developer/cards/${id}/replace`, {
        key: randomUUID(),
        ...sent,
        body: { reason: "damaged", ...sandbox.orderBody({ account_id: undefined }), ...sent.body },
      }),
    listCards: () => send("GET", "/developer/cards"),
    /** Advances real time and the time of the company. */
    wait: (ms: number) => sandbox.clockOfTest.advance(ms),
  };
}

export type Client = Awaited<ReturnType<typeof openClient>>;

/** Waits until other requests have made a condition true. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}
