// The test suite of parallel-client.mjs. Its tests run at the same time, each with a company of its own:
//   npx card-sandbox sweep -- node --test-reporter=spec examples/sweep/parallel-suite.mjs
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CardClient } from "./parallel-client.mjs";
import { newCompany } from "./world.mjs";

const { CARD_SANDBOX_URL: url } = process.env;

describe("the parallel client", { concurrency: true }, () => {
  test("orders cards at the same time, and freezes them", async (t) => {
    const { apiKey, accountId } = await newCompany("team");
    const client = new CardClient(url, apiKey);
    t.after(() => client.close());
    const names = ["Ada", "Grace", "Edsger"];
    const ordered = await client.orderAll(names.map((name) => ({ account_id: accountId, name })));
    assert.deepEqual(
      ordered.map(({ card }) => card?.name),
      names,
    );
    const frozen = await client.freezeAll(ordered.map(({ card }) => card.id));
    assert.deepEqual(frozen, [true, true, true]);
  });

  test("gets a new token in the background", async (t) => {
    const { apiKey, accountId, advance } = await newCompany("office");
    let advancedMs = 0;
    const client = new CardClient(url, apiKey, { now: () => Date.now() + advancedMs });
    t.after(() => client.close());
    const order = async (name) => (await client.orderAll([{ account_id: accountId, name }]))[0].card?.name;
    assert.equal(await order("Paper"), "Paper");
    await advance("PT12M");
    advancedMs = 12 * 60_000;
    assert.equal(await order("Ink"), "Ink");
  });
});
