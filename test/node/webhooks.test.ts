import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Started, startCommandLine } from "../support/command-line.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A receiver on a port of its own, which sends whoever calls on to another path. */
async function receiver(status: number) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    received.push({ path: request.url, headers: request.headers, text });
    response.writeHead(status, { Location: "/elsewhere" }).end();
  });
  await new Promise<void>((bound) => server.listen(0, "127.0.0.1", bound));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` };
}

async function webhookOf({ post }: Started, token: string, url: string) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return post("/developer/webhooks", { url, events: ["card.created"] }, headers);
}

test("delivers an event with a valid signature", async () => {
  const { received, url } = await receiver(200);
  const sandbox = await startCommandLine(["--log", "silent"]);
  const token = await sandbox.exchange();
  const { secret } = (await (await webhookOf(sandbox, token, url)).json()) as { secret: string };
  const card = await (await sandbox.order(key, token)).json();
  await vi.waitFor(() => expect(received).toHaveLength(1));
  const [{ text, headers }] = received as [Received];
  expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toMatchObject({
    type: "card.created",
    data: card,
  });
});

test("does not follow redirects, and delivers only to allowed hosts", async () => {
  const { received, url } = await receiver(302);
  const sandbox = await startCommandLine(["--allow-webhook-hosts", "hooks.example.com, b.example.com"]);
  const token = await sandbox.exchange();
  const statuses = [];
  for (const each of [
    url,
    "https://hooks.example.com/a",
    "https://b.example.com/a",
    "https://c.example.com/a",
  ]) {
    statuses.push((await webhookOf(sandbox, token, each)).status);
  }
  expect(statuses).toEqual([201, 201, 201, 400]);
  const { data } = (await (
    await fetch(`${sandbox.url}/developer/webhooks`, { headers: { Authorization: `Bearer ${token}` } })
  ).json()) as { data: { id: string; url: string }[] };
  const { id } = data.find((each) => each.url === url) as { id: string };
  await sandbox.post(`/developer/webhooks/${id}/test`, {}, { Authorization: `Bearer ${token}` });
  const attempts = async () => {
    const listed = await fetch(`${sandbox.url}/_sandbox/webhooks/deliveries`);
    const { deliveries } = (await listed.json()) as { deliveries: { attempts: object[] }[] };
    return deliveries[0]?.attempts;
  };
  await vi.waitFor(async () =>
    expect(await attempts()).toEqual([
      expect.objectContaining({ response_status: 302, error: "redirects are not followed" }),
    ]),
  );
  expect(received.map(({ path }) => path)).toEqual(["/hooks"]);
  expect(sandbox.output.stdout).not.toContain("whsec_");
});
