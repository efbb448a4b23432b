import { expect, test } from "vitest";
import { defaultContract } from "../../../src/contract/dialect.ts";
import type { Exchange, Messages } from "../../../src/journal/exchange.ts";
import { Findings } from "../../../src/journal/findings/findings.ts";

const uuid = (n: number) => `7f9c24e8-3b12-4c6e-9d7a-${String(n).padStart(12, "0")}`;
const caller = { companyPk: 1, companyId: uuid(1), companySlug: "acme", memberPk: 1, apiKeyId: uuid(2) };

/** A client that repeats an order every 50 ms. */
function openOrders() {
  let now = 0;
  let requests = 0;
  const findings = new Findings({
    requestOf: () => undefined,
    holderOf: () => undefined,
    generationOf: () => 0,
    armingsOf: () => 0,
    moment: () => ({ nowMs: now, realMs: now }),
    onDefect: (defect) => {
      throw defect;
    },
  });
  const order = (key: number, status: 201 | 503, token = "first") => {
    now += 50;
    const exchange = {
      method: "POST",
      path: "/developer/cards/physical",
      query: "",
      operation: "orderPhysicalCard",
      idempotencyKey: uuid(key),
      caller,
      contract: defaultContract,
      point: status === 201 ? "order.created" : "order.issuer_unavailable",
      status,
      responseHeaders: {},
      atMs: now,
      startedMs: now,
      durationMs: 1,
    };
    const messages: Messages = {
      requestHeaders: new Headers({ "User-Agent": "shop", Authorization: `Bearer ${token}` }),
      requestBody: JSON.stringify({ pin: "4821", name: `card ${key}x` }),
      responseBody: "{}",
    };
    findings.record(exchange as unknown as Exchange, messages, ++requests);
  };
  return { order, found: () => findings.report({ final: true }).findings.map(({ id }) => id) };
}

test.each(["first", "second"])(
  "reports nothing if an order is retried with its key after six thousand others, with the %s token",
  (token) => {
    const { order, found } = openOrders();
    order(0, 503);
    for (let n = 1; n <= 6000; n++) order(n, 201);
    expect(found()).toContain("IDEM-5");
    order(0, 201, token);
    expect(found()).toEqual([]);
  },
);

test("reports an order that is retried at a fixed interval while thousands of others fail", () => {
  const { order, found } = openOrders();
  for (let n = 1; n <= 2100; n++) {
    if (n % 7 === 1) order(0, 503);
    order(n, 503);
  }
  expect(found()).toContain("RETRY-1");
});
