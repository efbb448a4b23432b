import * as z from "zod";
import { quoted, SetupError } from "../rules/errors.ts";
import { ControlError } from "./errors.ts";
import { parse, readQuery } from "./input.ts";
import type { ControlHandlers } from "./operations.ts";
import type { PlayedRequest } from "./replay.ts";
import { entryId } from "./requests.ts";

/** A tape that is being recorded, or whose recording failed. */
export interface Recording {
  /** When it began, by the clock of the sandbox. */
  readonly sinceMs: number;
  /** The id of the last request before it. */
  readonly afterId: number;
  /** The id of its last request that has a response. */
  readonly lastId: number;
  readonly requests: number;
  /** The compressed size so far. */
  readonly bytes: number;
  /** The absolute path of the file; null: in memory. */
  readonly path: string | null;
  /** Why it ended by itself. */
  readonly failure: string | undefined;
}

/** Records what enters the sandbox. */
export interface TapeRecorder {
  /** Undefined: nothing is recorded. */
  readonly recording: Recording | undefined;
  /**
   * @param isNew - the world is as its fixtures made it
   * @throws SetupError if the world is too large
   */
  begin(isNew: boolean): void;
  end(): void;
  /** The file of the tape, up to the response with this id; undefined if the tape does not have it. */
  save(untilId?: number): Uint8Array<ArrayBuffer> | undefined;
  /**
   * Plays the tape up to the response with this id in a world of its own.
   * @returns undefined if the tape does not have it
   * @throws SetupError if that would take too long
   */
  inspect(id: number): Promise<PlayedRequest | undefined>;
}

/** The recording of a tape. */
export interface TapeListing {
  readonly recording: boolean;
  /** When the recording began, by the clock of the sandbox; null: there is no tape. */
  readonly since: string | null;
  /** The number of requests. */
  readonly requests: number;
  /** The ids of the first and the last request that has a response; null: there is none. */
  readonly first_request_id: string | null;
  readonly last_request_id: string | null;
  /** The compressed size in bytes; it grows once a second. */
  readonly bytes: number;
  /** The absolute path of the file; null: the tape is in memory. */
  readonly file: string | null;
  /** Why the recording ended by itself; null: it did not. */
  readonly problem: string | null;
}

/** @internal */
export const tapeQuery = z.lazy(() => z.strictObject({ until: entryId.optional() }));

const noTape: TapeListing = {
  recording: false,
  since: null,
  requests: 0,
  first_request_id: null,
  last_request_id: null,
  bytes: 0,
  file: null,
  problem: null,
};

/** Records a tape: everything that enters the sandbox, and its responses. Secrets are replaced. */
export class SandboxTape {
  readonly #recorder: TapeRecorder | undefined;
  readonly #inProgress: () => { readonly requests: number; readonly deliveries: number };

  /** @param inProgress - the work that a recording would not have from its start */
  constructor(
    recorder: TapeRecorder | undefined,
    inProgress: () => { readonly requests: number; readonly deliveries: number },
  ) {
    this.#recorder = recorder;
    this.#inProgress = inProgress;
  }

  /** Whether a tape is recorded, and what it has. */
  read(): TapeListing {
    const recording = this.#recorder?.recording;
    if (!recording) return noTape;
    const { sinceMs, afterId, lastId, requests, bytes, path, failure } = recording;
    const isEmpty = lastId === afterId;
    return {
      recording: failure === undefined,
      since: new Date(sinceMs).toISOString(),
      requests,
      first_request_id: isEmpty ? null : String(afterId + 1),
      last_request_id: isEmpty ? null : String(lastId),
      bytes,
      file: path,
      problem: failure ?? null,
    };
  }

  /**
   * Begins to record a tape in memory.
   * @throws ControlError 409 if one is recorded, work is in progress, or the world is too large
   */
  begin(): TapeListing {
    const recorder = this.#recorder;
    if (!recorder) throw new ControlError(409, "tape: this sandbox plays a tape, so it cannot record one.");
    const { recording, since } = this.read();
    if (recording) {
      throw new ControlError(
        409,
        `tape: the sandbox has been recording since ${since}. To begin anew, end this recording first (DELETE /_sandbox/tape).`,
      );
    }
    const { requests, deliveries } = this.#inProgress();
    if (requests + deliveries > 0) {
      throw new ControlError(
        409,
        `tape: a recording cannot begin while requests wait for a scenario (${requests}) or webhook deliveries wait for a response (${deliveries}). Release or disarm the scenarios, or try again later.`,
      );
    }
    try {
      recorder.begin(false);
    } catch (error) {
      if (error instanceof SetupError) throw new ControlError(409, error.message);
      throw error;
    }
    return this.read();
  }

  /**
   * Ends the recording. A tape in memory is deleted; a file stays.
   * @throws ControlError 404 if there is no tape
   */
  end(): void {
    this.#required().end();
  }

  /**
   * The tape as a file, for `card-sandbox replay`.
   * @param until - the id of the last request; default: all that was recorded
   * @throws ControlError 404 if there is no tape, or it has no response to this request
   */
  file(until?: string): Uint8Array<ArrayBuffer> {
    const { until: id } = parse(tapeQuery, until === undefined ? {} : { until });
    const file = this.#required().save(id === undefined ? undefined : Number(id));
    if (file) return file;
    throw this.#missing("until", id ?? "");
  }

  /**
   * Plays the tape up to a request in a world of its own, to show the rows that the request changed.
   * @throws ControlError 404 if there is no tape or it does not have the request, 409 if the tape is too long
   * @internal
   */
  async changes(request: string): Promise<PlayedRequest> {
    const { until: id = "" } = parse(tapeQuery, { until: request });
    try {
      const played = await this.#required().inspect(Number(id));
      if (played) return played;
    } catch (error) {
      throw error instanceof SetupError ? new ControlError(409, error.message) : error;
    }
    throw this.#missing("id", id);
  }

  #missing(field: string, id: string): ControlError {
    const { first_request_id: first, last_request_id: last } = this.read();
    const range = first === null ? "The tape has none yet" : `The tape has the requests ${first} to ${last}`;
    return new ControlError(404, `${field}: request ${quoted(id)} is not on the tape. ${range}.`);
  }

  #required(): TapeRecorder {
    const recorder = this.#recorder;
    if (recorder?.recording) return recorder;
    throw new ControlError(
      404,
      "tape: nothing is recorded. Begin with POST /_sandbox/tape, or start the sandbox with --tape FILE.",
    );
  }
}

/** @internal */
export function tapeHandlers(
  tape: SandboxTape,
): ControlHandlers<"getTape" | "beginTape" | "endTape" | "getTapeFile"> {
  return {
    getTape: (c) => c.json(tape.read()),
    beginTape: (c) => c.json(tape.begin(), 201),
    endTape: (c) => {
      tape.end();
      return c.body(null, 204);
    },
    getTapeFile: (c) => {
      const { until } = readQuery(c, tapeQuery);
      const name = until === undefined ? "card-sandbox" : `card-sandbox-request-${until}`;
      return c.body(tape.file(until), 200, {
        "Content-Type": "application/gzip",
        "Content-Disposition": `attachment; filename="${name}.tape"`,
        "Cache-Control": "no-store",
      });
    },
  };
}
