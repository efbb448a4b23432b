import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openClient } from "../../../support/open-client.ts";

async function withClient() {
  const client = await openClient();
  const list = (query: string, sent = {}) => client.send("GET", `/developer/transactions?${query}`, sent);
  return { ...client, list };
}

describe("TIME-2: timestamp without an offset", () => {
  test.each([
    "2026-03-10T00:00:00",
    "2026-03-10T00:00",
    "2026-03-10%2000:00:00.000",
    "2026-03-10T00:00:00.123456",
    "2026-03-10T00:00:00+01:00",
  ])("reports three lists from %s", async (from) => {
    const client = await withClient();
    for (const limit of [1, 2, 3, 4]) await client.list(`from=${from}&limit=${limit}`);
    expect(client.findings().findings).toMatchObject([
      {
        id: "TIME-2",
        severity: "warn",
        times: 1,
        occurrences: [{ requests: [{ id: "2" }, { id: "3" }, { id: "4" }] }],
      },
    ]);
  });

  test("accepts tests of the refusal among valid lists", async () => {
    const client = await withClient();
    await client.list("from=2026-03-10T00:00:00");
    await client.list("to=2026-03-10T00:00:00");
    await client.list("from=2026-03-10T00:00:00&to=2026-03-11T00:00:00");
    for (const from of ["2026-03-10T00:00:00Z", "2026-03-10T00:00:00%2B01:00", "2026-03-10T00:00:00.000Z"]) {
      await client.list(`from=${from}`);
    }
    expect(found(client)).toEqual([]);
  });

  test("reports two lists without valid ones as info", async () => {
    const client = await withClient();
    for (const name of ["from", "to"]) await client.list(`${name}=2026-03-10T00:00:00`);
    expect(found(client)).toEqual(["TIME-2 info"]);
  });

  test("accepts dates without a time", async () => {
    const client = await withClient();
    for (const _ of [1, 2, 3]) {
      await client.list("from=2026-03-10");
      await client.send("GET", "/developer/company/invoices?from=2026-03-01");
    }
    expect(found(client)).not.toContain("TIME-2 warn");
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await withClient();
    for (const _ of [1, 2, 3]) await client.list("from=2026-03-10T00:00:00", { negative: true });
    expect(found(client)).toEqual([]);
  });
});
