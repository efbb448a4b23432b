import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { FindingsReport } from "../../src/journal/findings/finding.ts";
import { openSandbox, type Sandbox } from "../../src/node/create-sandbox.ts";
import { openPlayer } from "../../src/node/tape/play.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { differencesOf, tapeOf } from "../support/taped.ts";

const order = (accountId: string) => ({
  account_id: accountId,
  pin: "4821",
  name: "Ada",
  auto_convert: true,
  delivery_method: "classic",
  delivery_address: { line1: "1 Main Street", city: "London", post_code: "N1 9GU", country_code: "GB" },
});

test("a replay decides the same, after orders, a retry, an error, a move of the clock and a reset", async () => {
  const secrets: string[] = [];
  const tape = await tapeOf(async (sandbox) => {
    const company = await sandbox.isolatedCompany();
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      sandbox.fetch(`http://sandbox${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body,
      });
    const exchange = async () => {
      const response = await post("/auth/v1/sandbox/token", JSON.stringify({ api_key: company.apiKey }));
      const { access_token } = (await response.json()) as { access_token: string };
      secrets.push(access_token);
      return `Bearer ${access_token}`;
    };
    const orderWith = async (authorization: string, n: number) => {
      const key = `3f0c2a4e-1111-4222-8333-${String(n).padStart(12, "0")}`;
      const headers = { Authorization: authorization, "Idempotency-Key": key };
      const body = JSON.stringify(order(company.accountId));
      return (await post("/developer/cards/physical", body, headers)).status;
    };
    const session = "9d2f6f0a-5b7c-4f0e-8a53-0c1f6a1f2b3c";
    secrets.push(company.apiKey, session);
    await post("/developer/cards/physical", "{}", { "X-Api-Key": session, Authorization: session });
    const first = await exchange();
    expect([await orderWith(first, 1), await orderWith(first, 1)]).toEqual([201, 201]);
    const armed = sandbox.scenario("quota-reached", { company: company.id });
    expect(await orderWith(first, 2)).toBe(422);
    armed.disarm();
    expect((await post("/developer/cards/physical", '{"pin":"4821', { Authorization: first })).status).toBe(
      400,
    );
    await sandbox.clock.advance({ by: "PT16M" });
    expect(await orderWith(first, 3)).toBe(401);
    expect(await orderWith(await exchange(), 4)).toBe(201);
    sandbox.reset();
    expect(await orderWith(first, 5)).toBe(401);
  });
  expect(await differencesOf(tape)).toEqual([]);
  expect(tape).toMatchObject({ isComplete: true });
  const text = JSON.stringify(tape);
  for (const secret of [...secrets, "4821"]) expect(text).not.toContain(secret);
});

test("a tape has the base URL of each of many requests at once", async () => {
  const tape = await tapeOf(async (sandbox) => {
    const live = sandbox.serve({ environments: ["live"], control: undefined });
    await Promise.all(Array.from({ length: 600 }, () => live(new Request("http://sandbox/developer/cards"))));
  });
  const requests = tape.events.filter((event) => event.do === "request");
  expect(requests).toHaveLength(600);
  expect(requests.every(({ environment }) => environment === "live")).toBe(true);
});

test("a replay has the findings about a client that closed its connection", async () => {
  let findings: FindingsReport | undefined;
  const tape = await tapeOf(async (sandbox) => {
    const company = await sandbox.isolatedCompany();
    const post = (path: string, body: unknown, headers: Record<string, string>, signal?: AbortSignal) =>
      sandbox.fetch(`http://sandbox${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
        signal: signal ?? null,
      });
    const token = await post("/auth/v1/sandbox/token", { api_key: company.apiKey }, {});
    const { access_token } = (await token.json()) as { access_token: string };
    const headers = (key: string) => ({ Authorization: `Bearer ${access_token}`, "Idempotency-Key": key });
    const client = new AbortController();
    const slow = post(
      "/developer/cards/physical",
      order(company.accountId),
      { ...headers("3f0c2a4e-1111-4222-8333-000000000001"), "Sandbox-Scenario": "issuer-slow" },
      client.signal,
    );
    await new Promise((resolve) => setImmediate(resolve));
    client.abort();
    await expect(slow).rejects.toThrow();
    await post(
      "/developer/cards/physical",
      order(company.accountId),
      headers("3f0c2a4e-1111-4222-8333-000000000002"),
    );
    sandbox.drain();
    await vi.waitFor(() => {
      findings = sandbox.findings();
      expect(findings.findings[0]?.occurrences[0]?.observed).toContain("closed the connection");
    });
  });
  const player = await openPlayer(tape, openSandbox);
  await player.play();
  expect(player.sandbox.findings()).toEqual(findings);
  player.sandbox.close();
});

