import { describe, expect, test } from "vitest";
import { openSandbox } from "../../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A sandbox whose client sends two different orders with one key. */
async function withReusedKey(options = {}) {
  const sandbox = openSandbox(options);
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  await sandbox.order({ token, key });
  await sandbox.order({ token, key, body: { name: "another" } });
  return { ...sandbox, token };
}

describe("GET /_sandbox/findings", () => {
  test("lists each mistake with its requests, its effect and its fix", async () => {
    const { request } = await withReusedKey();
    const { status, json } = await request("/_sandbox/findings?evidence=false");
    expect(status).toBe(200);
    expect(json).toEqual({
      totals: { critical: 1, high: 0, warn: 0, info: 0 },
      findings: [
        {
          id: "IDEM-2",
          severity: "critical",
          title: expect.any(String),
          why: expect.any(String),
          fix: expect.any(String),
          spec: "§4",
          times: 1,
          by_operation: { orderPhysicalCard: 1 },
          occurrences: [
            {
              observed: `Idempotency-Key ${key} was sent with two different orders`,
              company: "northwind",
              requests: [
                ["2", "order.created"],
                ["3", "order.replayed_with_other_body"],
              ].map(([id, point]) => ({
                id,
                method: "POST",
                path: "/developer/cards/physical",
                query: "",
                status: 201,
                point,
                time: "2026-03-10T09:30:00.000Z",
              })),
            },
          ],
        },
      ],
    });
  });

  test.each([0, 1, 1000])("has the requests and responses even if the journal keeps %i", async (journal) => {
    const { request, requests } = await withReusedKey({ journal });
    for (let n = 0; n < 50; n++) await request("/nothing");
    const { findings } = (await request("/_sandbox/findings")).json;
    const [first, second] = findings[0].occurrences[0].requests;
    expect(first.request.headers.authorization).toBe("Bearer …");
    expect(JSON.parse(first.request.body).pin).toBe("…");
    expect(JSON.parse(second.request.body).name).toBe("another");
    expect(JSON.parse(second.response.body).id).toBe(JSON.parse(first.response.body).id);
    const entry = requests.get("3");
    expect(entry?.response).toEqual(journal === 1000 ? second.response : undefined);
  });

  test("sandbox.findings() returns the same", async () => {
    const { request, findings } = await withReusedKey();
    expect((await request("/_sandbox/findings")).json).toEqual(findings());
  });

  test("returns only the findings of the company in ?company=", async () => {
    const { request } = await withReusedKey();
    expect((await request("/_sandbox/findings?company=northwind")).json.findings).toHaveLength(1);
    expect((await request("/_sandbox/findings?company=fullhouse")).json.findings).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const { order, findings, token } = await withReusedKey();
    const headers = { "Sandbox-Test": "negative" };
    await order({ token, key, body: { name: "a third" }, headers });
    expect(findings().findings[0]?.times).toBe(1);
  });

  test.each([0, 1])("finds mistakes even if the journal keeps %i requests", async (journal) => {
    const { findings } = await withReusedKey({ journal });
    expect(findings().findings.map(({ id }) => id)).toEqual(["IDEM-2"]);
  });

  test("treats a key as new after a reset", async () => {
    const { reset, exchange, order, findings } = await withReusedKey();
    reset();
    const token = await exchange("sk_sandbox_northwind_owner");
    await order({ token, key, body: { name: "a third" } });
    expect(findings().findings[0]?.times).toBe(1);
  });

  test("are cleared by DELETE /_sandbox/requests", async () => {
    const { request, findings } = await withReusedKey();
    await request("/_sandbox/requests", { method: "DELETE" });
    expect(findings().findings).toEqual([]);
  });

  test("shows the first five occurrences, and counts all of them", async () => {
    const { order, token, findings } = await withReusedKey();
    for (let n = 0; n < 6; n++) await order({ token, key, body: { name: `name ${n}` } });
    const [finding] = findings().findings;
    expect(finding).toMatchObject({ times: 7 });
    expect(finding?.occurrences).toHaveLength(5);
  });
});
