import type { Choices } from "../contract/behaviours.ts";
import type { Clock } from "../rules/clock.ts";
import type { WebhookFaults } from "../rules/overlay.ts";
import { type SigningChoices, signedHeaders } from "./signing.ts";
import { targetViolation } from "./target.ts";

/** Sends a request as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** A message, its target, and the secrets that sign it. */
export interface Message {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly companyPk: number;
  readonly clockOffsetMs: number;
  readonly faults: Pick<WebhookFaults, "stale" | "badSignature">;
  /** Those of the dialect of its company. */
  readonly choices: SigningChoices & Pick<Choices, "webhooks.timeout" | "webhooks.accepted_statuses">;
}

/** Sends a message. A receiver in this process also gets what its signature is checked with. */
export type SendMessage = (url: string, init: RequestInit, message: Message) => Promise<Response>;

/** The outcome of one attempt. `error` is null if it succeeded, `status` if there was no response. */
export interface AttemptOutcome {
  readonly status: number | null;
  readonly error: string | null;
  /** In real time. */
  readonly durationMs: number;
}

export interface Sending {
  readonly send: SendMessage;
  /** Real time: receivers compare `webhook-timestamp` with their own clock. */
  readonly clock: Clock;
  readonly allowedHosts: readonly string[];
  readonly userAgent: string;
}

const staleByMs = 10 * 60 * 1000;

/**
 * Sends a message once and waits a few seconds of real time for the response. Redirects are not followed: they could lead to a
 * host that is not allowed.
 * @param aborted - ends the attempt at once
 */
export async function attempt(
  sending: Sending,
  message: Message,
  aborted: AbortSignal,
): Promise<AttemptOutcome> {
  // The webhook may be older than this start, which may allow other hosts.
  const violation = targetViolation(message.url, sending.allowedHosts);
  if (violation) {
    const field = violation.kind === "invalid" ? "url " : "";
    return { status: null, error: `not sent: ${field}${violation.message}`, durationMs: 0 };
  }
  const startedMs = sending.clock.ticks();
  const elapsedMs = () => sending.clock.ticks() - startedMs;
  const abort = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    abort.signal.addEventListener("abort", () => reject(abort.signal.reason));
  });
  const end = () => abort.abort(new Error("aborted by the sandbox"));
  const seconds = message.choices["webhooks.timeout"];
  const cancel = sending.clock.after(Number(seconds) * 1000, () =>
    abort.abort(new Error(`no response within ${seconds} s`)),
  );
  aborted.addEventListener("abort", end);
  try {
    const sent = requestOf(sending, message, abort.signal).then((request) => {
      abort.signal.throwIfAborted();
      return sending.send(message.url, request, message);
    });
    // A function that replaces fetch may ignore the signal.
    const response = await Promise.race([sent, ended]);
    response.body?.cancel().catch(() => {});
    return { status: response.status, error: errorOf(response, message), durationMs: elapsedMs() };
  } catch (error) {
    return { status: null, error: reasonOf(error), durationMs: elapsedMs() };
  } finally {
    cancel();
    aborted.removeEventListener("abort", end);
  }
}

async function requestOf(
  { clock, userAgent }: Sending,
  { id, body, secrets, faults, choices }: Message,
  signal: AbortSignal,
): Promise<RequestInit> {
  const at = new Date(clock.now() - (faults.stale ? staleByMs : 0));
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": userAgent,
    ...(await signedHeaders(choices, id, at, body, faults.badSignature ? [] : secrets)),
  };
  return { method: "POST", body, headers, redirect: "manual", signal };
}

function errorOf({ ok, status, type }: Response, { choices }: Message): string | null {
  if (ok && (status === 200 || choices["webhooks.accepted_statuses"] === "2xx")) return null;
  if (ok) return `receiver returned status ${status}, but only 200 is accepted`;
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) return "redirects are not followed";
  return `receiver returned status ${status}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? `${error.message}: ${code}` : error.message;
}
