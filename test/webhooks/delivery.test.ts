import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { openOnTestTimers } from "../support/open-on-test-timers.ts";
import { cardOf } from "../support/open-sandbox.ts";
import { openWebhooks, type Received } from "../support/open-webhooks.ts";
import { physicalOrder } from "../support/physical-order.ts";

const now = "2026-03-10T09:30:00.000Z";

// Receivers hold the timestamp against real time, which here is the test clock's.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(now) }));
afterEach(() => void vi.useRealTimers());

const verify = (secret: string, { text, headers }: Received) => new Webhook(secret).verify(text, headers);
const refuses = (secret: string, message: Received) => expect(() => verify(secret, message)).toThrow();

describe("an event", () => {
  test("is sent with the whole object, signed so that Standard Webhooks verifies it", async () => {
    const { order, settled, received, webhook } = await openWebhooks();
    const card = cardOf(await order());
    await settled();
    const [message] = received as [Received];
    expect(message.url).toBe("http://localhost/hooks");
    expect(verify(webhook.secret, message)).toEqual({ type: "card.created", timestamp: now, data: card });
    expect(message.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "card-sandbox/0.0.0-test",
      "webhook-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "webhook-timestamp": String(Date.parse(now) / 1000),
      "webhook-signature": expect.stringMatching(/^v1,\S+$/),
    });
    refuses(webhook.secret, { ...message, text: message.text.replace("active", "frozen") });
  });

  test("goes to each active webhook that subscribes to it, each under an id of its own", async () => {
    const { create, call, order, settled, received } = await openWebhooks();
    await create({ url: "http://localhost/second" });
    await create({ url: "http://localhost/other", events: ["card.replaced"] });
    const disabled = (await create({ url: "http://localhost/disabled" })).json;
    await call("PATCH", `/developer/webhooks/${disabled.id}`, { status: "disabled" });
    await order();
    await settled();
    expect(received.map(({ url }) => url)).toEqual(["http://localhost/hooks", "http://localhost/second"]);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
  });

  test("is sent once for an order that is replayed, and never for one that is refused", async () => {
    const { order, settled, received, database } = await openWebhooks();
    const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
    await order({ key });
    await order({ key });
    await order({ body: { pin: "1" } });
    await order({ headers: { "Sandbox-Scenario": "issuer-unavailable" } });
    await order({ apiKey: "sk_sandbox_fullhouse_owner" });
    await settled();
    expect(received).toHaveLength(1);
    expect(database.all("SELECT * FROM webhook_deliveries")).toHaveLength(1);
  });

  test("of another company is not sent", async () => {
    const { order, settled, received, account } = await openWebhooks();
    const body = { account_id: account("northwind", "gbp", "live").id };
    cardOf(await order({ apiKey: "sk_live_northwind_owner", body }));
    await settled();
    expect(received).toEqual([]);
  });

  test("carries the company's time, and a timestamp that is real", async () => {
    const { order, settled, received, clock, webhook } = await openWebhooks();
    await clock.advance({ by: "PT10M", company: "northwind" });
    await clock.advance({ by: "PT20M" });
    await order();
    await settled();
    const [message] = received as [Received];
    expect(message.json.timestamp).toBe("2026-03-10T10:00:00.000Z");
    verify(webhook.secret, message);
  });

  test("is sent without a request, soon after the response", async () => {
    const { order, received } = await openWebhooks();
    await order();
    await vi.waitFor(() => expect(received).toHaveLength(1));
  });
});

