import fc from "fast-check";
import { startCommandLine } from "../support/command-line.ts";
import { body, chunked, exchangeRaw, head, shown } from "./raw.ts";

/** Requests of which some bytes are others, missing, or doubled. */
const mangled = fc
  .tuple(
    fc.constantFrom(
      `GET /developer/cards?limit=2 HTTP/1.1\r\n${head}Authorization: Bearer x\r\n\r\n`,
      `POST /auth/v1/sandbox/token HTTP/1.1\r\n${head}Content-Length: 40\r\n\r\n${body}`,
      `${chunked}\r\n14\r\n${body.slice(0, 20)}\r\n14\r\n${body.slice(20)}\r\n0\r\n\r\n`,
      `GET /_sandbox/ui/requests HTTP/1.1\r\n${head}\r\n`,
    ),
    fc.array(fc.record({ at: fc.nat(400), gone: fc.nat(3), put: fc.uint8Array({ maxLength: 4 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([text, edits]) =>
    edits.reduce((bytes, { at, gone, put }) => {
      const start = at % bytes.length;
      return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + gone)]);
    }, Buffer.from(text)),
  );

/**
 * Sends such requests to a sandbox of its own.
 * @throws with the command that sends it again, where one is answered as none may be, or the sandbox does not go on
 */
export async function sendMangled({ requests, seed }: { requests: number; seed: number }): Promise<void> {
  const { url, output, order } = await startCommandLine(["--log", "json"]);
  const property = fc.asyncProperty(mangled, async (bytes) => {
    const received = await exchangeRaw(url, bytes);
    const isAnswered = received === "" || /^HTTP\/1\.1 [1-4][0-9]{2} /.test(received);
    if (!isAnswered || /^ {4}at |node_modules/m.test(received)) {
      throw new Error(`${shown(bytes)}\n${received.slice(0, 500)}`);
    }
  });
  await fc.assert(property, { seed, numRuns: requests });
  const { status } = await order("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30");
  if (status !== 201) throw new Error(`it takes no order any more (FUZZ_SEED=${seed}): ${status}`);
  if (output.stderr !== "" || output.stdout.includes('"defect"')) {
    throw new Error(
      `it did wrong (FUZZ_SEED=${seed}): ${output.stderr} ${output.stdout.match(/.*"defect".*/)?.[0]}`,
    );
  }
}
