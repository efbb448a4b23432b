import { describe, expect, test } from "vitest";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";

const orderFacing = (options: TestOptions) => openSandbox(options).order();

describe("quota.order", () => {
  const facts = { quotaReached: true, companyStatus: "suspended" } as const;

  test("the default checks the quota after the other reasons for 422", async () => {
    const { status, point } = await orderFacing({ facts });
    expect([status, point]).toEqual([422, "order.company_inactive"]);
  });

  test("first: before them", async () => {
    const { status, point } = await orderFacing({ facts, choices: { "quota.order": "first" } });
    expect([status, point]).toEqual([422, "order.quota_reached"]);
  });
});

describe("access.not_entitled", () => {
  test.each(["forbidden", "not_entitled"] as const)("the code is %s", async (use) => {
    const options = { facts: { entitled: false }, choices: { "access.not_entitled": use } };
    const replies = [await orderFacing(options), await openSandbox(options).get("/developer/accounts")];
    for (const { status, json } of replies) {
      expect([status, json.success, json.error.code]).toEqual([403, false, use]);
    }
  });
});
