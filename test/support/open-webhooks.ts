import { openSandbox, type Reply, type TestOptions } from "./open-sandbox.ts";

/** A request to the receiver. */
export interface Received {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on bodies of any shape
  readonly json: any;
}

/** The receiver's response: a status, or a function that makes or refuses one. */
export type Answer = number | ((init: RequestInit) => Response | Promise<Response>);

export interface WebhookOptions extends TestOptions {
  /** The events of the first webhook; default: `card.created`. */
  readonly events?: readonly string[];
}

/** Opens a sandbox in which northwind has a webhook, and a receiver that responds with 204 by default. */
export async function openWebhooks({ events = ["card.created"], ...options }: WebhookOptions = {}) {
  const received: Received[] = [];
  const answers: Answer[] = [];
  const sandbox = openSandbox({
    deliver: async (url, init) => {
      const headers = Object.fromEntries(new Headers(init.headers));
      const text = String(init.body);
      received.push({ url, headers, text, json: JSON.parse(text) });
      const answer = answers.shift() ?? 204;
      return typeof answer === "number" ? new Response(null, { status: answer }) : answer(init);
    },
    ...options,
  });
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const call = (method: string, path: string, body?: unknown, apiToken = token): Promise<Reply> =>
    sandbox.request(path, {
      method,
      headers: { Authorization: `Bearer ${apiToken}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const create = (body: object = {}) =>
    call("POST", "/developer/webhooks", { url: "http://localhost/hooks", events, ...body });
  const made = await create();
  if (made.status !== 201) throw new Error(made.text);
  const path = `/developer/webhooks/${made.json.id}`;
  return {
    ...sandbox,
    received,
    /** The next responses of the receiver. */
    answers,
    call,
    create,
    webhook: made.json,
    path,
    deliveries: async () => (await call("GET", `${path}/deliveries`)).json.data,
    /** Waits until all due deliveries were attempted. */
    settled: () => sandbox.webhooks.settled(),
  };
}
