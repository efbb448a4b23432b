import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PlayedRequest } from "../../control/replay.ts";
import type { Recording, TapeRecorder } from "../../control/tape.ts";
import type { Clock } from "../../rules/clock.ts";
import { SetupError } from "../../rules/errors.ts";
import { type Recorded, Recorder } from "../../tape/recorder.ts";
import type { Tape, Waits } from "../../tape/tape.ts";
import type { OpenSandbox } from "../create-sandbox.ts";
import { clearInterval, setImmediate, setInterval } from "../real-timers.ts";
import { decodeTape, encodeTape, openTapeFile, TapeWriter } from "./tape-file.ts";

/** A crash loses at most the requests of this time, in milliseconds. */
const flushMs = 1000;

/** The maximum size of a tape that is kept in memory. */
const mostMemoryBytes = 32 * 1024 * 1024;

/** The most events that are played to show what a request changed: a few seconds. */
const mostPlayedEvents = 20_000;

/** The place of a tape: a file, or the memory of this process. */
interface Storage {
  /** The absolute path; null: in memory. */
  readonly path: string | null;
  bytes: number;
  read(): Buffer;
  append(chunk: Uint8Array): void;
  close(): void;
}

interface TapingOptions {
  /** How the waits of scenarios are shortened; undefined: they are not. */
  readonly waits?: Waits | undefined;
  /** Called once if the tape cannot be written any more; default: a warning of the process. */
  readonly onFailure?: ((message: string) => void) | undefined;
  /** The maximum size of a tape in memory. */
  readonly mostBytes?: number | undefined;
  /** The most events that `inspect` plays. */
  readonly mostPlayed?: number | undefined;
}

const warn = (message: string) => process.emitWarning(message, "CardSandboxWarning");

/** Records what enters one sandbox to a file, or in memory. */
export class Taping implements TapeRecorder {
  readonly recorder: Recorder;
  #current:
    | {
        readonly storage: Storage;
        readonly writer: TapeWriter;
        readonly timer: NodeJS.Timeout;
        readonly recorded: Recorded;
      }
    | undefined;
  readonly #onFailure: (message: string) => void;
  #failure: string | undefined;
  readonly #mostBytes: number;
  readonly #mostPlayed: number;
  readonly #open: OpenSandbox;
  /** One tape is played at a time, once for all who wait for the same request. */
  #playing: Promise<unknown> = Promise.resolve();
  readonly #waiting = new Map<number, Promise<PlayedRequest | undefined>>();

  constructor(
    clock: Clock,
    open: OpenSandbox,
    {
      waits,
      onFailure = warn,
      mostBytes = mostMemoryBytes,
      mostPlayed = mostPlayedEvents,
    }: TapingOptions = {},
  ) {
    this.#mostBytes = mostBytes;
    this.#mostPlayed = mostPlayed;
    this.#open = open;
    this.recorder = new Recorder({ clock, afterTurn: (work) => void setImmediate(work) }, waits);
    this.#onFailure = onFailure;
  }