describe("a secret that was rotated", () => {
  test("stays valid for 24 hours by the sandbox's clock", async () => {
    const { call, path, settled, received, webhook, clock, exchange } = await openWebhooks();
    const rotated = (await call("POST", `${path}/rotate-secret`)).json;
    const { secret: _, ...shown } = webhook;
    expect(rotated).toEqual({ ...shown, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated.secret).not.toBe(webhook.secret);
    const sent = async () => {
      const token = await exchange("sk_sandbox_northwind_owner");
      await call("POST", `${path}/test`, undefined, token);
      await settled();
      return received.at(-1) as Received;
    };
    await clock.advance({ by: "PT23H59M", company: "northwind" });
    const meanwhile = await sent();
    expect(meanwhile.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    verify(webhook.secret, meanwhile);
    verify(rotated.secret, meanwhile);
    await clock.advance({ by: "PT1M", company: "northwind" });
    const later = await sent();
    refuses(webhook.secret, later);
    verify(rotated.secret, later);
  });
});

describe("secrets rotated again within 24 hours", () => {
  test("each stay valid until 24 hours after their own rotation", async () => {
    const { call, path, settled, received, webhook, clock, exchange } = await openWebhooks();
    const secrets: string[] = [webhook.secret];
    for (let n = 0; n < 2; n++) {
      await clock.advance({ by: "PT1H", company: "northwind" });
      const token = await exchange("sk_sandbox_northwind_owner");
      secrets.push((await call("POST", `${path}/rotate-secret`, undefined, token)).json.secret);
    }
    const signing = async () => {
      const token = await exchange("sk_sandbox_northwind_owner");
      await call("POST", `${path}/test`, undefined, token);
      await settled();
      const message = received.at(-1) as Received;
      expect(message.headers["webhook-signature"]).toMatch(/^v1,\S+( v1,\S+)*$/);
      return secrets.filter((secret) => {
        try {
          verify(secret, message);
          return true;
        } catch {
          return false;
        }
      });
    };
    expect(await signing()).toEqual(secrets);
    await clock.advance({ by: "PT22H59M", company: "northwind" });
    expect(await signing()).toEqual(secrets);
    await clock.advance({ by: "PT1M", company: "northwind" });
    expect(await signing()).toEqual(secrets.slice(1));
    await clock.advance({ by: "PT1H" });
    expect(await signing()).toEqual(secrets.slice(2));
  });

  test("are at most ten; another rotation is refused until the oldest expires", async () => {
    const { call, path, webhook, clock, exchange } = await openWebhooks();
    const secrets = new Set<string>([webhook.secret]);
    for (let n = 2; n <= 10; n++) secrets.add((await call("POST", `${path}/rotate-secret`)).json.secret);
    expect(secrets.size).toBe(10);
    const refused = await call("POST", `${path}/rotate-secret`);
    expect([refused.status, refused.point]).toEqual([409, "webhooks.rotation_limit_reached"]);
    expect(refused.json.error.message).toContain("2026-03-11T09:30:00.000Z");
    await clock.advance({ by: "P1D" });
    const token = await exchange("sk_sandbox_northwind_owner");
    expect((await call("POST", `${path}/rotate-secret`, undefined, token)).status).toBe(200);
  });
});

describe("10,000 pending deliveries to a webhook", () => {
  const open = async () => {
    const hooks = await openWebhooks();
    const { database } = hooks;
    const fill = () => database.run("UPDATE webhooks SET pending_deliveries = pending_deliveries + 10000");
    const pending = () => database.get("SELECT pending_deliveries AS pending FROM webhooks");
    return { ...hooks, fill, pending };
  };

  test("are the limit: the next event is recorded as failed, with the reason, and the order succeeds", async () => {
    const { order, settled, received, deliveries, fill, pending } = await open();
    fill();
    cardOf(await order());
    await settled();
    expect(received).toEqual([]);
    expect(await deliveries()).toMatchObject([
      {
        event: "card.created",
        status: "failed",
        next_attempt_at: null,
        attempts: [
          {
            outcome: "failure",
            response_status: null,
            error: expect.stringMatching(/^not sent: 10000 deliveries to this webhook are already pending/),
          },
        ],
      },
    ]);
    expect(pending()).toEqual({ pending: 10_000 });
  });

  test("refuse a test event and a resend with 409, but not a resend of a pending delivery", async () => {
    const { order, call, path, settled, answers, deliveries, fill } = await open();
    await order();
    await settled();
    answers.push(503);
    await order();
    await settled();
    fill();
    const [waiting, over] = await deliveries();
    expect((await call("POST", `${path}/test`)).point).toBe("webhooks.backlog_full");
    expect((await call("POST", `${path}/deliveries/${over.id}/resend`)).point).toBe("webhooks.backlog_full");
    expect((await call("POST", `${path}/deliveries/${waiting.id}/resend`)).status).toBe(202);
  });

  test("decrease when deliveries finish, and increase when they are resent", async () => {
    const { order, call, path, settled, answers, deliveries, pending, clock } = await open();
    answers.push(503, 204, 410);
    await order();
    expect(pending()).toEqual({ pending: 1 });
    await settled();
    expect(pending()).toEqual({ pending: 1 });
    await clock.advance({ by: "PT5S" });
    await settled();
    expect(pending()).toEqual({ pending: 0 });
    const [{ id }] = await deliveries();
    await call("POST", `${path}/deliveries/${id}/resend`);
    await call("POST", `${path}/deliveries/${id}/resend`);
    expect(pending()).toEqual({ pending: 1 });
    await settled();
    expect(pending()).toEqual({ pending: 0 });
  });

  test("keep at most a thousand failed deliveries of further events", async () => {
    const { call, path, database, fill, control, order } = await open();
    const card = cardOf(await order());
    fill();
    await call("PATCH", path, { events: ["card.delivery_updated", "card.status_changed"] });
    const { n } = database.get<{ n: number }>("SELECT count(*) AS n FROM webhook_deliveries") ?? { n: 0 };
    for (let k = 0; k < 520; k++) {
      control.cards.operate(card.id, { action: "suspend" });
      control.cards.operate(card.id, { action: "lift" });
    }
    expect(database.get("SELECT count(*) AS n FROM webhook_deliveries")).toEqual({ n: n + 1000 });
  });
});

describe("a delivery that fails", () => {
  const delays = ["PT5S", "PT5M", "PT30M", "PT2H", "PT5H", "PT10H", "PT14H", "PT20H", "PT24H"];

  test("is attempted exactly ten times, each when it is due by the company's clock", async () => {
    const { order, settled, received, answers, clock, webhooks } = await openWebhooks();
    answers.push(...Array.from({ length: 20 }, () => 500));
    await order();
    await settled();
    for (const [n, by] of delays.entries()) {
      await settled();
      expect(received).toHaveLength(n + 1);
      // Northwind runs ahead alone, or all together.
      await clock.advance(n % 2 === 0 ? { by, company: "northwind" } : { by });
      await settled();
    }
    expect(received).toHaveLength(10);
    await clock.advance({ by: "P1Y" });
    await settled();
    expect(received).toHaveLength(10);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(received.map(({ text }) => text)).size).toBe(1);
    const [delivery] = webhooks.deliveries({ company: "northwind" });
    expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
    expect(delivery?.attempts).toHaveLength(10);
  });

  test("is not retried before it is due", async () => {
    const { order, settled, received, answers, clock, deliveries } = await openWebhooks();
    answers.push(503);
    await order();
    await settled();
    await clock.advance({ by: "PT4S" });
    await settled();
    expect(received).toHaveLength(1);
    expect((await deliveries())[0]).toMatchObject({
      event: "card.created",
      status: "pending",
      next_attempt_at: "2026-03-10T09:30:05.000Z",
      attempts: [
        { at: now, outcome: "failure", response_status: 503, error: "receiver returned status 503" },
      ],
    });
    await clock.advance({ by: "PT1S" });
    await settled();
    expect((await deliveries())[0]).toMatchObject({
      status: "delivered",
      next_attempt_at: null,
      attempts: [
        {},
        { at: "2026-03-10T09:30:05.000Z", outcome: "success", response_status: 204, error: null },
      ],
    });
    expect(received).toHaveLength(2);
  });

  test.each<[string, (init: RequestInit) => Promise<Response>, object]>([
    [
      "a redirect, which is not followed",
      async ({ redirect }) =>
        new Response(null, {
          status: redirect === "manual" ? 307 : 200,
          headers: { Location: "http://10.0.0.1/" },
        }),
      { response_status: 307, error: "redirects are not followed" },
    ],
    ["a client error", async () => new Response("no", { status: 404 }), { response_status: 404 }],
    [
      "a connection that is refused",
      async () => {
        throw new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) });
      },
      { response_status: null, error: "fetch failed: ECONNREFUSED" },
    ],
    ["an answer that is none", async () => undefined as unknown as Response, { response_status: null }],
  ])("by %s is retried", async (_what, answer, attempt) => {
    const { call, path, settled, received, answers, clock, deliveries } = await openWebhooks();
    answers.push(answer);
    await call("POST", `${path}/test`);
    await settled();
    expect((await deliveries())[0].attempts).toEqual([
      expect.objectContaining({ outcome: "failure", ...attempt }),
    ]);
    await clock.advance({ by: "PT5S" });
    await settled();
    expect(received).toHaveLength(2);
    expect((await deliveries())[0].status).toBe("delivered");
  });

  test("without a response ends after 15 s, even if the receiver ignores the signal", async () => {
    const { call, path, settled, answers, clockOfTest, deliveries } = await openWebhooks();
    const asked = new Promise<AbortSignal | null | undefined>((resolve) => {
      answers.push(({ signal }) => {
        resolve(signal);
        return new Promise(() => {});
      });
    });
    await call("POST", `${path}/test`);
    const over = settled();
    const signal = await asked;
    expect(clockOfTest.waits).toContain(15_000);
    clockOfTest.endWaits();
    await over;
    expect(signal?.aborted).toBe(true);
    expect((await deliveries())[0].attempts[0]).toMatchObject({
      response_status: null,
      error: "no response within 15 s",
    });
  });

  test("with 410 disables the webhook, and pending deliveries wait until it is active again", async () => {
    const { call, order, path, settled, received, answers, deliveries, clock } = await openWebhooks();
    answers.push(503, 410);
    await order();
    await settled();
    await order();
    await settled();
    expect((await call("GET", path)).json.status).toBe("disabled");
    await order();
    await clock.advance({ by: "PT10M" });
    await settled();
    expect(received).toHaveLength(2);
    expect((await deliveries()).map(({ status }: { status: string }) => status)).toEqual([
      "failed",
      "pending",
    ]);
    expect((await call("POST", `${path}/test`)).point).toBe("webhooks.disabled");
    await call("PATCH", path, { status: "active" });
    await settled();
    expect(received).toHaveLength(3);
  });
});

