import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openWebhooks } from "../../../support/open-webhooks.ts";
import { own } from "../../../support/own-scenario.ts";

/** The result of one invalid event, and of its retry after five seconds. */
async function answering(scenario: string | undefined, ...statuses: number[]) {
  const hooks = await openWebhooks();
  hooks.answers.push(...statuses);
  await hooks.order({ ...(scenario && { headers: { "Sandbox-Scenario": scenario } }) });
  await hooks.settled();
  await hooks.clock.advance({ by: "PT5S" });
  await hooks.settled();
  return hooks;
}

describe("HOOK-2: forged or old webhook accepted", () => {
  test.each([
    ["a bad signature", "webhook-bad-signature", "HOOK-2 critical"],
    ["a stale timestamp", "webhook-stale", "HOOK-2 warn"],
  ])("reports a receiver that responds with 2xx to %s", async (_, scenario, finding) => {
    for (const status of [200, 204]) {
      expect(found(await answering(scenario, status), "northwind")).toEqual([finding]);
    }
  });

  test("names the webhook, the delivery and the status", async () => {
    const hooks = await answering("webhook-bad-signature", 200);
    const [delivery] = await hooks.deliveries();
    expect(hooks.findings().findings[0]?.occurrences).toEqual([
      {
        observed: `The receiver of webhook ${hooks.webhook.id} responded with 200 to delivery ${delivery.id}, which had an invalid signature`,
        company: "northwind",
        requests: [],
      },
    ]);
  });

  test("reports each acceptance of an event that arrives twice", async () => {
    const hooks = await openWebhooks(
      own([{ faults: { webhook: { bad_signature: true, duplicate: true } } }]),
    );
    await hooks.order({ headers: { "Sandbox-Scenario": "own" } });
    await hooks.settled();
    expect(hooks.findings().findings).toMatchObject([{ id: "HOOK-2", severity: "critical", times: 2 }]);
  });

  test.each([
    ["refuses the forged event and accepts its retry", "webhook-bad-signature", [401, 204]],
    ["refuses the old event and accepts its retry", "webhook-stale", [400, 204]],
    ["accepts a duplicate event with a valid signature", "webhook-duplicate", [200, 200]],
    ["accepts an event out of order with a valid signature", "webhook-reordered", [200]],
    ["accepts a valid event", undefined, [200]],
    ["redirects the forged event", "webhook-bad-signature", [302, 204]],
  ])("accepts a receiver that %s", async (_, scenario, statuses) => {
    const hooks = await answering(scenario, ...statuses);
    expect(hooks.received).toHaveLength(statuses.length);
    expect(found(hooks)).toEqual([]);
  });

  test("reports a receiver that responds with 202 as info", async () => {
    for (const scenario of ["webhook-bad-signature", "webhook-stale"]) {
      const hooks = await answering(scenario, 202);
      expect(found(hooks)).toEqual(["HOOK-2 info"]);
      expect(hooks.findings().findings[0]?.occurrences[0]?.observed).toMatch(/check that the consumer/);
    }
  });
});
