import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Choices } from "../../src/contract/behaviours.ts";
import { found } from "../support/found.ts";
import { openWebhooks, type Received } from "../support/open-webhooks.ts";

const now = "2026-03-10T09:30:00.000Z";
const atMs = Date.parse(now);

// Receivers hold the timestamp against real time, which here is the test clock's.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: atMs }));
afterEach(() => void vi.useRealTimers());

const inHex = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex");

/** Sends one test event, and returns it as the receiver gets it. */
async function testEvent(choices: Partial<Choices>, scenario?: "webhook-bad-signature" | "webhook-stale") {
  const { call, path, webhook, settled, received, scenario: arm } = await openWebhooks({ choices });
  if (scenario) arm(scenario, { operation: "testWebhook" });
  await call("POST", `${path}/test`);
  await settled();
  const [{ headers, text }] = received as [Received];
  return { headers, text, secret: webhook.secret as string };
}

describe("webhooks.signature: an event is signed as", () => {
  test("standard", async () => {
    const { headers, text, secret } = await testEvent({ "webhooks.signature": "standard" });
    expect(new Webhook(secret).verify(text, headers)).toBeTruthy();
  });

  test("stripe", async () => {
    const { headers, text, secret } = await testEvent({ "webhooks.signature": "stripe" });
    const seconds = atMs / 1000;
    expect(headers["webhook-signature"]).toBe(`t=${seconds},v1=${inHex(secret, `${seconds}.${text}`)}`);
    expect(headers).not.toHaveProperty("webhook-timestamp");
  });

  test("revolut", async () => {
    const { headers, text, secret } = await testEvent({ "webhooks.signature": "revolut" });
    expect(headers["webhook-timestamp"]).toBe(String(atMs));
    expect(headers["webhook-signature"]).toBe(`v1=${inHex(secret, `v1.${atMs}.${text}`)}`);
  });

  test.each(["stripe", "revolut"] as const)(
    "%s, with one signature for each valid secret",
    async (scheme) => {
      const { call, path, webhook, settled, received } = await openWebhooks({
        choices: { "webhooks.signature": scheme },
      });
      const { secret } = (await call("POST", `${path}/rotate-secret`)).json;
      await call("POST", `${path}/test`);
      await settled();
      const [{ headers, text }] = received as [Received];
      const signed = scheme === "stripe" ? `${atMs / 1000}.${text}` : `v1.${atMs}.${text}`;
      const both = [secret, webhook.secret].map((each) => `v1=${inHex(each, signed)}`).join(",");
      expect(headers["webhook-signature"]).toBe(scheme === "stripe" ? `t=${atMs / 1000},${both}` : both);
    },
  );

  test("stripe, with an old timestamp or a wrong secret if a scenario forces it", async () => {
    const stale = await testEvent({ "webhooks.signature": "stripe" }, "webhook-stale");
    expect(stale.headers["webhook-signature"]).toMatch(`t=${atMs / 1000 - 600},`);
    const { headers, text, secret } = await testEvent(
      { "webhooks.signature": "stripe" },
      "webhook-bad-signature",
    );
    expect(headers["webhook-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(headers["webhook-signature"]).not.toContain(inHex(secret, `${atMs / 1000}.${text}`));
  });
});

describe("webhooks.header_names: the headers of an event begin with", () => {
  test.each(["webhook", "svix", "x-webhook"] as const)("%s", async (prefix) => {
    const { headers, text, secret } = await testEvent({ "webhooks.header_names": prefix });
    const names = ["id", "timestamp", "signature"].map((name) => `${prefix}-${name}`);
    expect(Object.keys(headers).filter((name) => /-(id|timestamp|signature)$/.test(name))).toEqual(
      names.toSorted(),
    );
    const standard = Object.fromEntries(
      ["id", "timestamp", "signature"].map((name) => [`webhook-${name}`, headers[`${prefix}-${name}`] ?? ""]),
    );
    expect(new Webhook(secret).verify(text, standard)).toBeTruthy();
  });
});

describe("webhooks.retry_schedule: an event that is never accepted is sent again after", () => {
  test.each([
    ["standard", [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]],
    ["three", [600, 600, 600]],
    ["none", []],
  ] as const)("%s: %j s", async (schedule, delays) => {
    const { call, path, settled, received, answers, clock, database } = await openWebhooks({
      choices: { "webhooks.retry_schedule": schedule },
    });
    answers.push(...Array(11).fill(503));
    await call("POST", `${path}/test`);
    await settled();
    for (const [n, seconds] of delays.entries()) {
      await clock.advance({ by: `PT${seconds - 1}S` });
      await settled();
      expect(received).toHaveLength(n + 1);
      await clock.advance({ by: "PT1S" });
      await settled();
      expect(received).toHaveLength(n + 2);
    }
    expect(database.get("SELECT status FROM webhook_deliveries")).toEqual({ status: "failed" });
  });
});

describe("webhooks.order: while an earlier event is not accepted, later ones", () => {
  /** The receiver refuses the first of three events twice. */
  async function arrivals(order: Choices["webhooks.order"]) {
    const { call, path, settled, received, answers, clock } = await openWebhooks({
      choices: { "webhooks.order": order },
    });
    const ids: string[] = [];
    answers.push(503);
    for (let n = 0; n < 3; n++) ids.push((await call("POST", `${path}/test`)).json.id);
    await settled();
    const first = received.map(({ headers }) => ids.indexOf(headers["webhook-id"] ?? ""));
    await clock.advance({ by: "PT5S" });
    await settled();
    return [
      first,
      received.slice(first.length).map(({ headers }) => ids.indexOf(headers["webhook-id"] ?? "")),
    ];
  }

  test("arrive: unordered", async () => {
    expect(await arrivals("unordered")).toEqual([[0, 1, 2], [0]]);
  });

  test("wait: in_order", async () => {
    expect(await arrivals("in_order")).toEqual([[0], [0, 1, 2]]);
  });

  test("wait for its response: in_order", async () => {
    const { call, path, settled, received, answers } = await openWebhooks({
      choices: { "webhooks.order": "in_order" },
    });
    let resolve: (response: Response) => void = () => {};
    answers.push(
      () =>
        new Promise((accept) => {
          resolve = accept;
        }),
    );
    for (let n = 0; n < 3; n++) await call("POST", `${path}/test`);
    const over = settled();
    await vi.waitFor(() => expect(received).toHaveLength(1));
    resolve(new Response(null, { status: 204 }));
    await over;
    expect(received).toHaveLength(3);
  });

  test("do not wait for an event that a scenario holds back: in_order", async () => {
    const { order, settled, received, scenario } = await openWebhooks({
      choices: { "webhooks.order": "in_order" },
    });
    scenario("webhook-reordered", { times: 1 });
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) ids.push((await order()).json.id);
    await settled();
    expect(received.map(({ json }) => ids.indexOf(json.data.id))).toEqual([1, 0]);
  });

  test("are not delayed by another webhook: in_order", async () => {
    const { create, order, settled, received, answers } = await openWebhooks({
      choices: { "webhooks.order": "in_order" },
    });
    await create({ url: "http://localhost/second" });
    answers.push(503);
    await order();
    await order();
    await settled();
    expect(received.map(({ url }) => url).toSorted()).toEqual([
      "http://localhost/hooks",
      "http://localhost/second",
      "http://localhost/second",
    ]);
  });
});

describe("webhooks.accepted_statuses: a receiver that responds with 204", () => {
  const outcome = async (accepted: Choices["webhooks.accepted_statuses"], status: number) => {
    const { call, path, settled, answers, deliveries } = await openWebhooks({
      choices: { "webhooks.accepted_statuses": accepted },
    });
    answers.push(status);
    await call("POST", `${path}/test`);
    await settled();
    const [{ status: state, attempts }] = await deliveries();
    return [state, attempts[0].error];
  };

  test("accepts the event: 2xx", async () => {
    expect(await outcome("2xx", 204)).toEqual(["delivered", null]);
  });

  test("does not accept it: 200", async () => {
    expect(await outcome("200", 204)).toEqual([
      "pending",
      "receiver returned status 204, but only 200 is accepted",
    ]);
    expect(await outcome("200", 200)).toEqual(["delivered", null]);
  });

  test("HOOK-5 names the responses that are not accepted: 200", async () => {
    const client = await openWebhooks({ choices: { "webhooks.accepted_statuses": "200" } });
    for (let n = 0; n < 3; n++) await client.call("POST", `${client.path}/test`);
    await client.settled();
    expect(found(client, "northwind")).toEqual(["HOOK-5 warn"]);
    expect(client.findings().findings[0]?.occurrences[0]?.observed).toBe(
      "3 events in a row were not acknowledged: 2xx response other than 200",
    );
  });
});

describe("webhooks.gone: a receiver that responds with 410", () => {
  const states = async (gone: Choices["webhooks.gone"]) => {
    const { call, path, settled, answers, deliveries } = await openWebhooks({
      choices: { "webhooks.gone": gone },
    });
    answers.push(410);
    await call("POST", `${path}/test`);
    await settled();
    return [(await call("GET", path)).json.status, (await deliveries())[0].status];
  };

  test("disables the webhook: disables", async () => {
    expect(await states("disables")).toEqual(["disabled", "failed"]);
  });

  test("gets the event again: retries", async () => {
    expect(await states("retries")).toEqual(["active", "pending"]);
  });
});

describe("webhooks.timeout: a receiver may take", () => {
  test.each(["15", "5", "30"] as const)("%s s", async (seconds) => {
    const { call, path, settled, answers, clockOfTest, deliveries } = await openWebhooks({
      choices: { "webhooks.timeout": seconds },
    });
    const asked = new Promise<void>((resolve) => {
      answers.push(() => {
        resolve();
        return new Promise(() => {});
      });
    });
    await call("POST", `${path}/test`);
    const over = settled();
    await asked;
    expect(clockOfTest.waited).toContain(Number(seconds) * 1000);
    clockOfTest.endWaits();
    await over;
    expect((await deliveries())[0].attempts[0].error).toBe(`no response within ${seconds} s`);
  });

  test("5 s, and HOOK-5 reports receivers that need longer", async () => {
    const client = await openWebhooks({ choices: { "webhooks.timeout": "5" } });
    client.answers.push(...Array(3).fill(() => new Promise(() => {})));
    for (let n = 0; n < 3; n++) await client.call("POST", `${client.path}/test`);
    await client.settled();
    expect(found(client, "northwind")).toEqual(["HOOK-5 warn"]);
  });
});

describe("webhooks.secret_overlap: after a rotation, the earlier secret", () => {
  const signatures = async (overlap: Choices["webhooks.secret_overlap"], rotations: number) => {
    const { call, path, settled, received } = await openWebhooks({
      choices: { "webhooks.secret_overlap": overlap },
    });
    const statuses: number[] = [];
    for (let n = 0; n < rotations; n++) statuses.push((await call("POST", `${path}/rotate-secret`)).status);
    await call("POST", `${path}/test`);
    await settled();
    return [statuses.at(-1), received[0]?.headers["webhook-signature"]?.split(" ").length];
  };

  test("signs for 24 hours: 24h", async () => {
    expect(await signatures("24h", 1)).toEqual([200, 2]);
    expect(await signatures("24h", 10)).toEqual([409, 10]);
  });

  test("no longer signs: none", async () => {
    expect(await signatures("none", 1)).toEqual([200, 1]);
    expect(await signatures("none", 11)).toEqual([200, 1]);
  });
});

test("the deliveries to a company follow its own dialect", async () => {
  const { call, path, settled, received, request } = await openWebhooks();
  const replaced = await request("/_sandbox/dialect", {
    method: "PUT",
    body: JSON.stringify({
      company: "northwind",
      dialect: { "webhooks.header_names": "svix", "webhooks.action_status": "200" },
    }),
  });
  expect(replaced.status).toBe(200);
  expect((await call("POST", `${path}/test`)).status).toBe(200);
  await settled();
  expect(Object.keys(received[0]?.headers ?? {})).toContain("svix-signature");
});
