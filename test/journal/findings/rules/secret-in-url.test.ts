import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

const path = "/developer/accounts";
const id = "1d541080-dfcd-4ea6-937b-cc4bd3db87af";

async function withClient() {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  return { ...sandbox, token };
}

describe("AUTH-7: access token or PIN in a URL", () => {
  test.each([
    ["the query", (token: string) => `${path}?access_token=${token}`],
    ["the path", (token: string) => `/developer/${token}/accounts`],
  ])("reports an access token in %s", async (_, url) => {
    const client = await withClient();
    await client.request(url(client.token));
    expect(found(client)).toEqual(["AUTH-7 critical"]);
    expect(JSON.stringify(client.findings())).not.toContain(client.token);
  });

  test("reports the token of the header if it is also in the query", async () => {
    const client = await withClient();
    await client.get(`${path}?token=${client.token}`, { token: client.token });
    expect(found(client)).toEqual(["AUTH-7 critical"]);
  });

  test.each([
    "/developer/cards/physical?pin=4821",
    "/developer/cards/physical?a=1&card_pin=4821",
    "/developer/cards/physical?cardPin=4821",
    `/developer/cards/${id}/pin/4821`,
  ])("reports a PIN in %s", async (url) => {
    const client = await withClient();
    await client.call("POST", url, { token: client.token });
    expect(found(client)).toEqual(["AUTH-7 critical"]);
    expect(JSON.stringify(client.findings())).not.toContain("4821");
  });

  test("reports the digits of the PIN in the card's name as info", async () => {
    const client = await withClient();
    await client.order({ token: client.token, body: { name: "Team 4821" } });
    expect(found(client)).toEqual(["AUTH-7 info"]);
    expect(JSON.stringify(client.findings())).not.toContain("4821");
  });

  test.each([
    "/developer/transactions?min_amount=4821&from=2026-03-10T00:00:00Z",
    "/developer/cards?tokens=4821",
    "/developer/cards/4821",
    "/developer/accounts?shipping=4821&spin=4821&pinned=4821",
    `/developer/cards/${id}`,
    "/developer/cards?cursor=MTIzNDU2Nzg5MC4wMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZg",
  ])("accepts %s, although orders had the PIN 4821", async (url) => {
    const client = await withClient();
    await client.order({ token: client.token });
    await client.get(url, { token: client.token });
    expect(found(client)).toEqual([]);
  });

  test("accepts names with other or more digits", async () => {
    const client = await withClient();
    for (const name of ["Team 2024", "Order 482100", "Physical 1234"]) {
      await client.order({ token: client.token, body: { name } });
    }
    expect(found(client)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await withClient();
    await client.request(`${path}?access_token=${client.token}`, { headers: { "Sandbox-Test": "negative" } });
    expect(found(client)).toEqual([]);
  });
});