  get recording(): Recording | undefined {
    if (!this.#current) return undefined;
    const { storage, recorded } = this.#current;
    const { sinceMs, afterId, lastId, requests } = recorded;
    const { bytes, path } = storage;
    return { sinceMs, afterId, lastId, requests, bytes, path, failure: this.#failure };
  }

  /**
   * Begins to record.
   * @param isNew - the world is as its fixtures made it
   * @param path - a file, or a folder: each sandbox then makes a file of its own in it; default: in memory
   * @throws SetupError if it cannot be written, or the world is too large
   */
  begin(isNew: boolean, path?: string): void {
    this.end();
    this.recorder.refuseTooManyRows(isNew);
    const storage = path === undefined ? memoryStorage() : fileStorage(pathOf(path));
    this.#failure = undefined;
    const append = (chunk: Uint8Array) => {
      storage.append(chunk);
      storage.bytes += chunk.length;
      if (storage.path === null && storage.bytes > this.#mostBytes) {
        const most = `${this.#mostBytes / 2 ** 20} MiB`;
        throw new Error(`a tape in memory can have at most ${most}. Use --tape FILE for a longer one.`);
      }
    };
    const writer = new TapeWriter(append, ({ message }) => {
      this.#failure = message;
      this.recorder.end();
      const why = storage.path === null ? message : `${storage.path} cannot be written: ${message}`;
      this.#onFailure(`tape: the recording has ended, because ${why}`);
    });
    try {
      const recorded = this.recorder.begin(writer, randomBytes(32), isNew);
      const timer = setInterval(() => this.recorder.flush(), flushMs).unref();
      this.#current = { storage, writer, timer, recorded };
      // The first write may have failed already.
      if (this.#failure !== undefined) this.recorder.end();
    } catch (error) {
      storage.close();
      throw error;
    }
  }

  /** Writes the end of the tape. A tape in memory is lost. */
  end(): void {
    if (!this.#current) return;
    const { storage, writer, timer } = this.#current;
    clearInterval(timer);
    this.recorder.end();
    writer.end();
    storage.close();
    this.#current = undefined;
  }

  /**
   * The tape up to the response to a request, in the form of a file.
   * @param untilId - the id of the request in the journal; undefined: all
   * @returns undefined if nothing is recorded, or the request is not on the tape
   */
  save(untilId?: number): Uint8Array<ArrayBuffer> | undefined {
    const tape = this.#read(untilId);
    return tape && encodeTape(tape);
  }

  #read(untilId?: number): Tape | undefined {
    if (!this.#current) return undefined;
    const { storage, writer } = this.#current;
    this.recorder.flush();
    writer.sync();
    const tape = decodeTape(storage.read());
    const events = untilId === undefined ? tape.events : eventsUntil(tape, untilId);
    return events && { ...tape, events };
  }

  inspect(id: number): Promise<PlayedRequest | undefined> {
    const waiting = this.#waiting.get(id);
    if (waiting) return waiting;
    const played = this.#playing.then(() => this.#inspect(id)).finally(() => this.#waiting.delete(id));
    this.#waiting.set(id, played);
    this.#playing = played.catch(() => {});
    return played;
  }

  async #inspect(id: number): Promise<PlayedRequest | undefined> {
    const requests = this.#current?.recorded.requests ?? 0;
    // A long tape is not even read: that would hold up the sandbox.
    if (requests > this.#mostPlayed) throw this.#tooLong(`${requests} requests`);
    const tape = this.#read(id);
    if (!tape) return undefined;
    if (tape.events.length > this.#mostPlayed) throw this.#tooLong(`${tape.events.length} events`);
    const { ServedTape } = await import("./served-tape.ts");
    const served = new ServedTape("", tape, [], this.#open);
    try {
      return await served.inspect(String(id));
    } finally {
      served.close();
    }
  }

  #tooLong(length: string): SetupError {
    return new SetupError(
      `tape: the tape is too long to be played here: it has ${length}, and at most ${this.#mostPlayed} are played. Save it, and look at the request with card-sandbox replay --serve.`,
    );
  }
}

/** The events up to the response with this id; undefined if there is none. */
function eventsUntil({ events }: Tape, id: number): Tape["events"] | undefined {
  const answered = events.findIndex(
    (event) => (event.do === "request" || event.do === "response") && event.response?.id === id,
  );
  if (answered < 0) return undefined;
  const response = events[answered];
  if (response?.do !== "request") return events.slice(0, answered + 1);
  // Its response may have come after later events, whose requests then have smaller ids.
  const last = events.findLastIndex(
    (event) => event.do === "request" && event.response !== undefined && event.response.id <= id,
  );
  return events.slice(0, Math.max(answered, last) + 1);
}

function pathOf(path: string): string {
  if (/[/\\]$/.test(path)) makeFolder(path);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return resolve(path);
  return resolve(join(path, `${process.pid}-${randomBytes(4).toString("hex")}.tape`));
}

/** @throws SetupError if it cannot be made */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new SetupError(`tape: cannot make the folder ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function fileStorage(path: string): Storage {
  const { append, close } = openTapeFile(path);
  return { path, bytes: 0, read: () => readFileSync(path), append, close };
}

function memoryStorage(): Storage {
  const chunks: Uint8Array[] = [];
  return {
    path: null,
    bytes: 0,
    read: () => Buffer.concat(chunks),
    append: (chunk) => void chunks.push(chunk),
    close: () => {},
  };
}
