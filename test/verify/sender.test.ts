import { describe, expect, test } from "vitest";
import { pathPattern, shapeOf } from "../../src/verify/evidence.ts";
import { CannotProbe } from "../../src/verify/probe.ts";
import { BudgetUsedUp, type Limits, Sender } from "../../src/verify/sender.ts";

/** A sender whose target gives these responses one after the other, and then 200; time passes only in pauses. */
function senderTo(responses: readonly Response[], limits: Partial<Limits> = {}) {
  const left = [...responses];
  const pauses: number[] = [];
  let nowMs = Date.UTC(2026, 2, 10);
  const pace = {
    now: () => nowMs,
    pause: async (ms: number) => {
      pauses.push(ms);
      nowMs += ms;
    },
  };
  const all = { budget: 10, perSecond: Number.POSITIVE_INFINITY, timeoutMs: 1000, ...limits };
  const sender = new Sender(
    async () => left.shift() ?? new Response("{}"),
    all,
    pace,
    () => {},
  );
  return { sender, pauses, get: () => sender.send({ method: "GET", path: "/developer/cards", headers: {} }) };
}

const limited = (headers: Record<string, string>) => new Response("", { status: 429, headers });

describe("a rate limit", () => {
  test.each<[string, Record<string, string>, number]>([
    ["seconds", { "Retry-After": "7" }, 7000],
    [
      "a date by the clock of the server",
      { "Retry-After": "Tue, 10 Mar 2026 01:00:05 GMT", Date: "Tue, 10 Mar 2026 01:00:00 GMT" },
      5000,
    ],
    ["a date by the own clock", { "Retry-After": "Tue, 10 Mar 2026 00:00:09 GMT" }, 9000],
    ["a date that has passed", { "Retry-After": "Mon, 09 Mar 2026 00:00:00 GMT" }, 0],
  ])("is waited for: %s", async (_form, headers, waitMs) => {
    const { get, pauses, sender } = senderTo([limited(headers)]);
    expect((await get()).status).toBe(200);
    expect(pauses).toEqual([waitMs]);
    expect(sender.used).toBe(2);
  });

  test.each([{}, { "Retry-After": "3600" }, { "Retry-After": "soon" }])("with %j is not", async (headers) => {
    const { get, pauses } = senderTo([limited(headers)]);
    await expect(get()).rejects.toThrow("the target limits the rate (429). Use a lower --rate.");
    expect(pauses).toEqual([]);
  });

  test("is waited for three times", async () => {
    const { get, pauses } = senderTo(Array.from({ length: 9 }, () => limited({ "Retry-After": "1" })));
    await expect(get()).rejects.toThrow(CannotProbe);
    expect(pauses).toEqual([1000, 1000, 1000]);
  });
});

test("requests keep their distance", async () => {
  const { get, pauses } = senderTo([], { perSecond: 2 });
  for (let n = 0; n < 3; n++) await get();
  expect(pauses).toEqual([500, 500]);
});

test("the budget includes repeated requests, and keeps what is reserved", async () => {
  const { get, sender } = senderTo([limited({ "Retry-After": "1" })], { budget: 4 });
  sender.reserved = 1;
  await get();
  await get();
  await expect(get()).rejects.toThrow(BudgetUsedUp);
  sender.reserved = 0;
  expect((await get()).status).toBe(200);
});

describe("evidence", () => {
  test.each([
    ["/developer/cards/virtual", "/developer/cards/virtual"],
    ["/developer/cards/3f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30/freeze", "/developer/cards/{id}/freeze"],
    ["/developer/cards?limit=1&tokens=123456789", "/developer/cards?limit&tokens"],
    ["/developer/3f9c24e8/sk_sandbox_a?sk_live_b=1", "/developer/…/…?…"],
  ])("shows the path %s as %s", (path, shown) => expect(pathPattern(path)).toBe(shown));

  test("shows names and types, and no value", () => {
    const json = {
      id: "a",
      "3f9c24e8-3b12": 1,
      sk_live_x: true,
      list: [{ n: 1 }, { n: null }, { n: 2 }],
      none: null,
    };
    expect(shapeOf(json)).toEqual({
      id: "string",
      "…": "boolean",
      list: [{ n: "number" }, { n: "null" }],
      none: "null",
    });
    expect(JSON.stringify(shapeOf(JSON.parse("[".repeat(5000) + "]".repeat(5000))))).toBe(
      '[[[[[[[["…"]]]]]]]]',
    );
  });
});
