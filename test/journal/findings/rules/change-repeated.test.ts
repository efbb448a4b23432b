import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openClient } from "../../../support/open-client.ts";

async function withCard() {
  const client = await openClient();
  const { id } = (await client.virtual())?.json ?? {};
  return {
    ...client,
    id: id as string,
    change: (change: string, of = id, negative = false) =>
      client.send("POST", `/developer/cards/${of}/${change}`, { negative }),
  };
}

describe("STATE-1: impossible card change retried", () => {
  test("reports three attempts to freeze a terminated card", async () => {
    const client = await withCard();
    await client.change("terminate");
    for (const _ of [1, 2, 3, 4]) await client.change("freeze");
    expect(client.findings().findings).toMatchObject([
      {
        id: "STATE-1",
        severity: "info",
        times: 1,
        occurrences: [{ requests: [{ id: "4" }, { id: "5" }, { id: "6" }] }],
      },
    ]);
  });

  test.each(["suspend", "lock", "block"])("reports changes after the operator action %s", async (action) => {
    const client = await withCard();
    await client.request(`/_sandbox/cards/${client.id}/operator`, {
      method: "POST",
      body: JSON.stringify({ action }),
    });
    for (const _ of [1, 2, 3]) await client.change("unfreeze");
    expect(found(client)).toEqual(["STATE-1 info"]);
  });

  test("accepts one or two attempts", async () => {
    const client = await withCard();
    await client.change("terminate");
    for (const change of ["freeze", "unfreeze", "terminate", "freeze"]) await client.change(change);
    expect(found(client)).toEqual([]);
  });

  test("accepts a card that is only frozen, because the caller can unfreeze it", async () => {
    const client = await withCard();
    await client.change("freeze");
    for (const _ of [1, 2, 3]) await client.change("freeze");
    expect(found(client)).toEqual([]);
  });

  test("accepts attempts on three cards", async () => {
    const client = await withCard();
    for (const _ of [1, 2, 3]) {
      const { id } = (await client.virtual())?.json ?? {};
      await client.change("terminate", id);
      await client.change("freeze", id);
    }
    expect(found(client)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await withCard();
    await client.change("terminate");
    for (const _ of [1, 2, 3]) await client.change("freeze", client.id, true);
    expect(found(client)).toEqual([]);
  });
});
