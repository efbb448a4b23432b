import type { Caller, CompanyNames } from "../../store/callers.ts";
import type { Severity } from "./finding.ts";
import type { Seen } from "./seen.ts";

/** One mistake that clients make, and how it is told from what looks alike and is right. */
export interface Rule {
  /** How grave it is, unless an occurrence says otherwise. */
  readonly severity: Severity;
  readonly title: string;
  /** Why it matters in production. */
  readonly why: string;
  /** How to mend it. */
  readonly mend: string;
  /** The section of the specification that it goes by. */
  readonly spec: string;
  /** Begins to watch; what the rule has to remember lives here, and is bounded. */
  watch(found: Found, known: Known): Watch;
}

/** What a rule is told of, in the order in which it happens. */
export interface Watch {
  /** A request was answered, or lost its connection; muted ones too, since they may put right what came before. */
  see?(request: Seen): void;
  /** A webhook's receiver was sent an event. */
  hear?(attempt: WebhookAttempt): void;
  /** Tells what holds as matters stand, and would no longer if something followed; it is asked at each report. */
  standing?(moment: Moment, found: Found): void;
}

/** Takes what a rule found. An occurrence that names a muted request is dropped. */
export type Found = (occurrence: {
  /** A sentence. Secrets in it are masked. */
  readonly seen: string;
  /** In their order; the last is the one that made it a mistake, and its company the one that it counts for. */
  readonly requests: readonly Seen[];
  /** The company, where no request was it. */
  readonly company?: CompanyNames;
  readonly severity?: Severity;
}) => void;

/** What a rule may ask of the world. */
export interface Known {
  /** Whose API key this is the secret of, of either environment, active or revoked; undefined where of none. */
  holderOf(secret: string): Caller | undefined;
}

/** One attempt to deliver a webhook's event. */
export interface WebhookAttempt {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly company: CompanyNames;
  readonly url: string;
  /** Null where nobody answered. */
  readonly status: number | null;
  readonly error: string | null;
  /** Whether a scenario broke what was sent, as with a bad signature. */
  readonly forced: boolean;
  /** The part of this attempt that a verifying receiver rejects; undefined: none. */
  readonly broken: "signature" | "timestamp" | undefined;
  /** In real time. */
  readonly durationMs: number;
}

/** When a report is made. */
export interface Moment {
  /** By the sandbox's clock, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** The same in the real time of `Seen.startedMs`. */
  readonly realMs: number;
  /** Nothing is to follow any more. */
  readonly final: boolean;
}
