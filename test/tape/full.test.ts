import { expect, test } from "vitest";
import { decodeTape, TapeWriter } from "../../src/node/tape/tape-file.ts";

test("a tape that is full ends with one message, and can be read", () => {
  const chunks: Uint8Array[] = [];
  const failures: string[] = [];
  const writer = new TapeWriter(
    (chunk) => void chunks.push(chunk),
    ({ message }) => void failures.push(message),
    2 ** 20,
  );
  writer.write('{"do":"begin","format":1}\n');
  for (let ms = 0; ms < 3; ms++) writer.write(`{"do":"timer","at":0,"ms":${ms}${" ".repeat(600_000)}}\n`);
  writer.end();
  expect(failures).toEqual(["a tape can have at most 1 MiB of text"]);
  const tape = decodeTape(Buffer.concat(chunks));
  expect(tape).toMatchObject({ isComplete: true, events: [{ do: "timer", ms: 0 }] });
});
