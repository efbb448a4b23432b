import type { RowChange } from "../store/row-changes.ts";

/** A part of a response that differs from the tape. Secrets are masked. */
export interface ReplayDifference {
  /** Such as `status` or `body.cards.0.status`. */
  readonly field: string;
  /** The value on the tape. */
  readonly tape: unknown;
  readonly now: unknown;
}

/** Something that entered the recorded sandbox. */
export interface TapeEntry {
  /** Among the events of the tape, from 0. */
  readonly position: number;
  /** When it entered, in real time. */
  readonly time: string;
  readonly kind: "request" | "control" | "timer" | "delivery" | "closed" | "files";
  /** The id of a request; null if it has no response on the tape, and for everything else. */
  readonly request: string | null;
  readonly company: string | null;
  /** Such as `POST /developer/cards/physical` or `clock.advance`. */
  readonly what: string;
  /** The contract point of a request, or the outcome of something else. */
  readonly decision: string | null;
  readonly status: number | null;
  readonly difference: ReplayDifference | null;
}

export interface TapePage {
  readonly entries: readonly TapeEntry[];
  /** The position of the first entry of the next page. */
  readonly next: number | null;
  readonly previous: number | null;
}

/** A response: null if the connection was lost. Secrets are masked. */
export interface ShownResponse {
  readonly status: number | null;
  readonly point: string | null;
  readonly scenario: string | null;
  readonly fault: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A request of the tape, played. */
export interface PlayedRequest {
  readonly entry: TapeEntry;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: the tape does not have it, because it could not be parsed. */
  readonly body: string | null;
  readonly tape: ShownResponse;
  /** Null: this version does not respond. */
  readonly now: ShownResponse | null;
  /** The first rows that changed between the arrival of the request and its response. */
  readonly changes: readonly RowChange[];
  /** The number of further changed rows. */
  readonly moreChanges: number;
  /** The number of events until its response. If there are others than its own, they may have changed rows too. */
  readonly events: number;
  /** The ids of the requests before and after it on the tape. */
  readonly previous: string | null;
  readonly next: string | null;
}

/** The tape that a sandbox plays, for the dashboard. */
export interface Replay {
  readonly file: string;
  /** The version of card-sandbox that recorded it. */
  readonly version: string;
  /** Whether the recording ended; otherwise its process was killed. */
  readonly isComplete: boolean;
  readonly requests: number;
  readonly events: number;
  /** The number of differences in the events that were played so far. */
  readonly differences: number;
  /** The number of events that the served world has seen. */
  readonly position: number;
  /** The id of the last request of the tape that the served world answered; null: none. */
  readonly request: string | null;
  /** @param isDifferent - only events with a difference */
  page(from: number, isDifferent: boolean): TapePage;
  /**
   * Plays the tape up to a request in another world than the served one.
   * @throws ControlError 404 if the tape does not have it
   */
  inspect(request: string): Promise<PlayedRequest>;
  /** Replaces the served world with the one after this number of events. */
  goTo(events: number): Promise<void>;
}
