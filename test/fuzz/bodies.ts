import { gzipSync } from "node:zlib";
import fc from "fast-check";

/** A body, with the headers that describe it. */
export interface Encoded {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Instead of the content type of the operation. */
  readonly contentType?: string;
  readonly contentEncoding?: string;
}

const bytesOf = (...parts: (string | readonly number[] | Uint8Array)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Uint8Array.from(part))),
    ),
  );

type Encoding = (text: string) => Encoded;

/** Ways to encode or damage a text. */
const encodings: readonly Encoding[] = [
  (text) => ({ bytes: bytesOf([0xef, 0xbb, 0xbf], text) }),
  (text) => ({ bytes: bytesOf([0xff, 0xfe], Buffer.from(text, "utf16le")) }),
  (text) => ({
    bytes: bytesOf(Buffer.from(text, "utf16le").swap16()),
    contentType: "application/json; charset=utf-16be",
  }),
  (text) => ({
    bytes: bytesOf(Buffer.from(text, "latin1")),
    contentType: "application/json; charset=iso-8859-1",
  }),
  (text) => ({ bytes: bytesOf(text.slice(0, -1), [0xc3, 0x28, 0xff], text.slice(-1)) }),
  (text) => ({ bytes: bytesOf('{"name":"', [0xed, 0xa0, 0x80], '"}', text) }),
  (text) => ({ bytes: bytesOf([0], text, [0]) }),
  (text) => ({ bytes: bytesOf(text.slice(0, text.length / 2)) }),
  (text) => ({ bytes: bytesOf(text, text) }),
  (text) => ({ bytes: bytesOf(text, " ".repeat(70_000)) }),
  (text) => ({ bytes: bytesOf(gzipSync(text)) }),
  (text) => ({ bytes: bytesOf(gzipSync(text)), contentEncoding: "gzip" }),
  (text) => ({ bytes: bytesOf(text), contentEncoding: "br" }),
  (text) => ({ bytes: bytesOf(text), contentType: "text/plain" }),
  (text) => ({ bytes: bytesOf(text), contentType: "application/x-www-form-urlencoded" }),
  (text) => ({ bytes: bytesOf(text), contentType: "multipart/form-data" }),
  (text) => ({
    bytes: bytesOf(`--x\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n${text}\r\n--x--\r\n`),
    contentType: "multipart/form-data; boundary=x",
  }),
  () => ({ bytes: bytesOf() }),
];

/** The bytes of a text, mostly correct. */
export function encoded(text: fc.Arbitrary<string>): fc.Arbitrary<Encoded> {
  return fc.oneof(
    { weight: 20, arbitrary: text.map((each): Encoded => ({ bytes: bytesOf(each) })) },
    {
      weight: 4,
      arbitrary: fc.tuple(text, fc.constantFrom(...encodings)).map(([each, encode]) => encode(each)),
    },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes): Encoded => ({ bytes: bytesOf(bytes) })),
    },
  );
}
