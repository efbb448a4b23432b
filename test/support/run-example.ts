import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { type OperationId, operations } from "../../src/contract/operations.ts";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import type { ExampleRequest, Scenario } from "../../src/scenarios/scenario.ts";
import { base, type OrderBody, openSandbox, type Reply, readReply } from "./open-sandbox.ts";

/** All ways to choose a scenario. */
export const ways = [
  "by header",
  "by Prefer: example",
  "by Prefer: code",
  "by the order's name",
  "armed for the company",
  "armed for all",
  "from the start",
] as const;
export type Way = (typeof ways)[number];

type Outcome =
  | { readonly connection: "answered"; readonly reply: Reply }
  | { readonly connection: "reset" | "empty" | "silent" }
  | { readonly connection: "truncated"; readonly status: number };

type Running = ReturnType<typeof openSandbox>;

const apiKey = "sk_sandbox_northwind_owner";
const keys: Record<string, string> = {
  first: "00000000-0000-4000-8000-000000000001",
  second: "00000000-0000-4000-8000-000000000002",
};

/**
 * Sends the requests of a scenario's example with the scenario chosen in one way, and checks each response against the
 * example.
 * @returns the contract points of the responses
 */
export async function runExample(scenario: Scenario, way: Way): Promise<Set<string>> {
  const receiver = new Receiver();
  const sandbox = openSandbox({
    ...(way === "from the start" && { scenario: scenario.name }),
    deliver: (_url, init) => receiver.take(init, sandbox.clockOfTest.now()),
  });
  const chosen = choose(sandbox, scenario, way);
  let token = scenario.on.includes("exchangeSandboxKey") ? undefined : await sandbox.exchange(apiKey);
  if (scenario.example.some((request) => request.expect.deliveries)) {
    receiver.secret = await webhookOf(sandbox, token ?? "");
  }
  const liveCards = () => sandbox.company("northwind").live_cards;
  const before = liveCards();
  const points = new Set<string>();
  const inProgress: (() => Promise<void>)[] = [];

  for (const [i, request] of scenario.example.entries()) {
    if (request.after) await sandbox.clock.advance({ by: request.after });
    const leave = new AbortController();
    const sent = outcomeOf(send(sandbox, scenario, chosen, request, token, leave.signal));
    const end = async () => {
      const outcome = await sent;
      const which = `request ${i + 1} of ${scenario.name}, ${way}`;
      check(outcome, request, which);
      if (request.expect.cards !== undefined) expect(liveCards() - before, which).toBe(request.expect.cards);
      if (outcome.connection === "answered") receiver.cards.push(outcome.reply.json.id);
      if (request.expect.deliveries) {
        await sandbox.webhooks.settled();
        expect(receiver.received, which).toEqual(request.expect.deliveries);
      }
      if (outcome.connection !== "answered") return;
      points.add(outcome.reply.point ?? "");
      token = outcome.reply.json.access_token ?? token;
    };
    if (request.expect.connection === "silent") {
      while (sandbox.clockOfTest.waits.length === 0) await new Promise(setImmediate);
      leave.abort();
    }
    if (!request.meanwhile) {
      await end();
      continue;
    }
    inProgress.push(end);
    // Until the scenario delays it.
    while (sandbox.clockOfTest.waited.length === 0) await new Promise(setImmediate);
  }
  for (const { id } of sandbox.control.scenarios.armed().armed) sandbox.control.scenarios.release(id);
  sandbox.drain();
  // An order goes on without its client.
  await new Promise(setImmediate);
  for (const end of inProgress) await end();
  for (const { point } of sandbox.exchanges) points.add(point ?? "");
  return points;
}

/** A receiver that knows the card of each request, and refuses events that it must not accept. */
class Receiver {
  secret = "";
  /** The card of each request; a replay has the card of the first request. */
  readonly cards: string[] = [];
  readonly #received: { readonly id: string; readonly fails?: "stale" | "signature" }[] = [];

  /** The received events, as an example lists them. */
  get received(): object[] {
    return this.#received.map(({ id, ...rest }) => ({ of: this.cards.indexOf(id) + 1, ...rest }));
  }

