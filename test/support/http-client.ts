import { randomUUID } from "node:crypto";
import { physicalOrder } from "./physical-order.ts";

export interface OrderOptions {
  readonly token?: string | undefined;
  readonly key?: string;
  /** Overrides fields of the body. */
  readonly fields?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** A client of a sandbox on a port, or in this process. */
export function httpClient(url: string, send: typeof fetch = fetch) {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
    send(url + path, {
      method: "POST",
      body: JSON.stringify(body),
      headers,
      ...(signal && { signal }),
    });

  const exchange = async (api_key = "sk_sandbox_northwind_owner"): Promise<string> => {
    const response = await post("/auth/v1/sandbox/token", { api_key });
    const { access_token } = (await response.json()) as { access_token?: string };
    if (!access_token) throw new Error(`no token: ${response.status}`);
    return access_token;
  };

  /** Orders a physical card on an account, by default as northwind's owner and with a new key. */
  const order = async (accountId: string | undefined, options: OrderOptions = {}): Promise<Response> => {
    const { token, key = randomUUID(), fields, headers, signal } = options;
    const all = {
      Authorization: `Bearer ${token ?? (await exchange())}`,
      "Content-Type": "application/json",
      "Idempotency-Key": key,
      ...headers,
    };
    return post("/developer/cards/physical", { ...physicalOrder(accountId), ...fields }, all, signal);
  };

  return { post, exchange, order };
}
