import type { Clock } from "../rules/clock.ts";
import type { WebhookFaults } from "../rules/overlay.ts";
import { targetViolation } from "./target.ts";

/** Sends a request as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** What is sent where, signed with which secrets. */
export interface Message {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly faults: Pick<WebhookFaults, "stale" | "badSignature">;
}

/** What became of one attempt; `error` is null on success, and `status` where nobody answered. */
export interface AttemptOutcome {
  readonly status: number | null;
  readonly error: string | null;
  /** In real time. */
  readonly durationMs: number;
}

export interface Sending {
  readonly send: Send;
  /** Real time: receivers hold `webhook-timestamp` against their own clock. */
  readonly clock: Clock;
  readonly allowedHosts: readonly string[];
  readonly userAgent: string;
}

const timeoutMs = 15_000;
const staleByMs = 10 * 60 * 1000;
/** What fits no webhook, since each has 32 bytes. */
const strangeSecret = btoa("no webhook's secret");

/**
 * Sends a message once, and waits 15 s of real time for the answer. Redirects are not followed: they could lead
 * where the sandbox may not send.
 * @param abandoned - ends it at once
 */
export async function attempt(
  sending: Sending,
  message: Message,
  abandoned: AbortSignal,
): Promise<AttemptOutcome> {
  // The sandbox may have been started anew with other hosts, or the database have come from elsewhere.
  const violation = targetViolation(message.url, sending.allowedHosts);
  if (violation) return { status: null, error: `not sent: the url ${violation.message}`, durationMs: 0 };
  const startedMs = sending.clock.ticks();
  const lasted = () => sending.clock.ticks() - startedMs;
  const abort = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    abort.signal.addEventListener("abort", () => reject(abort.signal.reason));
  });
  const end = () => abort.abort(new Error("the sandbox ended it"));
  const cancel = sending.clock.after(timeoutMs, () =>
    abort.abort(new Error(`no answer within ${timeoutMs / 1000} s`)),
  );
  abandoned.addEventListener("abort", end);
  try {
    const sent = requestOf(sending, message, abort.signal).then((request) => {
      abort.signal.throwIfAborted();
      return sending.send(message.url, request);
    });
    // Whoever sends in place of fetch may not mind the signal.
    const response = await Promise.race([sent, aborted]);
    response.body?.cancel().catch(() => {});
    return { status: response.status, error: errorOf(response), durationMs: lasted() };
  } catch (error) {
    return { status: null, error: reasonOf(error), durationMs: lasted() };
  } finally {
    cancel();
    abandoned.removeEventListener("abort", end);
  }
}

async function requestOf(
  { clock, userAgent }: Sending,
  message: Message,
  signal: AbortSignal,
): Promise<RequestInit> {
  // Loaded when first needed: no start has to wait for it.
  const { Webhook } = await import("standardwebhooks");
  const { id, body, secrets, faults } = message;
  const at = new Date(clock.now() - (faults.stale ? staleByMs : 0));
  const signing = faults.badSignature ? [strangeSecret] : secrets;
  return {
    method: "POST",
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": userAgent,
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signing.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
    },
    redirect: "manual",
    signal,
  };
}

function errorOf({ ok, status, type }: Response): string | null {
  if (ok) return null;
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) return "redirects are not followed";
  return `answered ${status}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? `${error.message}: ${code}` : error.message;
}
