import { describe, expect, test } from "vitest";
import { found } from "../support/found.ts";
import { openClient } from "../support/open-client.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const limited = { headers: { "Sandbox-Scenario": "rate-limited" } };

describe("rate_limit.retry_after: the header Retry-After of a 429 is", () => {
  test.each([
    ["seconds", "30"],
    ["http_date", "Tue, 10 Mar 2026 09:30:31 GMT"],
    ["none", null],
  ] as const)("%s", async (form, expected) => {
    const { order } = openSandbox({
      choices: { "rate_limit.retry_after": form },
      now: "2026-03-10T09:30:00.500Z",
    });
    const reply = await order(limited);
    expect([reply.status, reply.headers.get("Retry-After")]).toEqual([429, expected]);
  });
});

describe("rate_limit.envelope: the body of a 429 is", () => {
  test.each([
    ["gateway", { success: false, error: { code: "rate_limited", message: expect.any(String) } }],
    ["card", { error: expect.any(String) }],
    ["problem", expect.objectContaining({ status: 429, code: "rate_limited", detail: expect.any(String) })],
  ] as const)("%s", async (envelope, expected) => {
    const { order } = openSandbox({ choices: { "rate_limit.envelope": envelope } });
    expect((await order(limited)).json).toEqual(expected);
  });
});

describe("RETRY-2 and RETRY-1 follow the form of Retry-After:", () => {
  /** Retries one limited order so often, each time after this wait. */
  async function retried(form: "seconds" | "http_date" | "none", waitMs: number, times = 1) {
    const client = await openClient({ choices: { "rate_limit.retry_after": form } });
    client.scenario("rate-limited", { times });
    const key = crypto.randomUUID();
    await client.order({ key });
    for (let n = 0; n < times; n++) {
      client.wait(waitMs);
      await client.order({ key });
    }
    return client;
  }

  test.each(["seconds", "http_date"] as const)("a retry before %s is reported", async (form) => {
    expect(found(await retried(form, 1000))).toEqual(["RETRY-2 warn"]);
  });

  test("the report quotes the date", async () => {
    const client = await retried("http_date", 1000);
    expect(client.findings().findings[0]?.occurrences[0]?.observed).toMatch(
      /^A request got 429 with Retry-After: Tue, 10 Mar 2026 09:30:3\d GMT and was sent again after 1000 ms$/,
    );
  });

  test.each(["seconds", "http_date"] as const)("a retry after %s is correct", async (form) => {
    expect(found(await retried(form, 31_000))).toEqual([]);
  });

  test("without the header, an early retry is correct", async () => {
    expect(found(await retried("none", 1000))).toEqual([]);
  });

  test("without the header, retries at a constant pace have no backoff", async () => {
    expect(found(await retried("none", 100, 5))).toEqual(["RETRY-1 warn"]);
  });
});
