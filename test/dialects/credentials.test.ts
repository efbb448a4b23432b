import { describe, expect, test } from "vitest";
import type { Choices } from "../../src/contract/behaviours.ts";
import { found } from "../support/found.ts";
import { openClient } from "../support/open-client.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const owner = "sk_sandbox_northwind_owner";

describe("token.clock_skew: an access token is accepted after expires_at", () => {
  /** The points of calls so many seconds after the expiry. */
  async function pointsAfter(choices: Partial<Choices>, ...seconds: number[]) {
    const { exchange, get, clockOfTest } = openSandbox({ choices });
    const token = await exchange(owner);
    clockOfTest.advance(Number(choices["token.lifetime"] ?? 900) * 1000);
    const points: (string | undefined)[] = [];
    let passed = 0;
    for (const each of seconds) {
      clockOfTest.advance((each - passed) * 1000);
      passed = each;
      points.push((await get("/developer/cards", { token })).point);
    }
    return points;
  }

  test.each(["0", "30", "60"] as const)("for %s s", async (leeway) => {
    const points = await pointsAfter({ "token.clock_skew": leeway }, Number(leeway) - 0.001, Number(leeway));
    expect(points).toEqual(["cards.listed", "auth.token_expired"]);
  });

  test("with another lifetime", async () => {
    const points = await pointsAfter({ "token.clock_skew": "30", "token.lifetime": "960" }, 29, 30);
    expect(points).toEqual(["cards.listed", "auth.token_expired"]);
  });
});

test("a scenario's lifetime of a token has priority over that of the dialect", async () => {
  const { request } = openSandbox({ choices: { "token.lifetime": "960" }, now: "2026-03-10T09:30:00Z" });
  const { json } = await request("/auth/v1/sandbox/token", {
    method: "POST",
    body: JSON.stringify({ api_key: owner }),
    headers: { "Sandbox-Scenario": "token-short-lived" },
  });
  expect(json.expires_at).toBe("2026-03-10T09:31:00.000Z");
});

describe("api_keys.quota: the keys that an employee can get after the owner has five", () => {
  /** The status of each new key, the last one for the employee. */
  async function statuses(choices: Partial<Choices>) {
    const { post, request } = openSandbox({ choices });
    const { json } = await request("/_sandbox/api-keys?company=northwind");
    for (const { id } of json.api_keys) await request(`/_sandbox/api-keys/${id}`, { method: "DELETE" });
    const members = [...Array(6).fill("northwind-owner"), "northwind-employee"];
    const made: number[] = [];
    for (const member of members)
      made.push((await post("/_sandbox/api-keys", { member, environment: "sandbox" })).status);
    return made.slice(4);
  }

  test("none, if five keys are the quota of the company", async () => {
    expect(await statuses({ "api_keys.quota": "company" })).toEqual([201, 409, 409]);
  });

  test("one, if five keys are the quota of each member", async () => {
    expect(await statuses({ "api_keys.quota": "member" })).toEqual([201, 409, 201]);
  });
});

test("AUTH-4 follows the leeway: a token that is still accepted is no mistake", async () => {
  const client = await openClient({ choices: { "token.clock_skew": "60" } });
  client.wait(901_000);
  for (let n = 0; n < 5; n++) {
    await client.listCards();
    client.wait(7000);
  }
  expect(found(client)).toEqual([]);
});
