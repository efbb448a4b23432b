import { shellQuoted } from "../../src/journal/formats/escape.ts";

/** A request as it is sent: nothing of it has to make sense. */
export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** As `fetch` takes it, which refuses a body of these two. */
export function requestOf(base: string, { method, target, headers, body }: Sent): Request {
  const bodiless = method === "GET" || method === "HEAD" || body === undefined;
  const sent = new Headers();
  for (const [name, value] of headers) sent.append(name, value);
  return new Request(base + target, { method, headers: sent, ...(!bodiless && { body }) });
}

/** The command that sends it again to a sandbox that was just started. */
export function command({ method, target, headers, body }: Sent): string {
  const lines = [
    `curl -si --path-as-is ${method === "HEAD" ? "-I" : `-X ${shellQuoted(method)}`} ${shellQuoted(`http://127.0.0.1:4242${target}`)}`,
    ...headers.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
  ];
  if (body === undefined) return lines.join(" \\\n  ");
  const bytes = Buffer.from(body).toString("base64");
  return `echo ${bytes} | base64 -d | ${[...lines, "--data-binary @-"].join(" \\\n  ")}`;
}
