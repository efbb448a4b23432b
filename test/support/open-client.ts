import { randomUUID } from "node:crypto";
import { ConnectionLost } from "../../src/rules/errors.ts";
import { type OrderBody, openSandbox, type Reply, type TestOptions } from "./open-sandbox.ts";

interface ClientOptions extends TestOptions {
  readonly apiKey?: string;
}

/** What a request of the client differs in. */
export interface Sent {
  readonly key?: string;
  readonly body?: OrderBody;
  /** The scenario that the request itself chooses. */
  readonly scenario?: string | undefined;
  /** Says that it is wrong on purpose. */
  readonly negative?: boolean;
  /** In place of the client's own access token. */
  readonly token?: string;
  readonly headers?: Record<string, string | undefined>;
  /** Ends the client's patience. */
  readonly signal?: AbortSignal;
}

/** A sandbox with a client that keeps its access token, and does exactly what it is told, right or wrong. */
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
    /** Orders a physical card, each time the same unless told otherwise, under a new key unless told otherwise. */
    order: (sent: Sent = {}) =>
      send("POST", "/developer/cards/physical", {
        key: randomUUID(),
        ...sent,
        body: sandbox.orderBody(sent.body),
      }),
    /** Orders a virtual card in the same way. */
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
    /** Time goes by, real and the company's. */
    wait: (ms: number) => sandbox.clockOfTest.advance(ms),
  };
}

export type Client = Awaited<ReturnType<typeof openClient>>;

/** Waits until what other requests do has come so far. */
export async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await new Promise(setImmediate);
}
