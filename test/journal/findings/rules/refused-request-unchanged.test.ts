import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { type Client, openClient } from "../../../support/open-client.ts";

const wrongPin = { pin: "48210" };

/** Sends the same order three times with one key. */
async function insist(client: Client, sent: { body?: object; negative?: boolean }, times = 3) {
  const key = crypto.randomUUID();
  for (let n = 0; n < times; n++) {
    await client.order({ key, ...sent, body: { ...sent.body } });
    client.wait(1000);
  }
}

describe("RETRY-3: refused request retried unchanged", () => {
  test("reports a client that retries every failure", async () => {
    const client = await openClient();
    await insist(client, { body: wrongPin });
    await insist(client, { body: { account_id: client.account("northwind", "closed").id } }, 5);
    expect(client.findings().findings).toMatchObject([
      {
        id: "RETRY-3",
        severity: "warn",
        times: 2,
        occurrences: [
          { requests: [{ id: "2" }, { id: "3" }, { id: "4" }] },
          { requests: [{ id: "5" }, { id: "6" }, { id: "7" }] },
        ],
      },
    ]);
  });

  test("reports requests without a key", async () => {
    const client = await openClient();
    const { id } = (await client.order())?.json ?? {};
    for (const amount of ["0", "-1"]) {
      const body = { period: "daily", amount };
      for (const _ of [1, 2, 3]) await client.send("PUT", `/developer/cards/${id}/spending-limit`, { body });
    }
    expect(found(client)).toEqual(["RETRY-3 warn"]);
  });

  test("reports a single request in the whole run as info", async () => {
    const client = await openClient();
    await insist(client, { body: wrongPin });
    expect(found(client)).toEqual(["RETRY-3 info"]);
  });

  test("reports two among many requests that were refused once as info", async () => {
    const client = await openClient();
    for (const pin of ["1", "12", "123", "12345", "abcd"]) await client.order({ body: { pin } });
    for (const _ of [1, 2]) await insist(client, { body: wrongPin });
    expect(found(client)).toEqual(["RETRY-3 info"]);
  });

  test("accepts tests of the same error, each with its own key", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3, 4]) await client.order({ body: wrongPin });
    expect(found(client)).toEqual([]);
  });

  test("accepts a body that is corrected and sent with the same key", async () => {
    const client = await openClient();
    const key = crypto.randomUUID();
    for (const pin of ["1", "12", "4821"]) await client.order({ key, body: { pin } });
    expect(found(client)).not.toContain("RETRY-3 info");
  });

  test("accepts attempts that fail for different reasons", async () => {
    const client = await openClient();
    const key = crypto.randomUUID();
    const { companies } = client.control;
    companies.change("northwind", { status: "suspended" });
    expect((await client.order({ key }))?.point).toBe("order.company_inactive");
    companies.change("northwind", { status: "active", details_complete: false });
    expect((await client.order({ key }))?.point).toBe("order.company_details_missing");
    companies.change("northwind", { details_complete: true, card_quota: 0 });
    expect((await client.order({ key }))?.point).toBe("order.quota_reached");
    expect(found(client)).toEqual([]);
  });

  test("accepts attempts with another scenario armed in between", async () => {
    const client = await openClient();
    const key = crypto.randomUUID();
    for (const scenario of ["quota-reached", "company-inactive", "account-closed"]) {
      client.scenario(scenario);
      await client.order({ key });
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts attempts that are minutes apart", async () => {
    const client = await openClient();
    const key = crypto.randomUUID();
    for (const _ of [1, 2, 3]) {
      await client.order({ key, body: wrongPin });
      client.wait(120_000);
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts 409, and a GET of something that does not exist yet", async () => {
    const client = await openClient();
    client.scenario("conflict", { times: 4 });
    await insist(client, {}, 4);
    for (const id of ["a", "b"]) {
      for (const _ of [1, 2, 3]) await client.send("GET", `/developer/transactions/${id}`);
    }
    expect(found(client)).not.toContain("RETRY-3 warn");
    expect(found(client)).not.toContain("RETRY-3 info");
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openClient();
    for (const _ of [1, 2]) await insist(client, { body: wrongPin, negative: true });
    expect(found(client)).toEqual([]);
  });
});
