import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type StartedSandbox, type StartOptions, startSandbox } from "../../src/node/start-sandbox.ts";
import { readTape } from "../../src/node/tape/tape-file.ts";
import { httpClient } from "../support/http-client.ts";
import { physicalOrder } from "../support/physical-order.ts";
import { differencesElsewhere, differencesOf, temporaryFile } from "../support/taped.ts";

/** Records what happens to a server, and plays it here and in another process. */
async function expectReplay(work: (sandbox: StartedSandbox) => Promise<void>, options: StartOptions = {}) {
  const tape = temporaryFile("a.tape");
  const sandbox = await startSandbox({ port: 0, tape, ...options });
  try {
    await work(sandbox);
  } finally {
    await sandbox.close();
  }
  const read = readTape(tape);
  expect(read.isComplete).toBe(true);
  expect(await differencesOf(read)).toEqual([]);
  expect(await differencesElsewhere([read])).toEqual([[]]);
  return read;
}

const accountOf = (sandbox: StartedSandbox, slug = "northwind") =>
  sandbox.world().companies.find((each) => each.slug === slug && each.environment === "sandbox")?.accounts[0]
    ?.id;

/** Sends text over a connection of its own, and returns what comes back until it ends. */
async function sendRaw(url: string, parts: readonly string[], hangsUp = false): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  for (const part of parts) {
    socket.write(part);
    await new Promise(setImmediate);
  }
  if (hangsUp) socket.destroy();
  else socket.end();
  if (!socket.closed) await once(socket, "close");
  return text;
}

