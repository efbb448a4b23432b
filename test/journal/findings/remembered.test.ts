import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { defaultContract } from "../../../src/contract/dialect.ts";
import type { Exchange, Messages } from "../../../src/journal/exchange.ts";
import { Findings } from "../../../src/journal/findings/findings.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const mebibyte = 2 ** 20;

const findings = new Findings({
  requestOf: () => undefined,
  holderOf: () => undefined,
  generationOf: () => 0,
  armingsOf: () => 0,
  moment: () => ({ nowMs: 0, realMs: 0 }),
  onDefect: (defect) => {
    throw defect;
  },
});

const uuid = (n: number) => `7f9c24e8-3b12-4c6e-9d7a-${String(n).padStart(12, "0")}`;
const caller = { companyPk: 1, companyId: uuid(1), companySlug: "acme", memberPk: 1, apiKeyId: uuid(2) };

function record(n: number, messages: Messages, of: object): void {
  const shared = { method: "POST", query: "", responseHeaders: {}, caller: { ...caller } };
  const exchange = { ...shared, contract: defaultContract, atMs: n, startedMs: n, durationMs: 0, ...of };
  findings.record(exchange as unknown as Exchange, messages, n);
}

/** Long, and not part of any other text. */
const long = (n: number) => String(n).repeat(5000);

/** One of twenty clients exchanges its key three times, uses one token for one order, and drops all tokens. */
function order(n: number): void {
  const userAgent = { "User-Agent": `client ${n % 20}` };
  for (const token of [`unused-${n}`, `idle-${n}`, `used-${n}`]) {
    const messages = {
      requestHeaders: new Headers(userAgent),
      requestBody: `{"api_key":"sk_sandbox_acme_owner","note":"${long(n)}"}`,
      responseBody: `{"access_token":"${token}","expires_at":"2026-03-10T09:45:00.000Z","note":"${long(n)}"}`,
    };
    record(n, messages, {
      path: "/auth/v1/sandbox/token",
      operation: "exchangeSandboxKey",
      point: "token.issued",
      status: 200,
    });
  }
  const messages = {
    requestHeaders: new Headers({ ...userAgent, Authorization: `Bearer used-${n}` }),
    requestBody: `{"pin":"4821","name":"${long(n)}"}`,
    responseBody: `{"id":"${uuid(n + 500_000)}","note":"${long(n)}"}`,
  };
  record(n, messages, {
    path: "/developer/cards/physical",
    operation: "orderPhysicalCard",
    point: "order.created",
    status: 201,
    idempotencyKey: uuid(n),
  });
}

test("rules keep only a small part of each request, even if its bodies are long", () => {
  for (let n = 1000; n < 1064; n++) order(n);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 2000; n < 3000; n++) order(n);
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  expect(findings.report().findings.map(({ id }) => id)).toContain("AUTH-3");
  // Each request has eight bodies of 20 kB.
  expect(grown).toBeLessThan(10 * mebibyte);
});
