import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

const key = "sk_sandbox_northwind_owner";
const path = "/developer/accounts";

function withClient() {
  const sandbox = openSandbox();
  const exchange = (apiKey = key) => sandbox.exchange(apiKey);
  const exchanges = (n: number) => Promise.all(Array.from({ length: n }, () => exchange()));
  const get = (token: string, times = 1) =>
    Promise.all(Array.from({ length: times }, () => sandbox.get(path, { token })));
  return { ...sandbox, exchange, exchanges, get };
}

describe("AUTH-5: parallel token exchanges by one client", () => {
  test("reports requests that each exchange the key after a 401", async () => {
    const client = withClient();
    const token = await client.exchange();
    await client.get(token, 4);
    await client.clock.advance({ by: "PT16M" });
    await client.get(token, 3);
    const tokens = await client.exchanges(3);
    for (const fresh of tokens) await client.get(fresh);
    expect(found(client)).toEqual(["AUTH-5 warn"]);
    expect(client.findings().findings[0]?.occurrences[0]?.requests.map(({ id }) => id)).toEqual([
      "9",
      "10",
      "11",
    ]);
    const told = JSON.stringify(client.findings());
    for (const secret of [key, token, ...tokens]) expect(told).not.toContain(secret);
  });

  test("reports requests that each exchange the key when the token is due", async () => {
    const client = withClient();
    await client.get(await client.exchange(), 4);
    await client.clock.advance({ by: "PT15M" });
    const [first = "", ...others] = await client.exchanges(4);
    for (const other of others) await client.get(other);
    await client.get(first, 8);
    expect(found(client)).toEqual(["AUTH-5 warn"]);
  });

  test("reports the same at the start as info, because short-lived workers look the same", async () => {
    const client = withClient();
    const [first = "", ...others] = await client.exchanges(3);
    for (const other of others) await client.get(other);
    await client.get(first, 6);
    expect(found(client)).toEqual(["AUTH-5 info"]);
  });

  test("accepts workers with one API key that each keep their own token", async () => {
    const client = withClient();
    for (const token of await client.exchanges(4)) await client.get(token, 3);
    await client.clock.advance({ by: "PT15M" });
    for (const token of await client.exchanges(4)) await client.get(token, 3);
    expect(found(client)).toEqual([]);
  });

  test("accepts consecutive tests, each with a new client", async () => {
    const client = withClient();
    for (const _ of [1, 2, 3, 4, 5]) await client.get(await client.exchange());
    expect(found(client)).toEqual([]);
  });

  test("accepts tests of the token endpoint", async () => {
    const client = withClient();
    for (const _ of [1, 2, 3, 4, 5]) await client.exchange();
    expect(found(client)).toEqual([]);
  });

  test("accepts parallel instances, one of which then reads the result", async () => {
    const client = withClient();
    await client.get(await client.exchange(), 3);
    const [first = "", ...others] = await client.exchanges(3);
    for (const other of others) await client.get(other);
    await client.get(first, 3);
    expect(found(client)).toEqual([]);
  });

  test("accepts one exchange after several requests got a 401", async () => {
    const client = withClient();
    const token = await client.exchange();
    await client.get(token, 4);
    await client.clock.advance({ by: "PT16M" });
    await client.get(token, 3);
    await client.get(await client.exchange(), 3);
    expect(found(client)).toEqual([]);
  });

  test("accepts instances with different API keys", async () => {
    const client = withClient();
    const keys = [key, "sk_sandbox_northwind_admin", "sk_sandbox_northwind_employee"];
    const [first = "", ...others] = await Promise.all(keys.map((each) => client.exchange(each)));
    for (const other of others) await client.get(other);
    await client.get(first, 8);
    expect(found(client)).toEqual([]);
  });
});
