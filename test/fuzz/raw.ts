import { connect } from "node:net";
import fc from "fast-check";
import { startCommandLine } from "../support/command-line.ts";

/** The headers of a request that is the last on its connection. */
export const head = "Host: a\r\nConnection: close\r\n";
/** A request with a chunked body, up to its last header. */
export const chunked = `POST /auth/v1/sandbox/token HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n`;
export const body = '{"api_key":"sk_sandbox_northwind_owner"}';

/** How long the server may keep a connection after the client has ended its side. */
const closeTimeoutMs = 5000;

/**
 * Sends bytes, ends its side of the connection, and reads until the server closes.
 * @throws Error if the server does not close
 */
export function exchangeRaw(url: string, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const received: Buffer[] = [];
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`not closed after ${closeTimeoutMs} ms: ${shown(bytes)}`));
    }, closeTimeoutMs);
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    // A reset closes the connection too.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(late);
      resolve(Buffer.concat(received).toString("latin1"));
    });
    socket.end(bytes);
  });
}

/** The command that sends the bytes again. */
function shown(bytes: string | Uint8Array): string {
  const text = Buffer.from(bytes as Uint8Array).toString("base64");
  return `echo ${text} | base64 -d | nc 127.0.0.1 4242`;
}

/** Requests in which some bytes are replaced, removed or added. */
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
 * Sends mangled requests to a sandbox.
 * @throws Error with the command that sends the request again, if it gets a wrong response; or if the sandbox stops working
 */
export async function sendMangled({ requests, seed }: { requests: number; seed: number }): Promise<void> {
  const { url, output, order } = await startCommandLine(["--log", "json"]);
  const property = fc.asyncProperty(mangled, async (bytes) => {
    const received = await exchangeRaw(url, bytes);
    const isFine = received === "" || /^HTTP\/1\.1 [1-4][0-9]{2} /.test(received);
    if (!isFine || /^ {4}at |node_modules/m.test(received)) {
      throw new Error(`${shown(bytes)}\n${received.slice(0, 500)}`);
    }
  });
  await fc.assert(property, { seed, numRuns: requests });
  const { status } = await order("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30");
  if (status !== 201) throw new Error(`no order succeeds any more (FUZZ_SEED=${seed}): ${status}`);
  if (output.stderr !== "" || output.stdout.includes('"defect"')) {
    throw new Error(
      `the sandbox failed (FUZZ_SEED=${seed}): ${output.stderr} ${output.stdout.match(/.*"defect".*/)?.[0]}`,
    );
  }
}
