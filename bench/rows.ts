import { randomUUID } from "node:crypto";
import type { LoadRequest } from "./load.ts";
import { freshCaller, order, withHeaders } from "./sandbox.ts";
import type { Server } from "./server.ts";

/** Which of a build's sandboxes a row is measured on. */
export type Storage = "memory" | "file" | "durable file" | "ungrouped durable file";

/** A kind of request that is measured in every round. */
export interface Row {
  /** As `--only` names it. */
  readonly name: string;
  readonly title: string;
  readonly storage: Storage;
  readonly connections: number;
  readonly expectedStatus: number;
  /** What the answer has to say beside its status: name and value of a header, or a part of the body. */
  readonly expected: { readonly header: readonly [string, string] } | { readonly body: string };
  /** Brings the sandbox into the state in which the row is measured, and says what is sent. */
  prepare(server: Server): Promise<LoadRequest>;
}

const point = (id: string) => ({ header: ["Sandbox-Contract-Point", `${id};`] as const });
const connections = 10;

const freshOrder = async (server: Server) => order(await freshCaller(server));

export const rows: readonly Row[] = [
  {
    name: "order",
    title: "order a card, in memory",
    storage: "memory",
    connections,
    expectedStatus: 201,
    expected: point("order.created"),
    prepare: freshOrder,
  },
  {
    name: "order-file",
    title: "order a card, on a file",
    storage: "file",
    connections,
    expectedStatus: 201,
    expected: point("order.created"),
    prepare: freshOrder,
  },
  {
    name: "order-durable",
    title: "order a card, on a file with `--durability full`",
    storage: "durable file",
    connections: 50,
    expectedStatus: 201,
    expected: point("order.created"),
    prepare: freshOrder,
  },
  {
    name: "order-ungrouped",
    title: "the same, each committed by itself",
    storage: "ungrouped durable file",
    connections: 50,
    expectedStatus: 201,
    expected: point("order.created"),
    prepare: freshOrder,
  },
  {
    name: "replay",
    title: "the same order again",
    storage: "memory",
    connections,
    expectedStatus: 201,
    expected: { header: ["Idempotent-Replayed", "true"] },
    async prepare(server) {
      const again = withHeaders(await freshOrder(server), { "Idempotency-Key": randomUUID() });
      await ask(server, again);
      return { ...again, keys: "none" };
    },
  },
  {
    name: "token",
    title: "exchange an API key for a token",
    storage: "memory",
    connections,
    expectedStatus: 200,
    expected: { body: '"access_token"' },
    async prepare(server) {
      const { apiKey } = await freshCaller(server);
      return {
        method: "POST",
        path: "/auth/v1/sandbox/token",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ api_key: apiKey }),
        keys: "none",
      };
    },
  },
  {
    name: "unavailable",
    title: "503 by `Sandbox-Scenario: issuer-unavailable`",
    storage: "memory",
    connections,
    expectedStatus: 503,
    expected: { header: ["Sandbox-Scenario", "issuer-unavailable"] },
    prepare: async (server) =>
      withHeaders(await freshOrder(server), { "Sandbox-Scenario": "issuer-unavailable" }),
  },
  {
    name: "list",
    title: "`GET /developer/cards`, 20 of 100 cards",
    storage: "memory",
    connections,
    expectedStatus: 200,
    expected: point("cards.listed"),
    async prepare(server) {
      const one = await freshOrder(server);
      for (let made = 0; made < 100; made++) {
        await ask(server, withHeaders(one, { "Idempotency-Key": randomUUID() }));
      }
      const { Authorization = "" } = one.headers;
      return { method: "GET", path: "/developer/cards?limit=20", headers: { Authorization }, keys: "none" };
    },
  },
];

function ask({ url }: Server, { method, path, headers, body }: LoadRequest): Promise<Response> {
  return fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
}

/** What one answer to the request has against it; the rounds themselves look at statuses alone. */
export async function probed(row: Row, server: Server, request: LoadRequest): Promise<string[]> {
  const keyed = request.keys === "none" ? request : withHeaders(request, { "Idempotency-Key": randomUUID() });
  const response = await ask(server, keyed);
  const text = await response.text();
  const { expected } = row;
  const said = "header" in expected ? (response.headers.get(expected.header[0]) ?? "") : text;
  const wanted = "header" in expected ? expected.header[1] : expected.body;
  if (response.status === row.expectedStatus && said.includes(wanted)) return [];
  return [`answered ${response.status} without ${wanted}: ${text.slice(0, 200)}`];
}
