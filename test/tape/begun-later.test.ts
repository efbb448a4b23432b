import { describe, expect, test, vi } from "vitest";
import {
  createSandbox,
  type Internals,
  openSandbox,
  type Sandbox,
  type SandboxOptions,
} from "../../src/node/create-sandbox.ts";
import { decodeTape } from "../../src/node/tape/tape-file.ts";
import { Taping } from "../../src/node/tape/taping.ts";
import type { Clock } from "../../src/rules/clock.ts";
import type { Tape } from "../../src/tape/tape.ts";
import { physicalOrder } from "../support/physical-order.ts";
import { differencesOf, temporaryFile } from "../support/taped.ts";

/** Real time that only a test moves. */
class MovedClock implements Clock {
  #nowMs = Date.parse("2026-03-10T09:30:00Z");
  #timers: { readonly atMs: number; readonly work: () => void }[] = [];
  now = () => this.#nowMs;
  ticks = () => this.#nowMs;
  after(ms: number, work: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }
  /** Fires the timers that become due, in their order, and waits for the work that they begin. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (let turns = 0; turns < 20; turns++) {
      const next = this.#timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next) {
        this.#timers = this.#timers.filter((each) => each !== next);
        this.#nowMs = Math.max(this.#nowMs, next.atMs);
        next.work();
        turns = 0;
      }
      await new Promise(setImmediate);
    }
    this.#nowMs = endMs;
  }
  /** Fires the timers that are due until work has ended. */
  async passUntil(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    work.finally(() => {
      isDone = true;
    });
    while (!isDone) await this.pass(0);
  }
}

