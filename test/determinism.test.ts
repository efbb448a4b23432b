import { expect, test } from "vitest";
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

test("the same seed, clock and requests give the same bytes, access tokens included", async () => {
  expect(await story({ seed: 5 })).toBe(await story({ seed: 5 }));
});

test("another seed gives other ids, tokens and last fours", async () => {
  const [one, two] = [
    cardOf(await openSandbox({ seed: 1 }).order()),
    cardOf(await openSandbox({ seed: 2 }).order()),
  ];
  for (const field of ["id", "token", "company_id", "account_id", "user_id", "design_id"] as const) {
    expect(one[field]).not.toBe(two[field]);
  }
});

test("a company's n-th card is the same, whatever other companies and refused orders do", async () => {
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
