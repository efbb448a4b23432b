import { describe, expect, test } from "vitest";
import { openCompanies } from "../support/open-companies.ts";
import { openWebhooks } from "../support/open-webhooks.ts";

const hooks = "/developer/webhooks";
const nobody = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("a webhook", () => {
  test("is created with its secret, which no later response shows", async () => {
    const { webhook, call, path, exchanges, requests } = await openWebhooks();
    expect(webhook).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: "http://localhost/hooks",
      events: ["card.created"],
      status: "active",
      created_at: "2026-03-10T09:30:00.000Z",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...shown } = webhook;
    expect((await call("GET", path)).json).toEqual(shown);
    expect((await call("GET", hooks)).json).toEqual({ data: [shown], has_more: false, next_cursor: null });
    await call("POST", `${path}/test`, { note: `it was ${secret}` });
    expect(JSON.stringify(requests.list())).not.toContain(secret.slice("whsec_".length));
    expect(exchanges.length).toBeGreaterThan(3);
  });

  test("has its own id and secret, the same for the same seed", async () => {
    const [one, same, other] = [await openWebhooks(), await openWebhooks(), await openWebhooks({ seed: 2 })];
    expect(same.webhook).toEqual(one.webhook);
    expect(other.webhook.secret).not.toBe(one.webhook.secret);
    const second = (await one.create()).json;
    expect(second.id).not.toBe(one.webhook.id);
    expect(second.secret).not.toBe(one.webhook.secret);
  });

  test("can be changed, and absent fields stay; and deleted, with its deliveries", async () => {
    const { call, path, webhook, database } = await openWebhooks();
    const { secret, ...shown } = webhook;
    const url = "https://127.0.0.1:8443/hooks";
    expect((await call("PATCH", path, { url })).json).toEqual({ ...shown, url });
    const events = ["card.created", "card.replaced"];
    expect((await call("PATCH", path, { events: [...events, ...events] })).json.events).toEqual(events);
    expect((await call("PATCH", path, {})).json).toEqual({ ...shown, url, events });
    await call("POST", `${path}/test`);
    expect((await call("DELETE", path)).json).toEqual({ id: webhook.id, deleted: true });
    expect((await call("GET", path)).status).toBe(404);
    for (const table of ["webhooks", "webhook_deliveries", "webhook_attempts"]) {
      expect(database.all(`SELECT * FROM ${table}`)).toEqual([]);
    }
  });

  test("is limited to ten per company", async () => {
    const { create, call, path } = await openWebhooks();
    for (let n = 2; n <= 10; n++) expect((await create()).status).toBe(201);
    expect((await create()).point).toBe("webhooks.limit_reached");
    await call("DELETE", path);
    expect((await create()).status).toBe(201);
    const page = (await call("GET", `${hooks}?limit=4`)).json;
    const next = (await call("GET", `${hooks}?limit=100&cursor=${page.next_cursor}`)).json;
    expect([page.data.length, page.has_more, next.data.length, next.has_more]).toEqual([4, true, 6, false]);
  });

  test("is visible only to its company", async () => {
    const { call, path, exchange } = await openWebhooks();
    const theirs = await exchange("sk_sandbox_fullhouse_owner");
    for (const [method, rest] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/rotate-secret"],
      ["POST", "/test"],
      ["GET", "/deliveries"],
      ["POST", `/deliveries/${nobody}/resend`],
    ] as const) {
      const reply = await call(method, path + rest, method === "PATCH" ? {} : undefined, theirs);
      expect([reply.status, reply.point]).toEqual([404, "webhooks.not_found"]);
    }
    expect((await call("GET", hooks, undefined, theirs)).json.data).toEqual([]);
  });

  test.each(["employee", "accountant"] as const)("cannot be managed with the role %s", async (role) => {
    const { call, path, exchange, control } = await openWebhooks();
    control.companies.changeMember("northwind-employee", { role });
    const token = await exchange("sk_sandbox_northwind_employee");
    for (const [method, at] of [
      ["POST", hooks],
      ["GET", hooks],
      ["GET", path],
      ["PATCH", path],
      ["DELETE", path],
      ["POST", `${path}/rotate-secret`],
      ["POST", `${path}/test`],
      ["GET", `${path}/deliveries`],
      ["POST", `${path}/deliveries/${nobody}/resend`],
    ] as const) {
      const reply = await call(method, at, method === "GET" ? undefined : {}, token);
      expect([reply.status, reply.point]).toEqual([403, "access.forbidden"]);
    }
  });

  test("is refused if the company is not entitled to webhooks", async () => {
    const { make, get } = openCompanies();
    const company = await make({ entitlements: ["cards"] });
    const reply = await get(hooks, { apiKey: company.members[0]?.api_keys[0]?.secret ?? "" });
    expect([reply.status, reply.point]).toEqual([403, "access.not_entitled"]);
  });
});

