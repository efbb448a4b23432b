import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openWebhooks } from "../../../support/open-webhooks.ts";
import { own } from "../../../support/own-scenario.ts";

/** What became of one event that arrives broken, and of its retry after five seconds. */
async function answering(scenario: string | undefined, ...statuses: number[]) {
  const hooks = await openWebhooks();
  hooks.answers.push(...statuses);
  await hooks.order({ ...(scenario && { headers: { "Sandbox-Scenario": scenario } }) });
  await hooks.settled();
  await hooks.clock.advance({ by: "PT5S" });
  await hooks.settled();
  return hooks;
}

describe("HOOK-2, a forged or old webhook that is accepted", () => {
  test.each([
    ["a bad signature", "webhook-bad-signature", "HOOK-2 critical"],
    ["a stale timestamp", "webhook-stale", "HOOK-2 warn"],
  ])("finds a receiver that answers 2xx to %s", async (_, scenario, finding) => {
    for (const status of [200, 204]) {
      expect(found(await answering(scenario, status), "northwind")).toEqual([finding]);
    }
  });

  test("names the webhook, the delivery and the answer", async () => {
    const hooks = await answering("webhook-bad-signature", 200);
    const [delivery] = await hooks.deliveries();
    expect(hooks.findings().findings[0]?.occurrences).toEqual([
      {
        seen: `The receiver of webhook ${hooks.webhook.id} answered 200 to delivery ${delivery.id}, which had a signature that matches none of its secrets`,
        company: "northwind",
        requests: [],
      },
    ]);
  });

  test("finds each answer to an event that arrives twice", async () => {
    const hooks = await openWebhooks(
      own([{ faults: { webhook: { bad_signature: true, duplicate: true } } }]),
    );
    await hooks.order({ headers: { "Sandbox-Scenario": "own" } });
    await hooks.settled();
    expect(hooks.findings().findings).toMatchObject([{ id: "HOOK-2", severity: "critical", times: 2 }]);
  });

  test.each([
    ["refuses the forged event, and accepts its retry", "webhook-bad-signature", [401, 204]],
    ["refuses the old event, and accepts its retry", "webhook-stale", [400, 204]],
    ["accepts an event twice that is properly signed", "webhook-duplicate", [200, 200]],
    ["accepts an event out of order that is properly signed", "webhook-reordered", [200]],
    ["accepts an event that nothing is wrong with", undefined, [200]],
    ["redirects the forged event", "webhook-bad-signature", [302, 204]],
  ])("passes a receiver that %s", async (_, scenario, statuses) => {
    const hooks = await answering(scenario, ...statuses);
    expect(hooks.received).toHaveLength(statuses.length);
    expect(found(hooks)).toEqual([]);
  });

  test("reports a receiver that queues events and answers 202 as info only", async () => {
    for (const scenario of ["webhook-bad-signature", "webhook-stale"]) {
      const hooks = await answering(scenario, 202);
      expect(found(hooks)).toEqual(["HOOK-2 info"]);
      expect(hooks.findings().findings[0]?.occurrences[0]?.seen).toMatch(/confirm that the consumer/);
    }
  });
});