/** A receiver of webhooks that responds as the test says, by default with 204. */
async function openReceiver() {
  const answers: (number | "reset" | "never")[] = [];
  const server = createServer((request, response) => {
    const answer = answers.shift() ?? 204;
    request.resume();
    if (answer === "reset") request.socket.destroy();
    else if (answer !== "never") request.on("end", () => response.writeHead(answer).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, answers };
}

test("concurrent orders with holds, delays, lost connections and clients that leave replay", {
  timeout: 100_000,
}, async () => {
  await expectReplay(async (sandbox) => {
    const { order, exchange } = httpClient(sandbox.url);
    const company = await sandbox.isolatedCompany({ card_quota: 1000 });
    const account = company.accountId;
    const token = await exchange(company.apiKey);
    const lost = (work: Promise<Response>) => work.then((response) => response.text()).catch(() => "lost");
    for (let round = 0; round < 5; round++) {
      const keys = Array.from({ length: 20 }, () => randomUUID());
      await Promise.all([...keys, ...keys].map((key) => lost(order(account, { token, key }))));
    }
    const held = sandbox.scenario("in-flight", { times: 1 });
    const key = randomUUID();
    const first = lost(order(account, { token, key }));
    while (held.listing().held === 0) await new Promise(setImmediate);
    await Promise.all([1, 2, 3].map(() => lost(order(account, { token, key }))));
    held.release();
    await first;
    for (const name of ["issuer-slow", "slow-response"] as const) {
      const armed = sandbox.scenario(name, { times: 2, latency_ms: 30 });
      const same = randomUUID();
      await Promise.all(
        [1, 2, 3, 4].map((n) => lost(order(account, { token, key: n < 3 ? same : randomUUID() }))),
      );
      armed.disarm();
    }
    const faults = [
      "lost-response",
      "empty-response",
      "truncated-response",
      "dropped-request",
      "lost-in-flight",
      "created-but-502",
      "issuer-recovers",
      "rate-limited",
    ];
    await Promise.all(
      faults.map(async (name) => {
        const again = randomUUID();
        for (let n = 0; n < 3; n++)
          await lost(order(account, { token, key: again, headers: { "Sandbox-Scenario": name } }));
      }),
    );
    // Clients that leave: while the issuer works, and while a response is silent.
    for (const name of ["in-flight", "silent-response", "issuer-slow"] as const) {
      const armed = sandbox.scenario(name, { times: 1 });
      const leave = new AbortController();
      const left = lost(order(account, { token, signal: leave.signal }));
      await new Promise((resolve) => setTimeout(resolve, 50));
      leave.abort();
      await left;
      if (name !== "silent-response") armed.release();
      armed.disarm();
    }
    // One that is held until the sandbox closes.
    sandbox.scenario("in-flight", { times: 1 });
    void lost(order(account, { token }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
});

test("pipelined requests, odd methods, paths and bodies replay", { timeout: 100_000 }, async () => {
  await expectReplay(
    async (sandbox) => {
      const { url, liveUrl } = sandbox;
      const account = accountOf(sandbox);
      const token = await httpClient(url).exchange();
      const head = (line: string, length: number, more = "") =>
        `${line} HTTP/1.1\r\nHost: sandbox\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${more}Content-Length: ${length}\r\n\r\n`;
      const order = () => {
        const body = JSON.stringify(physicalOrder(account));
        return (
          head("POST /developer/cards/physical", body.length, `Idempotency-Key: ${randomUUID()}\r\n`) + body
        );
      };
      await Promise.all(
        [1, 2, 3, 4].map(() => sendRaw(url, [Array.from({ length: 25 }, order).join(""), order(), order()])),
      );
      for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"]) {
        for (const path of [
          "/developer/cards",
          "/developer/nothing",
          "/auth/v1/sandbox/token",
          "/a%zz//b",
          "/developer/cards?limit=0&x=%00",
        ]) {
          await sendRaw(url, [head(`${method} ${path}`, 0)]);
        }
      }
      const physical = "POST /developer/cards/physical";
      const key = `Idempotency-Key: ${randomUUID()}\r\n`;
      for (const body of [
        "{",
        "[]",
        "null",
        '"a"',
        "",
        '{"pin":"4821"',
        "\u00e9",
        "{}{}",
        '{"pin":12345678901234567890}',
      ]) {
        await sendRaw(url, [head(physical, Buffer.byteLength(body), key) + body]);
      }
      await sendRaw(url, [head(physical, 70_000, key), "n".repeat(70_000)]);
      // A body that is cut off, and a client that leaves in the middle of it.
      await sendRaw(url, [head(physical, 500, key), '{"pin":"48']);
      await sendRaw(url, [head(physical, 500, key), '{"pin":"48'], true);
      const chunked = head(physical, 0, key).replace(/Content-Length: 0/, "Transfer-Encoding: chunked");
      const json = JSON.stringify(physicalOrder(account));
      await sendRaw(url, [
        chunked,
        `${json.length.toString(16)}\r\n`,
        json.slice(0, 50),
        json.slice(50),
        "\r\n0\r\n\r\n",
      ]);
      await sendRaw(url, [chunked, "zz\r\n"]);
      await sendRaw(url, ["GET / HTTP/9.9\r\n\r\n"]);
      await sendRaw(url, [
        `GET /developer/cards HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`,
      ]);
      const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
      await fetch(`${url}/developer/cards/physical`, {
        method: "POST",
        body: bytes,
        headers: { Authorization: `Bearer ${token}` },
      });
      // The live environment on its own port.
      const live = httpClient(liveUrl);
      const { access_token } = (await (
        await live.post("/auth/v1/token", { api_key: "sk_live_northwind_owner" })
      ).json()) as { access_token: string };
      await live.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
      for (const each of [url, liveUrl]) {
        for (const bearer of [token, access_token]) {
          await fetch(`${each}/developer/cards`, { headers: { Authorization: `Bearer ${bearer}` } });
        }
      }
    },
    { livePort: 0 },
  );
});

test("webhooks, with retries, timeouts, resends, faults and settled(), replay", {
  timeout: 100_000,
}, async () => {
  const receiver = await openReceiver();
  await expectReplay(async (sandbox) => {
    const { order, exchange } = httpClient(sandbox.url);
    const account = accountOf(sandbox);
    const token = await exchange();
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const response = await fetch(sandbox.url + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return JSON.parse((await response.text()) || "null");
    };
    const { id } = await call("POST", "/developer/webhooks", {
      url: receiver.url,
      events: ["card.created", "webhook.test", "card.status_changed"],
    });
    const path = `/developer/webhooks/${id}`;
    const deliveries = () => call("GET", `${path}/deliveries`);
    await Promise.all(Array.from({ length: 12 }, () => order(account, { token })));
    await sandbox.webhooks.settled();
    await deliveries();
    receiver.answers.push(500, "reset", 301, 503);
    await order(account, { token });
    for (const by of ["PT5S", "PT5M", "PT30M", "PT2H"]) {
      await sandbox.webhooks.settled();
      await deliveries();
      await sandbox.clock.advance({ by });
    }
    await sandbox.webhooks.settled();
    await deliveries();
    for (const name of ["webhook-duplicate", "webhook-reordered", "webhook-stale", "webhook-bad-signature"]) {
      const first = await order(await accountOf(sandbox), {
        token: await exchange(),
        headers: { "Sandbox-Scenario": name },
      });
      await first.text();
      await order(account, { token: await exchange() });
      await sandbox.webhooks.settled();
    }
    const fresh = await exchange();
    const again = async (method: string, to: string, body?: unknown) => {
      const headers = { Authorization: `Bearer ${fresh}`, "Content-Type": "application/json" };
      return fetch(sandbox.url + to, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).then((each) => each.text());
    };
    await again("POST", `${path}/rotate-secret`);
    const tested = JSON.parse(await again("POST", `${path}/test`));
    await sandbox.webhooks.settled();
    await again("POST", `${path}/deliveries/${tested.id}/resend`);
    sandbox.control.dialect.replace({ dialect: { "webhooks.timeout": "5" } });
    receiver.answers.push("never");
    await again("POST", `${path}/test`);
    await sandbox.webhooks.settled();
    receiver.answers.push(410);
    await again("POST", `${path}/test`);
    await sandbox.webhooks.settled();
    await again("GET", path);
    await again("GET", `${path}/deliveries`);
    await again("DELETE", path);
  });
});

test("every kind of change of the control API replays", { timeout: 100_000 }, async () => {
  await expectReplay(async (sandbox) => {
    const { post, exchange, order } = httpClient(sandbox.url);
    const control = async (method: string, path: string, body?: unknown) => {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(`${sandbox.url}/_sandbox${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return JSON.parse((await response.text()) || "null");
    };
    const some = async (token: string) => {
      await (await order(accountOf(sandbox), { token })).text();
      await (
        await fetch(`${sandbox.url}/developer/cards`, { headers: { Authorization: `Bearer ${token}` } })
      ).text();
    };
    let token = await exchange();
    await some(token);
    const mine = await sandbox.isolatedCompany({ name: "Acme" });
    const key = mine.apiKey;
    const own = await exchange(key);
    const ownOrder = async () => (await order(mine.accountId, { token: own })).text();
    const card = JSON.parse(await ownOrder());
    await control("PUT", "/dialect", { company: mine.slug, dialect: { "replay.status": "200" } });
    const twice = randomUUID();
    for (let n = 0; n < 2; n++) await (await order(mine.accountId, { token: own, key: twice })).text();
    await mine.clock.advance("P2D");
    await ownOrder();
    mine.clock.set("2031-01-01T00:00:00Z");
    const later = await exchange(key);
    await some(later);
    await control("POST", `/cards/${card.id}/operator`, { action: "suspend" });
    await control("POST", `/cards/${card.id}/operator`, { action: "lift" });
    await control("POST", `/cards/${card.id}/delivery`, { status: "shipped" });
    const made = await control("POST", "/api-keys", { member: mine.members[0]?.id, environment: "sandbox" });
    const second = await exchange(made.secret);
    await control("DELETE", `/api-keys/${made.id}`);
    await (await post("/auth/v1/sandbox/token", { api_key: made.secret })).text();
    await some(second);
    await control("POST", "/simulate/topups", { account_id: mine.accountId, amount: "5.00" });
    await control("POST", "/simulate/topups", { account_id: "nobody", amount: "5.00" });
    await control("PATCH", `/companies/${mine.slug}`, { status: "suspended" });
    await ownOrder();
    await control("POST", "/snapshots", { name: "one" });
    await control("POST", "/reset", { company: mine.slug });
    await ownOrder();
    await some(await exchange(key));
    await control("POST", "/snapshots/one/restore");
    await ownOrder();
    await control("PUT", "/clock", { frozen: true });
    await some(token);
    await control("PUT", "/clock", { now: "2032-05-05T00:00:00Z" });
    await some(token);
    await control("PUT", "/clock", { frozen: false });
    token = await exchange();
    await some(token);
    await control("PUT", "/dialect", { dialect: { "json.unknown_fields": "400" } });
    await (await order(accountOf(sandbox), { token, fields: { nickname: "a" } })).text();
    await control("DELETE", "/dialect");
    mine.delete();
    await ownOrder();
    await control("POST", "/reset", {});
    await some(token);
    await some(await exchange());
    // By the dashboard.
    await fetch(`${sandbox.url}/_sandbox/ui/clock/advance`, {
      method: "POST",
      headers: { Origin: sandbox.url },
      body: new URLSearchParams({ by: "PT15M", back: "/_sandbox/ui" }),
      redirect: "manual",
    });
    await some(await exchange());
  });
});
