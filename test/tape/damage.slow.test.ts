import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { decodeTape, encodeTape, readTape, TapeWriter } from "../../src/node/tape/tape-file.ts";
import type { Tape } from "../../src/tape/tape.ts";
import { tapeOf, temporaryFile } from "../support/taped.ts";

let tape: Tape;
let whole = Buffer.alloc(0);

beforeEach(async () => {
  tape ??= await tapeOf(async (sandbox) => {
    for (let n = 0; n < 20; n++) await sandbox.fetch(`http://sandbox/developer/cards/${n}`);
  });
  const chunks: Uint8Array[] = [];
  const writer = new TapeWriter(
    (chunk) => void chunks.push(chunk),
    (error) => {
      throw error;
    },
  );
  const { head, events } = tape;
  for (const [n, line] of [{ ...head, fixtures: { world: {}, digest: "" } }, ...events].entries()) {
    writer.write(`${JSON.stringify(line)}\n`);
    if (n % 4 === 3) writer.sync();
  }
  writer.end();
  whole = Buffer.concat(chunks);
});

/** The message that refuses a file; undefined if it is read. */
function refusal(bytes: Buffer): string | undefined {
  try {
    decodeTape(bytes);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const isDamaged = "is damaged: its checksum is wrong. Get an undamaged copy of the file.";
const isEmpty = "is empty: its recording was killed within its first second.";
const isNoTape = "is not a tape. Record one with card-sandbox start --tape FILE.";

test("a tape with any flipped bit is refused", () => {
  expect(decodeTape(whole).events).toEqual(tape.events);
  const read: string[] = [];
  for (let at = 0; at < whole.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] as number) ^ (1 << bit);
      const message = refusal(flipped);
      if (message !== (at < 10 ? isNoTape : isDamaged))
        read.push(`${at}.${bit} of ${whole.length}: ${message}`);
    }
  }
  expect(read).toEqual([]);
});

test("a tape that a killed process left, with any flipped byte, is refused or read up to its last seal", () => {
  const left = whole.subarray(0, Math.floor(whole.length * 0.8));
  for (let at = 10; at < left.length; at++) {
    const flipped = Buffer.from(left);
    flipped[at] = (flipped[at] as number) ^ 0x55;
    let read: Tape;
    try {
      read = decodeTape(flipped);
    } catch (error) {
      const { message } = error as Error;
      expect([isDamaged, isEmpty]).toContain(message);
      continue;
    }
    expect(read.events).toEqual(tape.events.slice(0, read.events.length));
  }
});

test("a tape that ends early is read up to its last seal, or refused", () => {
  let most = 0;
  for (let length = 0; length < whole.length; length++) {
    const cut = whole.subarray(0, length);
    let read: Tape;
    try {
      read = decodeTape(cut);
    } catch (error) {
      const { message } = error as Error;
      expect([isNoTape, isDamaged, isEmpty]).toContain(message);
      continue;
    }
    expect(read.events).toEqual(tape.events.slice(0, read.events.length));
    expect(read.events.length).toBeGreaterThanOrEqual(most);
    expect(read.isComplete).toBe(false);
    most = read.events.length;
  }
  expect(most).toBe(tape.events.length);
});

test("bytes that are added, removed, repeated or exchanged are refused", () => {
  const middle = Math.floor(whole.length / 2);
  for (const changed of [
    Buffer.concat([whole, Buffer.from("x")]),
    Buffer.concat([whole, whole]),
    Buffer.concat([whole.subarray(0, middle), whole.subarray(middle + 1)]),
    Buffer.concat([whole.subarray(0, middle), whole.subarray(middle - 100)]),
    Buffer.concat([whole.subarray(0, middle), Buffer.from([0]), whole.subarray(middle)]),
    Buffer.concat([whole.subarray(0, middle), randomBytes(whole.length - middle)]),
  ]) {
    expect(refusal(changed)).toBe(isDamaged);
  }
});

test("other files are refused", () => {
  for (const other of [
    Buffer.alloc(0),
    Buffer.from("{}"),
    randomBytes(2000),
    gzipSync("hello"),
    gzipSync(JSON.stringify(tape.head)),
  ]) {
    expect(refusal(other)).toBe(isNoTape);
  }
  const header = whole.subarray(0, 10);
  const plain = "hello\n";
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(plain));
  trailer.writeUInt32LE(plain.length, 4);
  expect(refusal(Buffer.concat([header, deflateRawSync(plain), trailer]))).toMatch(/^is /);
  expect(refusal(header)).toMatch(/^is empty/);
});

test("a tape of another format or without a head is refused", () => {
  const head = { ...tape.head, format: 2, version: "9.0.0" };
  expect(refusal(Buffer.from(encodeTape({ ...tape, head })))).toBe(
    "has the format 2 of card-sandbox 9.0.0, but this version plays format 1. Play it with the version that recorded it.",
  );
  const [first] = tape.events;
  const headless = encodeTape({ head: first as never, events: tape.events });
  expect(refusal(Buffer.from(headless))).toBe("is not a tape: its first line has no format.");
});

test("the message names the file", () => {
  const path = temporaryFile("a.tape");
  expect(() => readTape(path)).toThrow(`tape: cannot read ${path}: ENOENT`);
  writeFileSync(path, "{}");
  expect(() => readTape(path)).toThrow(`tape: ${path} ${isNoTape}`);
});