/** A client of one member of a sandbox. */
function clientOf(sandbox: Sandbox, apiKey = "sk_sandbox_northwind_owner") {
  let authorization = "";
  const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    sandbox.fetch(`http://sandbox${path}`, {
      method,
      headers: { Authorization: authorization, "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const exchange = async () => {
    const response = await request("POST", "/auth/v1/sandbox/token", { api_key: apiKey });
    const { access_token } = (await response.json()) as { access_token: string };
    authorization = `Bearer ${access_token}`;
    return access_token;
  };
  const account = () =>
    sandbox.world().companies.find(({ slug }) => slug === "northwind")?.accounts[0]?.id ?? "";
  const order = async (n: number, headers: Record<string, string> = {}) => {
    const key = `3f0c2a4e-1111-4222-8333-${String(n).padStart(12, "0")}`;
    const body = { ...physicalOrder(account()), pin: "7391" };
    const sent = { "Idempotency-Key": key, ...headers };
    return (await request("POST", "/developer/cards/physical", body, sent)).status;
  };
  return { request, exchange, order };
}

const open = (options: SandboxOptions = {}, internals: Partial<Internals> = {}) =>
  openSandbox(options, { privateSecrets: false, ...internals });

/** The tape of a sandbox, and that it replays without a difference. */
async function replayed(sandbox: Sandbox, until?: string): Promise<Tape> {
  const tape = decodeTape(Buffer.from(sandbox.control.tape.file(until)));
  expect(await differencesOf(tape)).toEqual([]);
  return tape;
}

const requestsOn = (tape: Tape) =>
  tape.events.flatMap((event) => (event.do === "request" ? [event.response?.id] : []));

describe("a recording that begins in the middle replays", () => {
  test("keys, tokens and idempotency keys from before, a snapshot, and a reset", async () => {
    const sandbox = open();
    const client = clientOf(sandbox);
    const token = await client.exchange();
    expect(await client.order(1)).toBe(201);
    const company = await sandbox.isolatedCompany();
    const own = clientOf(sandbox, company.apiKey);
    sandbox.snapshot("before");
    sandbox.control.tape.begin();
    expect([await client.order(1), await client.order(2)]).toEqual([201, 201]);
    expect((await client.request("GET", "/developer/cards")).status).toBe(200);
    const issued = await own.exchange();
    expect((await own.request("GET", "/developer/companies")).status).toBe(200);
    sandbox.restore("before");
    expect([await client.order(2), await client.order(1)]).toEqual([201, 201]);
    sandbox.reset();
    expect(await client.order(1)).toBe(401);
    await client.exchange();
    expect(await client.order(1)).toBe(201);
    const tape = await replayed(sandbox);
    expect(requestsOn(tape)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    for (const secret of [token, issued, company.apiKey, "7391"]) {
      expect(JSON.stringify(tape.events)).not.toContain(secret);
    }
    sandbox.close();
  });

  test("armed scenarios with steps already taken", async () => {
    const sandbox = open();
    const client = clientOf(sandbox);
    await client.exchange();
    sandbox.scenario("issuer-recovers");
    const chosen = { "Sandbox-Scenario": "issuer-recovers" };
    expect([await client.order(1), await client.order(2, chosen)]).toEqual([503, 503]);
    sandbox.control.tape.begin();
    expect([await client.order(1), await client.order(1)]).toEqual([503, 201]);
    expect([await client.order(2, chosen), await client.order(2, chosen)]).toEqual([503, 201]);
    await replayed(sandbox);
    sandbox.close();
  });

  test("an event that is sent again, and one that is due when the recording begins", async () => {
    const clock = new MovedClock();
    let status = 500;
    const sandbox = open({ deliver: async () => new Response(null, { status }) }, { clock });
    const client = clientOf(sandbox);
    await client.exchange();
    const webhook = { url: "http://localhost/hooks", events: ["card.created"] };
    expect((await client.request("POST", "/developer/webhooks", webhook)).status).toBe(201);
    await client.order(1);
    await clock.passUntil(sandbox.webhooks.settled());
    await clock.pass(2000);
    await client.order(2);
    sandbox.control.tape.begin();
    await clock.pass(1000);
    status = 204;
    await clock.pass(9000);
    const sent = sandbox.webhooks.deliveries();
    expect(sent.map(({ attempts }) => attempts.map((each) => each.response_status))).toEqual([
      [500, 204],
      [500, 204],
    ]);
    const { data } = (await (await client.request("GET", "/developer/webhooks")).json()) as {
      data: { id: string }[];
    };
    const path = `/developer/webhooks/${data[0]?.id}/deliveries`;
    expect((await client.request("GET", path)).status).toBe(200);
    const tape = await replayed(sandbox);
    expect(tape.events.filter((event) => event.do === "delivery")).toHaveLength(3);
    sandbox.close();
  });

  test("a request whose body was arriving", async () => {
    const sandbox = open();
    const client = clientOf(sandbox);
    await client.exchange();
    let end = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        end = () => {
          controller.enqueue(new TextEncoder().encode('{"api_key":"sk_sandbox_northwind_owner"}'));
          controller.close();
        };
      },
    });
    const url = "http://sandbox/auth/v1/sandbox/token";
    const request = new Request(url, { method: "POST", body, duplex: "half" } as RequestInit);
    const response = sandbox.fetch(request);
    sandbox.control.tape.begin();
    end();
    expect((await response).status).toBe(200);
    expect(requestsOn(await replayed(sandbox))).toEqual([2]);
    sandbox.close();
  });

  test("a database file with private secrets, also when it is opened again", async () => {
    const db = temporaryFile("a.db");
    const client = { token: "", status: 0 };
    const first = openSandbox({ db }, { privateSecrets: true });
    const before = clientOf(first);
    client.token = await before.exchange();
    await before.order(1);
    first.control.tape.begin();
    expect([await before.order(1), await before.order(2)]).toEqual([201, 201]);
    const { private_secret } = Object.fromEntries(
      decodeTape(Buffer.from(first.control.tape.file())).head.rows?.meta ?? [],
    );
    expect(private_secret).toBeUndefined();
    await replayed(first);
    first.close();
    const tape = temporaryFile("a.tape");
    const second = openSandbox({ db, tape }, { privateSecrets: true });
    const after = clientOf(second);
    expect(await after.order(1)).toBe(401);
    const issued = await after.exchange();
    expect([await after.order(1), await after.order(3)]).toEqual([201, 201]);
    const webhook = { url: "http://localhost/hooks", events: ["card.created"] };
    const created = await after.request("POST", "/developer/webhooks", webhook);
    const { secret } = (await created.json()) as { secret: string };
    second.reset();
    await after.exchange();
    expect(await after.order(1)).toBe(201);
    const text = JSON.stringify(await replayed(second));
    for (const each of [client.token, issued, secret]) expect(text).not.toContain(each);
    second.close();
  });
});

