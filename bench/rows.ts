import { join } from "node:path";
import { type LoadRequest, load } from "./load.ts";
import type { Target } from "./rounds.ts";
import {
  type Build,
  exchangeKey,
  freshCaller,
  newCaller,
  newOrder,
  sameOrder,
  startSandbox,
} from "./sandbox.ts";
import type { Server } from "./server.ts";

type Storage =
  | "memory"
  | "memory with a tape"
  | "file"
  | "large file"
  | "durable file"
  | "ungrouped durable file";

/** A kind of request that is measured in every round. */
interface Row {
  /** Its name for `--only`. */
  readonly name: string;
  readonly title: string;
  readonly storage: Storage;
  readonly connections: number;
  readonly status: number;
  /** Must occur in the headers or the body of the response. */
  readonly expected: string;
  /** Brings the sandbox into the state in which a round begins. */
  prepare(server: Server, cards: number): Promise<LoadRequest>;
}

const orderAsNewCaller = async (server: Server) => newOrder(await freshCaller(server));
const created = { connections: 10, status: 201, expected: "sandbox-contract-point: order.created;" };

/** The API keys of companies with many cards: making the cards takes longer than a round. */
const largeCompanies = new WeakMap<Server, Awaited<ReturnType<typeof newCaller>>>();

export const rows: readonly Row[] = [
  {
    ...created,
    name: "order",
    title: "order a card, in memory",
    storage: "memory",
    prepare: orderAsNewCaller,
  },
  {
    ...created,
    name: "order-taped",
    title: "order a card, in memory, with `--tape`",
    storage: "memory with a tape",
    prepare: orderAsNewCaller,
  },
  {
    ...created,
    name: "order-file",
    title: "order a card, on a file",
    storage: "file",
    prepare: orderAsNewCaller,
  },
  {
    ...created,
    name: "order-large-file",
    title: "order a card, on a file, for a company with many cards",
    storage: "large file",
    async prepare(server, cards) {
      const known = largeCompanies.get(server);
      const caller = known ? await exchangeKey(server, known) : await newCaller(server);
      if (!known) {
        largeCompanies.set(server, caller);
        const request = newOrder(caller);
        await load({ server, request, connections: 50, until: { amount: cards }, expectedStatus: 201 });
      }
      return newOrder(caller);
    },
  },
  {
    ...created,
    name: "order-durable",
    title: "order a card, on a file with `--durability full`",
    storage: "durable file",
    connections: 50,
    prepare: orderAsNewCaller,
  },
  {
    ...created,
    name: "order-ungrouped",
    title: "the same, each committed by itself",
    storage: "ungrouped durable file",
    connections: 50,
    prepare: orderAsNewCaller,
  },
  {
    ...created,
    name: "replay",
    title: "replay of an order, in memory",
    storage: "memory",
    expected: "idempotent-replayed: true",
    async prepare(server) {
      const request = sameOrder(await freshCaller(server));
      await send(server, request);
      return request;
    },
  },
  {
    name: "token",
    title: "exchange an API key for a token",
    storage: "memory",
    connections: 10,
    status: 200,
    expected: '"access_token"',
    async prepare(server) {
      const { apiKey } = await freshCaller(server);
      return postJson("/auth/v1/sandbox/token", { api_key: apiKey });
    },
  },
  {
    name: "unavailable",
    title: "503 by `Sandbox-Scenario: issuer-unavailable`",
    storage: "memory",
    connections: 10,
    status: 503,
    expected: "sandbox-scenario: issuer-unavailable",
    async prepare(server) {
      const request = await orderAsNewCaller(server);
      return { ...request, headers: { ...request.headers, "Sandbox-Scenario": "issuer-unavailable" } };
    },
  },
  {
    name: "list",
    title: "`GET /developer/cards`, 20 of 100 cards",
    storage: "memory",
    connections: 10,
    status: 200,
    expected: "sandbox-contract-point: cards.listed;",
    async prepare(server) {
      const request = await orderAsNewCaller(server);
      for (let made = 0; made < 100; made++) await send(server, request);
      const { Authorization = "" } = request.headers;
      return { method: "GET", path: "/developer/cards?limit=20", headers: { Authorization } };
    },
  },
  control("reset", "reset of the default world", "/_sandbox/reset", {}),
  control("reset-company", "reset of one company", "/_sandbox/reset", { company: "northwind" }),
  control("snapshot", "snapshot of the default world", "/_sandbox/snapshots", { name: "bench" }, 201),
  control("restore", "restore of that snapshot", "/_sandbox/snapshots/bench/restore", {}),
];

/** A request of the control API, measured for its latency. */
function control(name: string, title: string, path: string, body: object, status = 200): Row {
  return {
    name,
    title,
    storage: "memory",
    connections: 1,
    status,
    expected: status === 201 ? '"made_at"' : '"now"',
    async prepare(server) {
      await freshCaller(server);
      if (name === "restore") await send(server, postJson("/_sandbox/snapshots", { name: "bench" }));
      return postJson(path, body);
    },
  };
}

function postJson(path: string, body: object): LoadRequest {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", path, headers, body: JSON.stringify(body) };
}

function send({ url }: Server, request: LoadRequest): Promise<Response> {
  const { method, path, headers, body, ownHeaders } = request;
  return fetch(url + path, {
    method,
    headers: { ...headers, ...ownHeaders?.() },
    ...(body !== undefined && { body }),
  });
}

/** Starts the sandboxes that the rows need, one per build and storage. */
export async function openRows(
  chosen: readonly Row[],
  builds: readonly Build[],
  scratch: string,
  cards: number,
): Promise<Target[]> {
  const targets: Target[] = [];
  const servers = new Map<string, Server>();
  for (const row of chosen) {
    for (const [index, build] of builds.entries()) {
      const key = `${index}-${row.storage.replaceAll(" ", "-")}`;
      const server = servers.get(key) ?? (await open(build, row.storage, join(scratch, `${key}.db`)));
      servers.set(key, server);
      const prepare = async () => {
        const request = await row.prepare(server, cards);
        return { request, problems: await problemsOf(row, server, request) };
      };
      const { name, title, connections, status } = row;
      targets.push({ row: name, title, build: build.name, server, connections, status, prepare });
    }
  }
  return targets;
}

function open(build: Build, storage: Storage, file: string): Promise<Server> {
  if (storage === "memory") return startSandbox(build);
  if (storage === "memory with a tape") return startSandbox(build, ["--tape", `${file}.tape`]);
  const options = ["--db", file, ...(storage.endsWith("durable file") ? ["--durability", "full"] : [])];
  return startSandbox(build, options, storage.startsWith("ungrouped") ? "ungrouped-sandbox.mjs" : undefined);
}

/** Checks one whole response: the rounds check status codes only. */
async function problemsOf(
  { status, expected }: Row,
  server: Server,
  request: LoadRequest,
): Promise<string[]> {
  const response = await send(server, request);
  const text =
    [...response.headers].map(([name, value]) => `${name}: ${value}\n`).join("") + (await response.text());
  if (response.status === status && text.includes(expected)) return [];
  // On one line, as a cell of a table must be.
  return [`returned ${response.status} without ${expected}: ${text.slice(-200).replaceAll("\n", " ")}`];
}
