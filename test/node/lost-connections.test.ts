import { execFileSync } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cardIn, type Started, startCommandLine, temporaryFolder } from "../support/command-line.ts";
import { physicalOrder } from "../support/physical-order.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const other = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c31";

async function arm(sandbox: Started, name: string, body: object = {}): Promise<string> {
  const armed = await sandbox.post(`/_sandbox/scenarios/${name}/arm`, body);
  expect(armed.status).toBe(201);
  return ((await armed.json()) as { id: string }).id;
}

async function liveCards(sandbox: Started): Promise<number | undefined> {
  return (await sandbox.world()).companies.find(({ slug }) => slug === "northwind")?.live_cards;
}

/** Orders on a socket of its own: what came, and how the connection ended. */
async function orderRaw(sandbox: Started): Promise<{ received: string; error: string | undefined }> {
  const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
  socket.write(await orderBytes(sandbox, await sandbox.exchange()));
  let received = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  return new Promise((resolve) => {
    let error: string | undefined;
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      error = code;
    });
    socket.on("close", () => resolve({ received, error }));
  });
}

async function orderBytes(sandbox: Started, token: string): Promise<string> {
  const { companies } = await sandbox.world();
  const body = JSON.stringify(physicalOrder(companies[0]?.accounts[0]?.id));
  return `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

describe("over a real socket", () => {
  test("lost-response: the connection fails, and the retry returns the only card", async () => {
    const sandbox = await startCommandLine(["--scenario", "lost-response"]);
    const token = await sandbox.exchange();
    await expect(sandbox.order(key, token)).rejects.toThrow("fetch failed");
    expect(await liveCards(sandbox)).toBe(1);
    const retry = await sandbox.order(key, token);
    expect([retry.status, retry.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
    const { id } = await cardIn(retry);
    expect((await cardIn(await sandbox.order(key, token))).id).toBe(id);
    expect(await liveCards(sandbox)).toBe(1);
    await expect(sandbox.order(other, token)).rejects.toThrow("fetch failed");
    expect(await liveCards(sandbox)).toBe(2);
    expect(sandbox.output).toMatchObject({ stderr: "" });
  });

  test.each([
    ["lost-response", 1, { received: "", error: "ECONNRESET" }],
    ["dropped-request", 0, { received: "", error: "ECONNRESET" }],
    ["empty-response", 1, { received: "", error: undefined }],
    [
      "truncated-response",
      1,
      { received: expect.stringMatching(/^HTTP\/1\.1 201 [\s\S]*\r\n\r\n\{"id":"[^}]+$/), error: undefined },
    ],
  ])("%s ends the connection, with %i card created", async (name, cards, outcome) => {
    const sandbox = await startCommandLine();
    await arm(sandbox, name);
    const got = await orderRaw(sandbox);
    expect(got).toEqual(outcome);
    const length = Number(/^content-length: ([0-9]+)/im.exec(got.received)?.[1] ?? 0);
    const body = got.received.split("\r\n\r\n")[1] ?? "";
    if (got.received) expect(body).toHaveLength(Math.floor(length / 2));
    expect(await liveCards(sandbox)).toBe(cards);
    expect(sandbox.output).toMatchObject({ stderr: "" });
    expect(sandbox.output.stdout).toContain(`(${name}: `);
  });

  test.each([
    // A reset may overtake what was sent before it.
    ["lost-response", /^(HTTP\/1\.1 200 [\s\S]*)?$/],
    ["truncated-response", /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 201 [\s\S]*[^}]$/],
  ])("%s acts on a pipelined request after the previous responses", async (name, expected) => {
    const sandbox = await startCommandLine();
    await arm(sandbox, name);
    const token = await sandbox.exchange();
    const order = await orderBytes(sandbox, token);
    const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
    socket.on("error", () => {});
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
    });
    socket.write(`GET /_sandbox/world HTTP/1.1\r\nHost: localhost\r\n\r\n${order}${order}`);
    await new Promise((closed) => socket.on("close", closed));
    expect(received).toMatch(expected);
  });

  test("a connection with TLS is closed too", async () => {
    const folder = temporaryFolder();
    const [cert, tlsKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    execFileSync(
      "openssl",
      `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout ${tlsKey} -out ${cert}`.split(
        " ",
      ),
      { stdio: "ignore" },
    );
    const sandbox = await startCommandLine([
      "--tls-cert",
      cert,
      "--tls-key",
      tlsKey,
      "--scenario",
      "dropped-request",
    ]);
    const { request } = await import("node:https");
    const send = (path: string, body: string, headers: Record<string, string>) =>
      new Promise<string>((resolve, reject) => {
        const sent = request(
          sandbox.url + path,
          { method: "POST", headers, rejectUnauthorized: false },
          (answer) => {
            let text = "";
            answer.on("data", (chunk) => {
              text += chunk;
            });
            answer.on("end", () => resolve(text));
          },
        );
        sent.on("error", reject);
        sent.end(body);
      });
    const exchanged = await send("/auth/v1/sandbox/token", '{"api_key":"sk_sandbox_northwind_owner"}', {});
    const { access_token } = JSON.parse(exchanged);
    await expect(
      send("/developer/cards/physical", "{}", { Authorization: `Bearer ${access_token}` }),
    ).rejects.toThrow(/socket hang up|ECONNRESET/);
  });

  test("while an order is held, a second one with the same key gets 409", async () => {
    const sandbox = await startCommandLine();
    const id = await arm(sandbox, "in-flight", { company: "northwind" });
    const token = await sandbox.exchange();
    const first = sandbox.order(key, token);
    const armed = async () =>
      (await (await fetch(`${sandbox.url}/_sandbox/armed/${id}`)).json()) as { held: number };
    while ((await armed()).held === 0);
    expect((await sandbox.order(key, token)).status).toBe(409);
    const released = await sandbox.post(`/_sandbox/armed/${id}/release`, {});
    expect(await released.json()).toEqual({ released: 1 });
    expect((await first).status).toBe(201);
    expect((await sandbox.order(key, token)).headers.get("Idempotent-Replayed")).toBe("true");
  });

  test("SIGTERM continues a held order and ends the process immediately", async () => {
    const sandbox = await startCommandLine(["--scenario", "in-flight"]);
    const token = await sandbox.exchange();
    const first = sandbox.order(key, token);
    const held = async () =>
      (await (await fetch(`${sandbox.url}/_sandbox/armed`)).json()) as { armed: { held: number }[] };
    while ((await held()).armed[0]?.held === 0);
    sandbox.child.kill("SIGTERM");
    expect((await first).status).toBe(201);
    expect(await sandbox.ended).toEqual({ code: 0, signal: null });
  });
});