test("a PIN in the name of its card is on no tape, and a replay finds it", async () => {
  let findings: FindingsReport | undefined;
  const tape = await tapeOf(async (sandbox) => {
    const company = await sandbox.isolatedCompany();
    const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      sandbox.fetch(`http://sandbox${path}`, {
        method,
        headers: { "Content-Type": "application/json", ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      });
    const token = await send("POST", "/auth/v1/sandbox/token", { api_key: company.apiKey });
    const { access_token } = (await token.json()) as { access_token: string };
    const headers = { Authorization: `Bearer ${access_token}` };
    const named = { ...order(company.accountId), pin: "6071", name: " Ada-6071" };
    const key = { "Idempotency-Key": "3f0c2a4e-1111-4222-8333-000000000001" };
    const ordered = await send("POST", "/developer/cards/physical", named, { ...headers, ...key });
    const card = (await ordered.json()) as { id: string; name: string };
    expect(card.name).toBe("Ada-6071");
    await send("GET", "/developer/cards", undefined, headers);
    sandbox.control.cards.operate(card.id, { action: "suspend" });
    findings = sandbox.findings();
  });
  expect(findings?.findings.map(({ id }) => id)).toEqual(["AUTH-7"]);
  expect(JSON.stringify(tape)).not.toContain("6071");
  const player = await openPlayer(tape, openSandbox);
  await player.play();
  expect(player.differences).toEqual([]);
  expect(player.sandbox.findings().totals).toEqual(findings?.totals);
  player.sandbox.close();
});

test("a replay has the time of each request of a long turn of the event loop", async () => {
  const tape = await tapeOf(async (sandbox) => {
    let nowMs = Date.now();
    // Time goes on within the request.
    const clock = vi.spyOn(Date, "now").mockImplementation(() => {
      nowMs += 1500;
      return nowMs;
    });
    onTestFinished(() => clock.mockRestore());
    for (let n = 0; n < 5; n++) await sandbox.fetch("http://sandbox/developer/cards");
    clock.mockRestore();
  });
  expect(await differencesOf(tape)).toEqual([]);
});

test("a key of the fixtures that is as short as its shown start is not on the tape either", async () => {
  const secret = "sk_sandbox_q7Zk9";
  const folder = temporaryFolder();
  const fixtures = join(folder, "fixtures.yaml");
  writeFileSync(
    fixtures,
    `companies: [{slug: acme, name: Acme, country_code: GB, members: [{slug: ada, name: Ada, role: owner, api_keys: [{secret: ${secret}}]}]}]`,
  );
  const exchange = async (sandbox: Sandbox) => {
    const body = JSON.stringify({ api_key: secret });
    const response = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", { method: "POST", body });
    expect(response.status).toBe(200);
  };
  const db = join(folder, "a.db");
  const first = await tapeOf(exchange, { fixtures, db });
  const reopened = await tapeOf(exchange, { fixtures, db });
  expect(reopened.head.rows).not.toBeNull();
  for (const tape of [first, reopened]) {
    expect(JSON.stringify(tape)).not.toContain(secret);
    expect(await differencesOf(tape)).toEqual([]);
  }
});
