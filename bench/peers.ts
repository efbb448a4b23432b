import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { LoadRequest } from "./load.ts";
import type { Target } from "./rounds.ts";
import { newOrder, startSandbox } from "./sandbox.ts";
import { startServer } from "./server.ts";

/** Another mock server. */
interface Peer {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly command: (port: number, description: string) => string;
  /** Matches its output once it listens. */
  readonly ready: RegExp;
  readonly request: LoadRequest;
  readonly status: number;
}

const order = newOrder({ accessToken: "x".repeat(43), accountId: randomUUID() });

const peers: readonly Peer[] = [
  {
    name: "prism",
    title: "Prism, the order of our OpenAPI document",
    version: "@stoplight/prism-cli@5.14.2",
    command: (port, description) => `prism mock ${description} --port ${port} --verboseLevel info`,
    ready: /Prism is listening on (http:\S+)/,
    request: order,
    status: 201,
  },
  {
    name: "mockoon",
    title: "Mockoon, the order of our OpenAPI document",
    version: "@mockoon/cli@9.9.0",
    command: (port, description) =>
      `mockoon-cli start --data ${description} --port ${port} --disable-admin-api --disable-log-to-file`,
    ready: /Server started on port (\d+)/,
    request: order,
    status: 201,
  },
  {
    name: "emulate",
    title: "emulate, a Stripe customer",
    // The last version that runs on Node 20.
    version: "emulate@0.11.2",
    command: (port) => `emulate start --service stripe --port ${port}`,
    ready: /(http:\/\/localhost:\d+)/,
    request: {
      method: "POST",
      path: "/v1/customers",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "email=ada%40example.com&name=Ada",
      // It limits each key to 5000 requests an hour.
      ownHeaders: () => ({ Authorization: `Bearer sk_test_${randomUUID()}` }),
    },
    status: 200,
  },
];

/** Installs and starts each peer in a temporary folder; skips one that cannot be installed or run here. */
export async function openPeers(
  scratch: string,
  log: (line: string) => void,
): Promise<{ readonly targets: readonly Target[]; readonly skipped: readonly string[] }> {
  const description = await writeDescription(scratch);
  const targets: Target[] = [];
  const skipped: string[] = [];
  writeFileSync(join(scratch, "package.json"), JSON.stringify({ private: true }));
  for (const peer of peers) {
    try {
      log(`npm installs ${peer.version}`);
      targets.push(await open(peer, description, scratch));
    } catch (error) {
      skipped.push(`${peer.title} (${peer.version}): ${reasonOf(error as Error)}`);
    }
  }
  return { targets, skipped };
}

async function open(peer: Peer, description: string, scratch: string): Promise<Target> {
  const { name, title, version, command, ready, request, status } = peer;
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", version];
  await promisify(execFile)("npm", install, { cwd: scratch });
  const port = await freePort();
  const [program = "", ...args] = command(port, description).split(" ");
  const file = join(scratch, "node_modules/.bin", program);
  const started = await startServer([file, ...args], { cwd: scratch, ready });
  const server = { ...started, url: `http://127.0.0.1:${port}` };
  return {
    row: name,
    title,
    server,
    connections: 10,
    status,
    prepare: async () => ({ request, problems: [] }),
  };
}

/** Writes our OpenAPI document, which some peers serve, and returns its path. */
async function writeDescription(scratch: string): Promise<string> {
  const sandbox = await startSandbox({ name: "this", folder: resolve(import.meta.dirname, "..") });
  const response = await fetch(`${sandbox.url}/openapi.json`);
  const file = join(scratch, "openapi.json");
  writeFileSync(file, await response.text());
  await sandbox.stop();
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The line with the error, out of everything that a failed program printed. */
function reasonOf({ message }: Error): string {
  const lines = message.split("\n");
  const line = lines.find((line) => /^\w*Error:|npm (?:ERR!|error)/.test(line)) ?? lines[0] ?? "";
  return line.slice(0, 200);
}
