import type { Dialect } from "../contract/dialect.ts";
import type { Environment } from "../contract/identifiers.ts";
import type { ShortenWait } from "../runtime/services.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { AnyScenarioName } from "../scenarios/shipped.ts";
import type { StoredRows } from "../store/stored-rows.ts";
import type { FixtureWorld } from "../world/fixtures.ts";

/** The version of the format. A tape of another version is refused. */
export const tapeFormat = 1;

/** How a sweep shortens the waits of scenarios. */
export type Waits = { readonly atMostMs: number } | { readonly times: number };

export function shorten(waits: Waits): ShortenWait {
  return "times" in waits ? (ms) => ms * waits.times : (ms) => Math.min(ms, waits.atMostMs);
}

/** The options of the recorded sandbox that change what it answers. */
export interface TapeOptions {
  readonly assumed: boolean;
  readonly sandboxHeaders: boolean;
  readonly fixtureKeys: boolean;
  readonly scenario: AnyScenarioName | null;
  readonly allowWebhookHosts: readonly string[];
  readonly waits: Waits | null;
}

/** The first line of a tape: the sandbox as it was when the recording began. All secrets in a tape are stand-ins. */
export interface TapeHead {
  readonly do: "begin";
  readonly format: number;
  /** The version of card-sandbox that recorded it. */
  readonly version: string;
  /** Real time, in milliseconds since the epoch. */
  readonly at: number;
  readonly seed: number;
  /** The instant at which the clock was frozen at the start; null: real time. */
  readonly clock: string | null;
  readonly fixtures: { readonly world: FixtureWorld; readonly digest: string };
  readonly dialect: Dialect;
  /** The user's own scenarios. */
  readonly scenarios: readonly Scenario[];
  readonly options: TapeOptions;
  /** The rows of the database; null: those of a new sandbox with these fixtures. */
  readonly rows: StoredRows | null;
  /** The id in the journal of the last request before the recording. */
  readonly after: number;
}

/** Why the body of a request is not on the tape. */
export type Unreadable = "too large" | "not UTF-8" | "cut off" | "not JSON";

/** The outcome of a request. Without a status, no response was delivered. */
export interface TapedResponse {
  /** The id of the request in the journal, which counts the outcomes. */
  readonly id: number;
  /** The slug of the caller's company; null: the caller was not identified. */
  readonly company: string | null;
  readonly operation: string | null;
  /** Null if the connection was dropped before a decision. */
  readonly point: string | null;
  readonly scenario: string | null;
  readonly fault: string | null;
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The database could not store the changes: the request is not played. */
  readonly lost?: true;
}

/** A credential that was issued before the recording, by the SHA-256 of the real one. */
export interface KnownCredential {
  readonly standIn: string;
  readonly sha256: string;
}

/** Something that entered the sandbox. `at` is real time, in milliseconds since the event before. */
export type TapeEvent = { readonly at: number } & (
  | {
      readonly do: "request";
      /** Counts the requests in the order in which they were decided. */
      readonly n: number;
      readonly method: string;
      readonly url: string;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** Absent: see `unreadable`. */
      readonly body?: string;
      readonly unreadable?: Unreadable;
      /** Absent: both. */
      readonly environment?: Environment;
      readonly known?: KnownCredential;
      /** The scenario that a sweep forced on the request. */
      forced?: Scenario;
      /** Absent if it came after later events: then there is an event `response`. */
      response?: TapedResponse;
    }
  | {
      readonly do: "response";
      readonly n: number;
      readonly forced?: Scenario;
      readonly response: TapedResponse;
    }
  /** The client of a request closed its connection. */
  | { readonly do: "gone"; readonly n: number }
  /** A timer fired that was set for `ms`. */
  | { readonly do: "timer"; readonly ms: number }
  /** A request to a webhook ended. */
  | {
      readonly do: "delivery";
      readonly url: string;
      /** The id of the message: the first requests are sent in any order, because they wait for code to be loaded. */
      readonly id?: string;
      /** Counts the requests. */
      readonly n: number;
      readonly status: number | null;
      readonly error?: string;
      readonly code?: string;
    }
  /** An operation of the control API, the dashboard or the program itself that changes something. */
  | {
      readonly do: "control";
      readonly call: string;
      readonly args: readonly unknown[];
      readonly result?: unknown;
      readonly error?: string;
    }
  /** Files that the sandbox watches were changed. */
  | ({ readonly do: "inputs" } & ChangedInputs)
);

/** The new contents of files that the sandbox watches. */
export interface ChangedInputs {
  readonly fixtures?: TapeHead["fixtures"];
  readonly dialect?: Dialect;
  /** All of the user's own scenarios. */
  readonly scenarios?: readonly Scenario[];
}

export type TapedRequest = Extract<TapeEvent, { do: "request" }>;
export type TapedControl = Extract<TapeEvent, { do: "control" }>;

/** A tape in memory. */
export interface Tape {
  readonly head: TapeHead;
  readonly events: readonly TapeEvent[];
  /** Whether the recording ended; otherwise its process was killed, and the last second may be missing. */
  readonly isComplete: boolean;
}

/** The id of the message in a request to a webhook; undefined if the dialect has no header for it. */
export function messageIdOf({ headers }: RequestInit): string | undefined {
  return Object.entries(headers ?? {}).find(([name]) => name.toLowerCase().endsWith("-id"))?.[1];
}
