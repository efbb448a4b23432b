import { describe, expect, test } from "vitest";
import { openSandbox } from "../support/open-sandbox.ts";

const key = "3f0c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const otherKeys = ["7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30", "8f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30"] as const;

/** A sandbox that was sent: an exchange, an order, its replay, a refused one, a lost one, and an unknown path. */
async function withRequests() {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  await sandbox.order({ token, key, body: { name: "Team travel", pin: "7359" } });
  await sandbox.order({ token, key, body: { name: "Team travel", pin: "7359" } });
  await sandbox.order({ token, key: otherKeys[0], body: { name: 'A "big" one', pin: 4821 } });
  await sandbox
    .order({ token, key: otherKeys[1], headers: { "Sandbox-Scenario": "lost-response" } })
    .catch(() => {});
  await sandbox.request("/nothing/Here?page=2");
  const ids = (search: string) =>
    sandbox.requests
      .list({ search })
      .requests.map(({ id }) => id)
      .join(" ");
  return { ...sandbox, token, ids };
}

describe("a search finds requests by", () => {
  test.each([
    ["", "6 5 4 3 2 1"],
    ["status:201", "3 2"],
    ["status:4xx", "6 4"],
    ["status:lost", "5"],
    ["company:northwind", "5 4 3 2 1"],
    ["company:live/northwind", ""],
    ["point:order.*", "5 4 3 2"],
    ["point:order.replayed", "3"],
    ["operation:order*", "5 4 3 2"],
    ["operation:ORDERphysicalcard status:201", "3 2"],
    ["scenario:*", "5"],
    ["scenario:lost-response", "5"],
    ["-scenario:*", "6 4 3 2 1"],
    ["key:3F0C", "3 2"],
    ["key:4", ""],
    ["method:get", "6"],
    ["path:PHYSICAL", "5 4 3 2"],
    ["-path:physical", "6 1"],
    ["path:travel", ""],
    ["member:northwind-owner", "5 4 3 2 1"],
    ["member:nobody", ""],

    ["STATUS:LOST Company:Northwind", "5"],
    ["travel", "3 2"],
    ['"team TRAVEL"', "3 2"],
    ['-"team travel" status:4xx', "6 4"],
    ["page=2", "6"],
    ['"idempotency-key: 3f0c"', "3 2"],
    ["sandbox-contract-point", "6 4 3 2 1"],
    ['"A \\\\\\"big\\\\\\" one"', "4"],
    ['  status:4xx   -company:"northwind" ', "6"],
  ])("%s", async (search, expected) => {
    const { ids } = await withRequests();
    expect(ids(search)).toBe(expected);
    // Now every request that it read has an entry.
    expect(ids(search)).toBe(expected);
  });
});

test("a search finds no secret", async () => {
  const { ids, token } = await withRequests();
  for (const secret of [token, token.slice(3, 20), "northwind_owner", "7359", "4821"]) {
    expect([secret, ids(`"${secret}"`), ids(`-"${secret}"`)]).toEqual([secret, "", "6 5 4 3 2 1"]);
  }
});

test.each([
  ["staus:422", 'unknown field "staus". Did you mean "status"? Allowed: status, company, point'],
  ["http://x", 'unknown field "http". Allowed: status'],
  ["status:99", "status: must be a status code such as 422, a class such as 4xx, or lost, but is"],
  ["status:", "status: must not be empty"],
  ["point:order.forbiden", 'no contract point matches "order.forbiden". Did you mean "order.forbidden"?'],
  ["operation:none*", 'operation: no operation matches "none*". Use * for any text'],
  ['a "text', 'the quotation mark before "text" is not closed'],
  ["-", "text: must not be empty"],
  ["constructor:1", 'unknown field "constructor"'],
  ["a ".repeat(21), "must have at most 20 terms"],
  ["x".repeat(1001), "must have at most 1000 characters"],
])("the search %s is refused", async (search, message) => {
  const sandbox = openSandbox();
  const reply = await sandbox.request(`/_sandbox/requests?search=${encodeURIComponent(search)}`);
  expect([reply.status, reply.json.error]).toEqual([400, expect.stringContaining(message)]);
  expect(reply.json.error).toMatch(/^search: /);
  expect(() => sandbox.requests.list({ search })).toThrow(message);
});
