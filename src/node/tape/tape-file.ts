import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { SetupError } from "../../rules/errors.ts";
import type { Sink } from "../../tape/lines.ts";
import { eventsOf } from "../../tape/lines.ts";
import { type Tape, type TapeHead, tapeFormat } from "../../tape/tape.ts";

/** Loaded when first needed: it takes as long as a fifth of the start. */
const zlib = () => process.getBuiltinModule("node:zlib");

// A tape is a gzip file of lines of JSON. Each batch of lines ends with a seal, the CRC-32 of all text up to it: what a crash
// left of a tape is read up to its last seal. A tape whose recording ended has the line `end` and then a second gzip member
// with the CRC-32 of the first one.

/** A gzip header without a time (RFC 1952), the same on all systems. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty last block. */
const lastBlock = Buffer.from([3, 0]);
/** How far back a deflated text can refer to earlier text. */
const windowBytes = 32 * 1024;
/** The most text of a tape, about 400,000 orders: a string of Node can have 512 MiB. */
const mostBytes = 511 * 2 ** 20;
/** For the last seal and the end. */
const endBytes = 2 ** 19;

interface Batch {
  readonly bytes: Buffer;
  /** The text before it, to which its compressed form refers: so small batches are as small as in one large one. */
  readonly dictionary: Buffer;
}

/** Compresses the text of a tape on another thread, in order. */
export class TapeWriter implements Sink {
  readonly #append: (chunk: Uint8Array) => void;
  readonly #onFailure: (error: Error) => void;
  #waiting: Batch[] = [];
  #before: Buffer = Buffer.alloc(0);
  #textCrc = 0;
  #textBytes = 0;
  #fileCrc = 0;
  #isBusy = false;
  #isEnded = false;
  #isBroken = false;
  #isFull = false;
  readonly #most: number;

  /**
   * @param append - appends to the file
   * @param onFailure - called if `append` throws, or the tape is full: nothing more is written, or only the end
   * @param most - the most bytes of text
   */
  constructor(append: (chunk: Uint8Array) => void, onFailure: (error: Error) => void, most = mostBytes) {
    this.#most = most;
    this.#append = append;
    this.#onFailure = onFailure;
    this.#write(header);
  }

