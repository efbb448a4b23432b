import type QuickLRU from "quick-lru";
import type { OperationId } from "../../contract/operations.ts";
import type { Caller, CompanyNames } from "../../store/callers.ts";
import type { Severity } from "./finding.ts";
import type { ObservedRequest } from "./request.ts";

/** Detects one kind of client mistake. */
export interface Rule {
  /** The highest severity; an occurrence may have a lower one. */
  readonly severity: Severity;
  readonly title: string;
  /** Why it matters in production. */
  readonly why: string;
  /** How to fix it. */
  readonly fix: string;
  /** The section of the specification that it is based on. */
  readonly spec: string;
  /** The operations whose requests the rule observes; default: all requests, also those without an operation. */
  readonly operations?: readonly OperationId[];
  /** Starts the rule. Its state, which must be bounded, belongs to the returned object. */
  watch(report: Report, apiKeys: ApiKeys): Watch;
}

/** The methods are called in chronological order. */
export interface Watch {
  /** Called after a response or a lost connection; also for muted requests, which may correct earlier mistakes. */
  onRequest?(request: ObservedRequest): void;
  /** Called after an attempt to deliver an event to a webhook. */
  onAttempt?(attempt: WebhookAttempt): void;
  /** Called for each report of the findings, for mistakes that a later request may still correct. */
  summarise?(moment: Moment, report: Report): void;
}

/** Reports an occurrence. It is dropped if one of its requests is muted. */
export type Report = (occurrence: {
  /** A sentence of fact. Secrets in it are masked. */
  readonly observed: string;
  /** In order. The last one is the mistake; the occurrence belongs to its company. */
  readonly requests: readonly ObservedRequest[];
  /** The company if it differs from that of the last request. */
  readonly company?: CompanyNames;
  readonly severity?: Severity;
}) => void;

export interface ApiKeys {
  /** The owner of an API key of either environment, active or revoked; undefined if the key does not exist. */
  holderOf(secret: string): Caller | undefined;
}

/** One attempt to deliver an event to a webhook. */
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
  /** The invalid part of this delivery, which a receiver must reject; undefined if it is valid. */
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
  /** The client sends no more requests. */
  readonly final: boolean;
}

/**
 * Returns the entry of a key, creating it if necessary, and moves it to the end: `summarise` reports in this order.
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
