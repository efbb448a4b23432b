import { randomUUID } from "node:crypto";
import type { SweepFixtures } from "../../../src/node/sweep/sweep.ts";
import { physicalOrder } from "../../support/physical-order.ts";

/** What a client gets wrong. */
export interface Mistakes {
  /** Sends each attempt with a new key. */
  readonly newKey?: boolean;
  readonly noTimeout?: boolean;
  readonly noRetry?: boolean;
}

const timeoutMs = 3000;
const mostAttempts = 6;

const briefly = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

/**
 * Exchanges the key and orders a card, with retries.
 * @param pause - waits before each retry
 * @throws Error if it has no card in the end
 */
export async function order(
  { sandbox, company: { apiKey, accountId } }: Pick<SweepFixtures, "sandbox" | "company">,
  mistakes: Mistakes = {},
  pause: (ms: number) => Promise<void> = briefly,
): Promise<void> {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    try {
      const response = await sandbox.fetch(`http://sandbox${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json", ...headers },
        ...(!mistakes.noTimeout && { signal: AbortSignal.timeout(timeoutMs) }),
      });
      return { status: response.status, json: (await response.json()) as { readonly access_token?: string } };
    } catch {
      return { status: 0, json: undefined };
    }
  };
  const key = randomUUID();
  let token: string | undefined;
  let status = 0;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    if (attempt > 1) await pause(100 * attempt);
    if (token === undefined) {
      const exchanged = await post("/auth/v1/sandbox/token", { api_key: apiKey });
      status = exchanged.status;
      token = exchanged.json?.access_token;
    }
    if (token !== undefined) {
      const ordered = await post("/developer/cards/physical", physicalOrder(accountId), {
        Authorization: `Bearer ${token}`,
        "Idempotency-Key": mistakes.newKey ? randomUUID() : key,
      });
      status = ordered.status;
      if (status === 201) return;
      if (status === 401) token = undefined;
    }
    if (mistakes.noRetry || ![0, 401, 409, 429, 502, 503].includes(status)) break;
  }
  throw new Error(`no card: status ${status}`);
}
