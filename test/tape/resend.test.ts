import { expect, test } from "vitest";
import { httpClient } from "../support/http-client.ts";
import { differencesOf, tapeOf } from "../support/taped.ts";

const origin = "http://sandbox";

test("a replay of a request that was sent again decides the same, and its token is on no tape", async () => {
  let sent = "";
  const tape = await tapeOf(async (sandbox) => {
    const { order } = httpClient(origin, sandbox.fetch);
    const company = await sandbox.isolatedCompany();
    const account = sandbox.world().companies[0]?.accounts[0]?.id;
    const key = "3f0c2a4e-1111-4222-8333-000000000001";
    expect((await order(account, { key })).status).toBe(201);
    const [ordered] = sandbox.requests.list().requests;
    const replayed = await sandbox.fetch(`${origin}/_sandbox/ui/requests/${ordered?.id}/replay`, {
      method: "POST",
      headers: { Origin: origin, "Content-Type": "application/x-www-form-urlencoded" },
      body: "pin=4821",
      redirect: "manual",
    });
    expect(replayed.headers.get("Location")).toContain("/_sandbox/ui/requests/3?flash=");
    expect(sandbox.requests.list().requests[0]).toMatchObject({ status: 201, point: "order.replayed" });
    const [key_id] = sandbox.control.apiKeys.list(company.slug).api_keys;
    sent = sandbox.control.apiKeys.issueToken(key_id?.id ?? "").access_token;
    const listed = { headers: { Authorization: `Bearer ${sent}` } };
    expect((await sandbox.fetch(`${origin}/developer/cards`, listed)).status).toBe(200);
  });
  expect(tape.events.filter((event) => event.do === "control").map(({ call }) => call)).toEqual([
    "companies.create",
    "apiKeys.issueToken",
    "apiKeys.issueToken",
  ]);
  expect(sent).toHaveLength(43);
  expect(JSON.stringify(tape)).not.toContain(sent);
  expect(await differencesOf(tape)).toEqual([]);
});
