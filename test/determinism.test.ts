import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../src/node/index.ts";
import { cardOf, openSandbox, type TestOptions } from "./support/open-sandbox.ts";

/** A small story of exchanges, orders, replays and refusals; every byte that came back. */
async function story(options: TestOptions): Promise<string> {
  const sandbox = openSandbox(options);
  const bytes: string[] = [JSON.stringify(sandbox.world())];
  for (const apiKey of [
    "sk_sandbox_northwind_owner",
    "sk_sandbox_northwind_admin",
    "sk_sandbox_fullhouse_owner",
  ]) {
    for (let n = 1; n <= 3; n++) {
      const reply = await sandbox.post("/auth/v1/sandbox/token", { api_key: apiKey });
      const key = `00000000-0000-4000-8000-00000000000${n % 2}`;
      const order = await sandbox.order({ token: reply.json.access_token, key });
      for (const each of [reply, order]) bytes.push(JSON.stringify([...each.headers]), each.text);
      sandbox.clockOfTest.advance(1000);
    }
  }
  return bytes.join("\n");
}

test("returns the same bytes for the same seed, clock and requests, including access tokens", async () => {
  expect(await story({ seed: 5 })).toBe(await story({ seed: 5 }));
});

test("returns other ids, tokens and last fours for another seed", async () => {
  const [one, two] = [
    cardOf(await openSandbox({ seed: 1 }).order()),
    cardOf(await openSandbox({ seed: 2 }).order()),
  ];
  for (const field of ["id", "token", "company_id", "account_id", "user_id", "design_id"] as const) {
    expect(one[field]).not.toBe(two[field]);
  }
});

test("creates the same n-th card of a company, independent of other companies and refused orders", async () => {
  const nth = async (disturbed: boolean) => {
    const sandbox = openSandbox();
    const cards = [];
    for (let n = 0; n < 5; n++) {
      if (disturbed) {
        await sandbox.order({ body: { pin: "no" } });
        await sandbox.order({
          apiKey: "sk_live_northwind_owner",
          body: { account_id: sandbox.account("northwind", "gbp", "live").id },
        });
        sandbox.clockOfTest.advance(1234);
      }
      const { id, token, last_four, name } = cardOf(await sandbox.order());
      cards.push({ id, token, last_four, name });
    }
    return cards;
  };
  expect(await nth(true)).toEqual(await nth(false));
});

test("creates the companies of earlier versions, byte for byte", async () => {
  const sandbox = createSandbox({ seed: 7, clock: "2026-03-10T09:30:00Z" });
  onTestFinished(() => sandbox.close());
  const hash = createHash("sha256");
  for (let n = 1; n <= 300; n++) hash.update(JSON.stringify(await sandbox.control.companies.create()));
  // Made with the code that drew names with faker.
  expect(hash.digest("hex")).toBe("724da37e0c93fd77e7449d05372373393d8d16e228e277d769fd8322c6c01855");
});