  write(text: string): void {
    if (this.#isBroken || this.#isEnded || this.#isFull) return;
    const bytes = Buffer.from(text);
    if (this.#textBytes + bytes.length > this.#most) {
      this.#isFull = true;
      this.#onFailure(new Error(`a tape can have at most ${this.#most / 2 ** 20} MiB of text`));
      return;
    }
    const crc = zlib().crc32(bytes, this.#textCrc);
    const seal = Buffer.from(`${sealOf(crc)}\n`);
    this.#queue(Buffer.concat([bytes, seal]), zlib().crc32(seal, crc));
    this.#compressNext();
  }

  /** Writes all that waits. */
  sync(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const batch of waiting) this.#write(zlib().deflateRawSync(batch.bytes, optionsOf(batch)));
  }

  /** Writes all that waits, and the end. */
  end(): void {
    if (this.#isEnded) return;
    const end = Buffer.from('{"do":"end"}\n');
    this.#queue(end, zlib().crc32(end, this.#textCrc));
    this.#isEnded = true;
    this.sync();
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#textCrc, 0);
    trailer.writeUInt32LE(this.#textBytes % 2 ** 32, 4);
    this.#write(lastBlock);
    this.#write(trailer);
    this.#write(memberOf(this.#fileCrc));
  }

  /** @param crc - of all text up to the end of these bytes */
  #queue(bytes: Buffer, crc: number): void {
    this.#waiting.push({ bytes, dictionary: this.#before });
    this.#textCrc = crc;
    this.#textBytes += bytes.length;
    const window = bytes.length < windowBytes ? Buffer.concat([this.#before, bytes]) : bytes;
    this.#before = window.subarray(-windowBytes);
  }

  #compressNext(): void {
    const [batch] = this.#waiting;
    if (!batch || this.#isBusy) return;
    this.#isBusy = true;
    zlib().deflateRaw(batch.bytes, optionsOf(batch), (_, compressed) => {
      this.#isBusy = false;
      // Unless `sync` has compressed and written it.
      if (this.#waiting[0] === batch) {
        this.#waiting.shift();
        this.#write(compressed);
      }
      this.#compressNext();
    });
  }

  #write(chunk: Uint8Array): void {
    if (this.#isBroken) return;
    this.#fileCrc = zlib().crc32(chunk, this.#fileCrc);
    try {
      this.#append(chunk);
    } catch (error) {
      this.#isBroken = true;
      this.#onFailure(error as Error);
    }
  }
}

function optionsOf({ dictionary }: Batch) {
  return {
    finishFlush: zlib().constants.Z_SYNC_FLUSH,
    // A tape repeats itself: a higher level makes it hardly smaller, and takes several times as long.
    level: 1,
    ...(dictionary.length > 0 && { dictionary }),
  };
}

const sealOf = (crc: number) => `{"do":"seal","crc":${crc}}`;

const startOfMember = '{"do":"file","crc":"';

/** The second member, which is as long for each number. */
function memberOf(crc: number): Buffer {
  const member = zlib().gzipSync(`${startOfMember}${crc.toString(16).padStart(8, "0")}"}\n`, {
    level: 0,
  });
  header.copy(member);
  return member;
}

/** A tape in memory, in the form of a file. */
export function encodeTape({ head, events }: Pick<Tape, "head" | "events">): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  const writer = new TapeWriter(
    (chunk) => void chunks.push(chunk),
    (error) => {
      throw error;
    },
  );
  writer.write([head, ...events].map((line) => `${JSON.stringify(line)}\n`).join(""));
  writer.end();
  return Buffer.concat(chunks);
}

/** @throws SetupError if the file cannot be read, is no tape, is damaged, or has another format */
export function readTape(path: string): Tape {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new SetupError(`tape: cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  try {
    return decodeTape(bytes);
  } catch (error) {
    throw new SetupError(`tape: ${path} ${(error as Error).message}`, { cause: error });
  }
}

/** @throws Error with a message that continues a sentence about the tape */
export function decodeTape(bytes: Buffer): Tape {
  if (!bytes.subarray(0, header.length).equals(header)) {
    throw new Error("is not a tape. Record one with card-sandbox start --tape FILE.");
  }
  const damaged = new Error("is damaged: its checksum is wrong. Get an undamaged copy of the file.");
  let text: string;
  try {
    const limits = { finishFlush: zlib().constants.Z_SYNC_FLUSH, maxOutputLength: mostBytes + endBytes };
    text = zlib().gunzipSync(bytes, limits).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new Error(`is too long: it has more than ${mostBytes / 2 ** 20} MiB of text.`);
    }
    throw damaged;
  }
  const { length } = memberOf(0);
  const last = bytes.subarray(-length);
  // Damage may hide either of them. Without both, a process was killed while it recorded.
  const isComplete = text.includes('\n{"do":"end"}\n') || last.includes(startOfMember);
  if (isComplete && !memberOf(zlib().crc32(bytes.subarray(0, -length))).equals(last)) throw damaged;
  const lines = sealedLines(text, damaged);
  return tapeOf(lines, isComplete);
}

/** The lines up to the last seal. */
function sealedLines(text: string, damaged: Error): string[] {
  const lines: string[] = [];
  let unsealed: string[] = [];
  let crc = 0;
  for (const line of text.split("\n")) {
    if (!line.startsWith('{"do":"seal"')) {
      unsealed.push(line);
      continue;
    }
    crc = zlib().crc32(`${unsealed.join("\n")}\n`, crc);
    if (line !== sealOf(crc)) throw damaged;
    crc = zlib().crc32(`${line}\n`, crc);
    for (const each of unsealed) lines.push(each);
    unsealed = [];
  }
  return lines;
}

function tapeOf([first, ...rest]: readonly string[], isComplete: boolean): Tape {
  if (first === undefined) throw new Error("is empty: its recording was killed within its first second.");
  const parsed = (line: string, number: number) => {
    try {
      const value = JSON.parse(line);
      if (typeof value === "object" && value !== null) return value;
    } catch {}
    throw new Error(`is not a tape: its line ${number} is not a JSON object.`);
  };
  const head: TapeHead | null = parsed(first, 1);
  if (head?.format !== tapeFormat) {
    if (typeof head?.format !== "number") throw new Error("is not a tape: its first line has no format.");
    throw new Error(
      `has the format ${head.format} of card-sandbox ${head.version}, but this version plays format ${tapeFormat}. Play it with the version that recorded it.`,
    );
  }
  return { head, events: eventsOf(rest.map((line, index) => parsed(line, index + 2))), isComplete };
}

/**
 * Opens the file of a new tape.
 * @throws SetupError if the file exists and is not a tape, or it cannot be written
 */
export function openTapeFile(path: string): { append(chunk: Uint8Array): void; close(): void } {
  if (existsSync(path) && !isReplaceable(path)) {
    throw new SetupError(`tape: ${path} exists and is not a tape. Use another file name.`);
  }
  let file: number;
  try {
    // Another process may still write to an earlier tape of this name.
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
    file = openSync(path, "w", 0o600);
  } catch (error) {
    throw new SetupError(`tape: cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
  return {
    append: (chunk) => {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
    },
    close: () => closeSync(file),
  };
}

/** Whether a file is empty or an earlier tape. */
function isReplaceable(path: string): boolean {
  const start = Buffer.alloc(header.length);
  try {
    const file = openSync(path, "r");
    try {
      return readSync(file, start) === 0 || start.equals(header);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