describe("an invalid body is refused with an explanation", () => {
  test.each<[unknown, RegExp]>([
    ["{", /must be valid JSON/],
    [[], /^body: must be a JSON object/],
    [{ events: ["card.created"] }, /url: is required/],
    [{ url: "http://localhost/hooks" }, /events: is required/],
    [{ url: "http://localhost/hooks", events: [] }, /events: must have at least one event type/],
    [{ url: "http://localhost/hooks", events: ["card.made"] }, /events\.0: must be one of card\.created, /],
    [{ url: 7, events: "card.created" }, /url: .*; events: /],
    [{ url: "http://localhost/hooks", events: Array(30_000).fill(1) }, /^.{1,2000}; and 299[0-9]{2} more$/],
    [{ url: `http://localhost/${"a".repeat(2048)}`, events: ["card.created"] }, /at most 2048/],
  ])("$0: $1", async (body, message) => {
    const { call } = await openWebhooks();
    const reply = await call("POST", hooks, body);
    expect([reply.status, reply.point]).toEqual([400, "webhooks.body_invalid"]);
    expect(reply.json.error.message).toMatch(message);
  });

  test("an unknown status, and a body that is not declared as JSON", async () => {
    const { call, path, post, exchange } = await openWebhooks();
    expect((await call("PATCH", path, { status: "paused" })).json.error.message).toMatch(/active, disabled/);
    const token = await exchange("sk_sandbox_northwind_owner");
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "text/plain" };
    const reply = await post(hooks, { url: "http://localhost/hooks", events: ["card.created"] }, headers);
    expect(reply.point).toBe("webhooks.body_invalid");
    expect(reply.json.error.message).toMatch(/^Content-Type: must be application\/json/);
  });
});

describe("events go to this machine, and to other hosts only if they are allowed by name", () => {
  const refused = async (url: string, allowWebhookHosts?: readonly string[]) => {
    const { create } = await openWebhooks(allowWebhookHosts ? { allowWebhookHosts } : {});
    const reply = await create({ url });
    return reply.status === 201 ? "taken" : reply.point;
  };

  test.each([
    "http://localhost/hooks",
    "http://LOCALHOST:3000",
    "https://localhost:8443/hooks",
    "http://127.0.0.1:3000/hooks?a=b",
    "http://127.1.2.3/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::1]:3000/",
  ])("accepts the loopback host of %s", async (url) => expect(await refused(url)).toBe("taken"));

  test.each([
    "https://example.com/hooks",
    "https://localhost.evil.com/",
    "https://evil.localhost/",
    "https://localhost./",
    "https://127.0.0.1.nip.io/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://0.0.0.0/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fd00::1]/",
  ])("refuses %s", async (url) => expect(await refused(url)).toBe("webhooks.url_not_allowed"));

  test.each([
    "hooks",
    "/hooks",
    "ftp://localhost/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://example.com/hooks",
    "http://localhost.evil.com/",
    "http://localhost@evil.com/",
    "https://user:secret@localhost/",
    "https://localhost:99999/",
  ])("refuses the URL %s", async (url) => expect(await refused(url)).toBe("webhooks.url_invalid"));

  test("an allowed host, with or without its port, and no other", async () => {
    const hosts = ["Hooks.Example.com", "b.example.com:8443"];
    expect(await refused("https://hooks.example.com:444/a", hosts)).toBe("taken");
    expect(await refused("https://b.example.com:8443/a", hosts)).toBe("taken");
    expect(await refused("https://b.example.com/a", hosts)).toBe("webhooks.url_not_allowed");
    expect(await refused("https://evil.hooks.example.com/", hosts)).toBe("webhooks.url_not_allowed");
    expect(await refused("http://hooks.example.com/", hosts)).toBe("webhooks.url_invalid");
  });

  test("the error names the option; changes and stored webhooks are checked too", async () => {
    const { create, call, path, database, received, settled, deliveries } = await openWebhooks();
    const url = "https://example.com/hooks";
    expect((await create({ url })).json.error.message).toBe(
      "url: example.com is not an allowed webhook host. To allow it, start the sandbox with --allow-webhook-hosts example.com.",
    );
    expect((await call("PATCH", path, { url })).point).toBe("webhooks.url_not_allowed");
    database.run("UPDATE webhooks SET url = ?", url);
    await call("POST", `${path}/test`);
    await settled();
    expect(received).toEqual([]);
    expect((await deliveries())[0].attempts[0].error).toMatch(/^not sent: .*--allow-webhook-hosts/);
  });
});

test("about the latest 1,000 ended deliveries of a webhook are kept, and all pending ones", async () => {
  const { call, path, create, answers, settled, database, webhooks } = await openWebhooks();
  const count = (query: string) => database.get<{ n: number }>(`SELECT count(*) AS n FROM ${query}`)?.n;
  const testIt = async (webhook = path) => (await call("POST", `${webhook}/test`)).json.id;
  answers.push(503);
  const waiting = await testIt();
  await settled();
  const first = await testIt();
  const other = `/developer/webhooks/${(await create()).json.id}`;
  const apart = await testIt(other);
  for (let n = 0; n < 1100; n++) {
    await testIt();
    if (n % 100 === 99) await settled();
  }
  const over = count("webhook_deliveries WHERE status <> 'pending'") ?? 0;
  expect(over).toBeGreaterThanOrEqual(1001);
  expect(over).toBeLessThanOrEqual(1001 + 64);
  expect(count("webhook_attempts")).toBe(over + 1);
  expect((await call("POST", `${path}/deliveries/${first}/resend`)).point).toBe(
    "webhooks.delivery_not_found",
  );
  expect((await call("POST", `${other}/deliveries/${apart}/resend`)).point).toBe("webhooks.delivery_resent");
  expect((await call("POST", `${path}/deliveries/${waiting}/resend`)).point).toBe("webhooks.delivery_resent");
  await settled();
  expect(webhooks.deliveries()).toHaveLength(1000);
});
