import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Cores } from "./cores.ts";
import type { LoadRequest } from "./load.ts";
import type { Step } from "./rounds.ts";
import { type Build, startSandbox } from "./sandbox.ts";
import { startServer } from "./server.ts";
import { floorOrder, type Skipped } from "./servers.ts";

/** Another mock server, in the version that its row was made for. */
interface Peer {
  readonly name: string;
  readonly title: string;
  /** With its version: a bare `emulate` is a package of somebody else's. */
  readonly wanted: string;
  readonly command: (port: number, description: string) => readonly string[];
  readonly ready: RegExp;
  readonly request: LoadRequest;
  readonly expectedStatus: number;
}

const peers: readonly Peer[] = [
  {
    name: "prism",
    title: "Prism, the order by our description",
    wanted: "@stoplight/prism-cli@5.14.2",
    command: (port, description) => [
      "prism",
      "mock",
      description,
      "--port",
      String(port),
      "--verboseLevel",
      "info",
    ],
    ready: /Prism is listening on (http:\S+)/,
    request: floorOrder,
    expectedStatus: 201,
  },
  {
    name: "mockoon",
    title: "Mockoon, the order by our description",
    wanted: "@mockoon/cli@9.9.0",
    command: (port, description) => [
      "mockoon-cli",
      ...[
        "start",
        "--data",
        description,
        "--port",
        String(port),
        "--disable-admin-api",
        "--disable-log-to-file",
      ],
    ],
    ready: /Server started on port (\d+)/,
    request: floorOrder,
    expectedStatus: 201,
  },
  {
    name: "emulate",
    title: "emulate, a customer of Stripe's",
    // The last that runs on Node 20 too.
    wanted: "emulate@0.11.2",
    command: (port) => ["emulate", "start", "--service", "stripe", "--port", String(port)],
    ready: /(http:\/\/localhost:\d+)/,
    request: {
      method: "POST",
      path: "/v1/customers",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "email=ada%40example.com&name=Ada",
      // It answers 5000 requests of each caller an hour.
      keys: "any",
      keyIn: { header: "Authorization", prefix: "Bearer sk_test_" },
    },
    expectedStatus: 200,
  },
];

/**
 * Installs and starts each peer in a scratch folder. One that this Node or this network does not let run is told of,
 * and the others are measured.
 */
export async function openPeers(
  build: Build,
  cores: Cores,
  scratch: string,
  tell: (line: string) => void,
): Promise<{ readonly steps: readonly Step[]; readonly skipped: readonly Skipped[] }> {
  const description = await describedBy(build, cores, scratch);
  const steps: Step[] = [];
  const skipped: Skipped[] = [];
  writeFileSync(join(scratch, "package.json"), JSON.stringify({ private: true }));
  for (const peer of peers) {
    try {
      tell(`npm installs ${peer.wanted}`);
      steps.push(await stepOf(peer, description, cores, scratch));
    } catch (error) {
      skipped.push({ title: peer.title, build: peer.wanted, why: reasonIn(error as Error) });
    }
  }
  return { steps, skipped };
}

async function stepOf(peer: Peer, description: string, cores: Cores, scratch: string): Promise<Step> {
  const { name, title, wanted, command, ready, request, expectedStatus } = peer;
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", wanted];
  await promisify(execFile)("npm", install, { cwd: scratch });
  const port = await freePort();
  const [program = "", ...args] = command(port, description);
  const file = join(scratch, "node_modules/.bin", program);
  const started = await startServer([...cores.serverPrefix, file, ...args], { cwd: scratch, ready });
  const server = { ...started, url: `http://127.0.0.1:${port}` };
  const prepare = async () => ({ request, wrong: [] });
  return { row: name, title, server, connections: 10, expectedStatus, prepare };
}

/** Where the build's description of its interface is kept for the peers. */
async function describedBy(build: Build, cores: Cores, scratch: string): Promise<string> {
  const sandbox = await startSandbox(build, cores);
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

/** The line that says what was wrong, of all that a program prints as it dies. */
function reasonIn({ message }: Error): string {
  const lines = message.split("\n");
  const told = lines.find((line) => /^\w*Error:|npm (?:ERR!|error)/.test(line)) ?? lines[0] ?? "";
  return told.slice(0, 200);
}