describe("a delivery that is resent", () => {
  test("is sent again with the same id and all retries", async () => {
    const { call, order, path, settled, received, answers, deliveries, clock } = await openWebhooks();
    await order();
    await settled();
    const [{ id }] = await deliveries();
    answers.push(500);
    const resent = await call("POST", `${path}/deliveries/${id}/resend`);
    expect(resent.json).toMatchObject({ id, status: "pending", next_attempt_at: now });
    await settled();
    await clock.advance({ by: "PT5S" });
    await settled();
    expect(received.map(({ headers }) => headers["webhook-id"])).toEqual([id, id, id]);
    expect((await deliveries())[0].status).toBe("delivered");
  });

  test("while an attempt is in progress is sent again after it", async () => {
    const { call, path, settled, received, answers, deliveries } = await openWebhooks();
    let answer = (_: Response) => {};
    const attempted = new Promise<void>((begun) => {
      answers.push(
        () =>
          new Promise((resolve) => {
            answer = resolve;
            begun();
          }),
      );
    });
    const { id } = (await call("POST", `${path}/test`)).json;
    const over = settled();
    await attempted;
    await call("POST", `${path}/deliveries/${id}/resend`);
    answer(new Response(null, { status: 200 }));
    await over;
    expect(received).toHaveLength(2);
    expect((await deliveries())[0]).toMatchObject({ status: "delivered", attempts: [{}, {}] });
  });
});

