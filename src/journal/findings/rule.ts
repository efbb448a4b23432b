import type QuickLRU from "quick-lru";
import type { OperationId } from "../../contract/operations.ts";
import type { Caller, CompanyNames } from "../../store/callers.ts";
import type { Severity } from "./finding.ts";
import type { ObservedRequest } from "./request.ts";

/** One mistake that clients make. */
export interface Rule {
  /** The usual severity; an occurrence may have another. */
  readonly severity: Severity;
  readonly title: string;
  /** Why it matters in production. */
  readonly why: string;
  /** How to fix it. */
  readonly mend: string;
  /** The section of the specification that it is based on. */
  readonly spec: string;
  /** The rule sees only requests of these operations; default: every request, also one of no operation. */
  readonly operations?: readonly OperationId[];
  /** Begins to watch. The state of the rule lives in what this returns; it must be bounded. */
  watch(report: Report, apiKeys: ApiKeys): Watch;
}

/** The methods are called in the order in which things happen. */
export interface Watch {
  /** Called after a response or a lost connection; also for muted requests, which may correct earlier mistakes. */
  onRequest?(request: ObservedRequest): void;
  /** Called after an attempt to deliver an event to a webhook. */
  onAttempt?(attempt: WebhookAttempt): void;
  /** Called for each report of the findings: reports mistakes that a later request may still put right. */
  summarise?(moment: Moment, report: Report): void;
}

/** Takes an occurrence of a mistake. One that names a muted request is dropped. */
export type Report = (occurrence: {
  /** A sentence. Secrets in it are masked. */
  readonly seen: string;
  /** In their order; the last one is the mistake, and the occurrence belongs to its company. */
  readonly requests: readonly ObservedRequest[];
  /** The company, if it is not that of the last request. */
  readonly company?: CompanyNames;
  readonly severity?: Severity;
}) => void;

export interface ApiKeys {
  /** The holder of an API key of either environment, active or revoked; undefined: there is no such key. */
  holderOf(secret: string): Caller | undefined;
}

/** One attempt to deliver a webhook's event. */
export interface WebhookAttempt {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly company: CompanyNames;
  readonly url: string;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly error: string | null;
  /** Whether a scenario changed the delivery, for example its signature. */
  readonly forced: boolean;
  /** The part of this attempt that a verifying receiver rejects; undefined: none. */
  readonly broken: "signature" | "timestamp" | undefined;
  /** In real time. */
  readonly durationMs: number;
}

/** The time of a report. */
export interface Moment {
  /** By the sandbox's clock, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** In real time, as `ObservedRequest.startedMs`. */
  readonly realMs: number;
  /** The client sends nothing more. */
  readonly final: boolean;
}

/**
 * The entry of a key, made if there is none, as the latest one: `summarise` reports the entries in this order.
 * @internal
 */
export function latestEntry<Key, Value>(entries: QuickLRU<Key, Value>, key: Key, make: () => Value): Value {
  const entry = entries.get(key) ?? make();
  setLatest(entries, key, entry);
  return entry;
}

/** @internal */
export function setLatest<Key, Value>(entries: QuickLRU<Key, Value>, key: Key, entry: Value): void {
  entries.delete(key);
  entries.set(key, entry);
}
