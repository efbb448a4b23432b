import { connect } from "node:net";

/** The headers of a request whose answer is the last on its connection. */
export const head = "Host: a\r\nConnection: close\r\n";
/** As far as its chunks. */
export const chunked = `POST /auth/v1/sandbox/token HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n`;
export const body = '{"api_key":"sk_sandbox_northwind_owner"}';

/** How long a server may keep a connection whose other end has said all it will. */
const patienceMs = 5000;

/**
 * Sends bytes as they stand, says that no more will come, and reads until the server closes.
 * @throws where it does not close
 */
export function exchangeRaw(url: string, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const received: Buffer[] = [];
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`not closed after ${patienceMs} ms: ${shown(bytes)}`));
    }, patienceMs);
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    // One that is reset has been closed as well.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(late);
      resolve(Buffer.concat(received).toString("latin1"));
    });
    socket.end(bytes);
  });
}

/** The command that sends them again. */
export function shown(bytes: string | Uint8Array): string {
  const text = Buffer.from(bytes as Uint8Array).toString("base64");
  return `echo ${text} | base64 -d | nc 127.0.0.1 4242`;
}