describe("an order", () => {
  test("neither waits for a receiver nor fails with it", async () => {
    const { order, settled, answers } = await openWebhooks();
    const asked = new Promise<void>((resolve) => {
      const silent = () => {
        resolve();
        return new Promise<Response>(() => {});
      };
      answers.push(
        () => {
          throw new Error("broken on purpose");
        },
        ...Array.from({ length: 8 }, () => silent),
      );
    });
    for (let n = 0; n < 5; n++) expect((await order()).status).toBe(201);
    void settled();
    await asked;
    expect((await order()).status).toBe(201);
  });

  test("that fails while the event is stored leaves neither card nor event", async () => {
    const { order, settled, received, database, company } = await openWebhooks();
    const { live_cards } = company("northwind");
    database.exec("ALTER TABLE webhook_deliveries RENAME TO mislaid");
    expect((await order()).status).toBe(500);
    database.exec("ALTER TABLE mislaid RENAME TO webhook_deliveries");
    await settled();
    expect(company("northwind").live_cards).toBe(live_cards);
    expect(received).toEqual([]);
  });
});

describe("a receiver that hangs", () => {
  test("delays no other receiver, and gets only a few concurrent requests", async () => {
    const { create, order, settled, received, answers } = await openWebhooks();
    await create({ url: "http://localhost/second" });
    answers.push(
      ...Array.from({ length: 12 }, (_, n) => (n % 2 ? 204 : () => new Promise<Response>(() => {}))),
    );
    for (let n = 0; n < 6; n++) {
      await order();
      void settled();
    }
    await vi.waitFor(() => expect(received.filter(({ url }) => url.endsWith("second"))).toHaveLength(6));
    expect(received.filter(({ url }) => url.endsWith("hooks"))).toHaveLength(4);
  });
});

