import { openSandbox, type Reply, type TestOptions } from "./open-sandbox.ts";

/** What a receiver was sent. */
export interface Received {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came
  readonly json: any;
}

/** How a receiver answers: a status, or what it does in place of an answer. */
export type Answer = number | ((init: RequestInit) => Response | Promise<Response>);

export interface WebhookOptions extends TestOptions {
  /** What northwind's first webhook subscribes to; default: `card.created`. */
  readonly events?: readonly string[];
}

/** A sandbox whose northwind has a webhook, and a receiver that answers as it is told, 204 unless told otherwise. */
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
    /** What the receiver is to answer next. */
    answers,
    call,
    create,
    webhook: made.json,
    path,
    deliveries: async () => (await call("GET", `${path}/deliveries`)).json.data,
    /** Lets what is due by now be attempted. */
    settled: () => sandbox.webhooks.settled(),
  };
}