  async take({ headers, body }: RequestInit, nowMs: number): Promise<Response> {
    const {
      "webhook-id": id = "",
      "webhook-timestamp": seconds,
      "webhook-signature": signature,
    } = headers as Record<string, string>;
    const at = new Date(Number(seconds) * 1000);
    const text = String(body);
    const fails = this.#reasonAgainst(new Webhook(this.secret).sign(id, at, text) === signature, nowMs - +at);
    this.#received.push({ id: JSON.parse(text).data.id, ...(fails && { fails }) });
    return new Response(null, { status: fails ? 400 : 204 });
  }

  #reasonAgainst(isSigned: boolean, ageMs: number) {
    if (!isSigned) return "signature";
    return ageMs > 5 * 60_000 ? "stale" : undefined;
  }
}

async function webhookOf({ post }: Running, token: string): Promise<string> {
  const body = { url: "http://localhost/hooks", events: ["card.created"] };
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return (await post("/developer/webhooks", body, headers)).json.secret;
}

interface Chosen {
  readonly headers: Record<string, string>;
  readonly body: OrderBody;
}

function choose(sandbox: Running, { name, points }: Scenario, way: Way): Chosen {
  const nothing = { headers: {}, body: {} };
  switch (way) {
    case "by header":
      return { ...nothing, headers: { "Sandbox-Scenario": name } };
    case "by Prefer: example":
      return { ...nothing, headers: { Prefer: `respond-async, example="${name}"` } };
    case "by Prefer: code":
      return {
        ...nothing,
        headers: { Prefer: `code=${contractPoints[points[0] as ContractPointId].status}` },
      };
    case "by the order's name":
      return { ...nothing, body: { name: `scenario:${name}` } };
    case "armed for the company":
      sandbox.scenario(name, { company: "northwind" });
      return nothing;
    case "armed for all":
      sandbox.scenario(name);
      return nothing;
    case "from the start":
      return nothing;
  }
}

async function send(
  sandbox: Running,
  { on }: Scenario,
  choice: Chosen,
  { operation = on[0] as OperationId, body, key }: ExampleRequest,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  // Requests of other operations do not choose the scenario.
  const chosen = on.includes(operation) ? choice : { headers: {}, body: {} };
  const order = operation !== "exchangeSandboxKey";
  const fields = order ? sandbox.orderBody({ ...chosen.body, ...body }) : { api_key: apiKey, ...body };
  return sandbox.fetch(`${base}${operations[operation].path}`, {
    method: "POST",
    body: JSON.stringify(fields),
    signal,
    headers: {
      ...chosen.headers,
      "Content-Type": "application/json",
      ...(order && { Authorization: `Bearer ${token}`, "Idempotency-Key": keys[key] ?? "" }),
    },
  });
}

/** The response, or the way in which the connection failed. */
async function outcomeOf(sent: Promise<Response>): Promise<Outcome> {
  let response: Response;
  try {
    response = await sent;
  } catch (error) {
    if ((error as Error).name === "AbortError") return { connection: "silent" };
    expect(error).toBeInstanceOf(TypeError);
    const { code } = (error as Error).cause as { code: string };
    return { connection: code === "ECONNRESET" ? "reset" : "empty" };
  }
  const { status } = response;
  try {
    return { connection: "answered", reply: await readReply(response) };
  } catch {
    return { connection: "truncated", status };
  }
}

function check(outcome: Outcome, { expect: expected }: ExampleRequest, which: string): void {
  expect(outcome.connection, which).toBe(expected.connection);
  if ("status" in outcome) expect(outcome.status, which).toBe(expected.status);
  if (outcome.connection !== "answered") return;
  const { reply } = outcome;
  expect([reply.status, reply.point], which).toEqual([expected.status, expected.point]);
  for (const [name, value] of Object.entries(expected.body ?? {})) {
    expect(reply.json[name], `${name} of ${which}`).toEqual(value);
  }
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    expect(reply.headers.get(name), which).toBe(value);
  }
}