describe("the recording", () => {
  test("shows its state, and saves the tape up to a request", async () => {
    const sandbox = createSandbox({ clock: "2026-03-10T09:30:00Z" });
    const { tape } = sandbox.control;
    expect(tape.read()).toMatchObject({ recording: false, since: null, file: null });
    expect(() => tape.file()).toThrow("tape: nothing is recorded. Begin with POST /_sandbox/tape");
    expect(() => tape.end()).toThrow("tape: nothing is recorded");
    const client = clientOf(sandbox);
    await client.exchange();
    tape.begin();
    expect(() => tape.begin()).toThrow("has been recording since 2026-03-10T09:30:00.000Z");
    expect(() => tape.file("1")).toThrow('until: request "1" is not on the tape. The tape has none yet.');
    for (const n of [1, 2, 3]) await client.order(n);
    expect(() => tape.file("1")).toThrow("The tape has the requests 2 to 4.");
    expect(requestsOn(await replayed(sandbox, "3"))).toEqual([2, 3]);
    expect(tape.read()).toEqual({
      recording: true,
      since: "2026-03-10T09:30:00.000Z",
      requests: 3,
      first_request_id: "2",
      last_request_id: "4",
      bytes: expect.any(Number),
      file: null,
      problem: null,
    });
    tape.end();
    expect(tape.read()).toMatchObject({ recording: false, requests: 0 });
    sandbox.close();
  });

  test("does not begin while a scenario holds a request or a receiver has not responded", async () => {
    let respond = (_: Response) => {};
    let sent = 0;
    const deliver = () => {
      sent++;
      return new Promise<Response>((resolve) => {
        respond = resolve;
      });
    };
    const sandbox = open({ deliver });
    const client = clientOf(sandbox);
    await client.exchange();
    const armed = sandbox.scenario("in-flight");
    const held = client.order(1);
    await new Promise(setImmediate);
    expect(() => sandbox.control.tape.begin()).toThrow(
      "requests wait for a scenario (1) or webhook deliveries wait for a response (0)",
    );
    armed.release();
    expect(await held).toBe(201);
    const webhook = { url: "http://localhost/hooks", events: ["card.created"] };
    await client.request("POST", "/developer/webhooks", webhook);
    await client.order(2);
    const settled = sandbox.webhooks.settled();
    await vi.waitFor(() => expect(sent).toBe(1));
    expect(() => sandbox.control.tape.begin()).toThrow(
      "requests wait for a scenario (0) or webhook deliveries wait for a response (1)",
    );
    respond(new Response());
    await settled;
    sandbox.control.tape.begin();
    sandbox.close();
  });

  test("keeps the tape up to the size that memory may have", async () => {
    const clock = new MovedClock();
    const failures: string[] = [];
    const taping = new Taping(clock, openSandbox, {
      mostBytes: 5000,
      onFailure: (message) => void failures.push(message),
    });
    const sandbox = open({}, { clock: taping.recorder.clock, tap: taping.recorder, tapeRecorder: taping });
    const client = clientOf(sandbox);
    await client.exchange();
    sandbox.control.tape.begin();
    for (let n = 1; n <= 40; n++) await client.order(n);
    sandbox.control.tape.file();
    await client.order(41);
    const { recording, problem, last_request_id } = sandbox.control.tape.read();
    expect([recording, problem]).toEqual([false, expect.stringContaining("Use --tape FILE")]);
    expect(failures).toEqual([
      expect.stringContaining("tape: the recording has ended, because a tape in memory"),
    ]);
    expect(last_request_id).toBe("41");
    expect(requestsOn(await replayed(sandbox))).toHaveLength(40);
    sandbox.control.tape.begin();
    expect(sandbox.control.tape.read()).toMatchObject({ recording: true, problem: null, requests: 0 });
    sandbox.close();
  });
});