describe("an outcome that cannot be stored", () => {
  test("is reported once, sent only once, and stored as soon as storing succeeds", async () => {
    const defects: unknown[] = [];
    const { call, path, settled, received, database } = await openWebhooks({
      observe: ({ defect }) => {
        if (!defect) return;
        defects.push(defect);
        throw new Error("the observer is broken too");
      },
    });
    await call("POST", `${path}/test`);
    database.exec("ALTER TABLE webhook_attempts RENAME TO mislaid");
    await settled();
    await settled();
    expect([received.length, defects.length]).toEqual([1, 1]);
    database.exec("ALTER TABLE mislaid RENAME TO webhook_attempts");
    await call("POST", `${path}/test`);
    await settled();
    expect(received).toHaveLength(2);
    expect(database.all("SELECT status FROM webhook_deliveries")).toEqual([
      { status: "delivered" },
      { status: "delivered" },
    ]);
  });
});

describe("a delivery of a replaced world is dropped", () => {
  test.each<[string, (sandbox: Awaited<ReturnType<typeof openWebhooks>>) => void]>([
    ["a reset", ({ reset }) => reset()],
    ["the company's reset", ({ reset }) => reset("northwind")],
    ["a restore", ({ restore }) => restore("before")],
    ["the company's deletion", ({ control }) => control.companies.delete("northwind")],
  ])("by %s", async (_what, end) => {
    const sandbox = await openWebhooks();
    const { call, path, settled, received, answers, database } = sandbox;
    await call("DELETE", path);
    sandbox.snapshot("before");
    const again = (await sandbox.create()).json;
    const signals: (AbortSignal | null | undefined)[] = [];
    answers.push(503, ({ signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    await sandbox.order();
    await settled();
    await call("POST", `/developer/webhooks/${again.id}/test`);
    const over = settled();
    await vi.waitFor(() => expect(received).toHaveLength(2));
    end(sandbox);
    await over;
    expect(signals[0]?.aborted).toBe(true);
    await sandbox.clock.advance({ by: "P1D" });
    await settled();
    expect(received).toHaveLength(2);
    for (const table of ["webhooks", "webhook_deliveries", "webhook_attempts"]) {
      expect(database.all(`SELECT * FROM ${table}`)).toEqual([]);
    }
    expect(database.all("PRAGMA foreign_key_check")).toEqual([]);
  });

  test("and a pending delivery of a snapshot is sent when the snapshot is restored", async () => {
    const { order, settled, received, answers, snapshot, restore, clock } = await openWebhooks();
    answers.push(503);
    await order();
    await settled();
    snapshot("waiting");
    await clock.advance({ by: "PT5S" });
    await settled();
    restore("waiting");
    await settled();
    expect(received).toHaveLength(2);
    await clock.advance({ by: "PT5S" });
    await settled();
    expect(received).toHaveLength(3);
  });
});

describe("in a separate process", () => {
  const order = async (sandbox: ReturnType<typeof createSandbox>) => {
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      sandbox.fetch(`http://sandbox${path}`, { method: "POST", body: JSON.stringify(body), headers });
    const exchanged = await post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
    const { access_token } = (await exchanged.json()) as { access_token: string };
    const headers = { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" };
    const url = "http://localhost:9/hooks";
    await post("/developer/webhooks", { url, events: ["card.created"] }, headers);
    const body = physicalOrder(sandbox.world().companies[0]?.accounts[0]?.id);
    return post("/developer/cards/physical", body, {
      ...headers,
      "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
    });
  };

  test("an event that was committed before the sandbox ended is delivered by the next start", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    const told: string[] = [];
    const deliver = async (_url: string, { body }: RequestInit) => {
      told.push(String(body));
      return new Response();
    };
    const first = createSandbox({ db, deliver });
    expect((await order(first)).status).toBe(201);
    first.close();
    expect(told).toEqual([]);
    const second = createSandbox({ db, deliver });
    await vi.waitFor(() => expect(told).toHaveLength(1));
    await second.webhooks.settled();
    expect(second.webhooks.deliveries()[0]?.status).toBe("delivered");
    second.close();
    const third = createSandbox({ db, deliver });
    await third.webhooks.settled();
    expect(told).toHaveLength(1);
    third.close();
  });

  test("a retry is sent when it is due on a running clock, however far the company is ahead", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.parse(now) });
    let attempts = 0;
    const deliver = async () => new Response(null, { status: ++attempts < 3 ? 500 : 200 });
    const sandbox = openOnTestTimers({ deliver });
    await sandbox.clock.advance({ by: "P1D", company: "northwind" });
    await order(sandbox);
    await vi.advanceTimersByTimeAsync(4999);
    expect(attempts).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(attempts).toBe(2);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(attempts).toBe(3);
    expect(sandbox.webhooks.deliveries()[0]?.status).toBe("delivered");
    sandbox.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a frozen clock delivers what is due now, and nothing else", async () => {
    let attempts = 0;
    const deliver = async () => new Response(null, { status: attempts++ === 0 ? 500 : 200 });
    const sandbox = createSandbox({ clock: now, deliver });
    await order(sandbox);
    await sandbox.webhooks.settled();
    await sandbox.webhooks.settled();
    expect(attempts).toBe(1);
    await sandbox.clock.advance({ by: "PT5S" });
    await vi.waitFor(() => expect(attempts).toBe(2));
    sandbox.close();
  });

  test("the control API lists deliveries of a company or of all, without a secret", async () => {
    const sandbox = createSandbox({ deliver: async () => new Response() });
    await order(sandbox);
    await sandbox.webhooks.settled();
    const get = async (query: string) => {
      const response = await sandbox.fetch(`http://sandbox/_sandbox/webhooks/deliveries${query}`);
      return { status: response.status, text: await response.text() };
    };
    const all = await get("");
    expect(JSON.parse(all.text)).toEqual({ deliveries: sandbox.webhooks.deliveries() });
    expect(all.text).not.toContain("whsec_");
    expect((await get("?company=northwind")).text).toBe(all.text);
    expect(JSON.parse((await get("?company=fullhouse")).text)).toEqual({ deliveries: [] });
    expect([(await get("?company=nobody")).status, (await get("?companies=a")).status]).toEqual([404, 400]);
    sandbox.close();
  });

  test("a closed sandbox sends nothing more", async () => {
    let attempts = 0;
    const sandbox = createSandbox({
      deliver: async () => {
        attempts++;
        return new Response(null, { status: 500 });
      },
    });
    await order(sandbox);
    sandbox.close();
    await new Promise(setImmediate);
    expect(attempts).toBe(0);
  });
});
