import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { type Answer, openWebhooks } from "../../../support/open-webhooks.ts";

type Hooks = Awaited<ReturnType<typeof openWebhooks>>;

/** The responses to one event each. */
async function withAnswers(answers: readonly Answer[], options = {}) {
  const hooks = await openWebhooks(options);
  for (const answer of answers) await tell(hooks, answer);
  return hooks;
}

async function tell(hooks: Hooks, answer: Answer, token?: string) {
  hooks.answers.push(answer);
  await hooks.order({ ...(token !== undefined && { token }) });
  await hooks.settled();
}

/** Responds after six seconds of the test's clock. */
const slowly =
  (hooks: () => Hooks): Answer =>
  () => {
    hooks().clockOfTest.advance(6000);
    return new Response(null, { status: 204 });
  };

const unreachable: Answer = () => {
  throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
};

describe("HOOK-5: webhook not acknowledged", () => {
  test.each<[string, number[]]>([
    ["errors", [500, 500, 500]],
    ["redirects", [302, 302, 302]],
    ["different refusals", [401, 302, 500]],
    ["errors after successful deliveries", [204, 500, 500, 500]],
  ])("reports %s", async (_, answers) => {
    const hooks = await withAnswers(answers);
    expect(found(hooks, "northwind")).toEqual(["HOOK-5 warn"]);
  });

  test("reports a slow receiver", async () => {
    const hooks = await openWebhooks();
    for (const _ of [1, 2, 3])
      await tell(
        hooks,
        slowly(() => hooks),
      );
    expect(found(hooks)).toEqual(["HOOK-5 warn"]);
    expect(hooks.findings().findings[0]?.occurrences[0]).toEqual({
      observed: "3 events in a row were not acknowledged: response after more than 5 s",
      company: "northwind",
      requests: [],
    });
  });

  test("reports a URL that never had a receiver as info", async () => {
    expect(found(await withAnswers([404, 404, 404]))).toEqual(["HOOK-5 info"]);
    expect(found(await withAnswers([204, 404, 404, 404]))).toEqual(["HOOK-5 warn"]);
  });

  test.each<[string, Answer[]]>([
    ["single errors between successful deliveries", [500, 500, 204, 500, 500, 204]],
    ["a server that is no longer listening", [204, unreachable, unreachable, unreachable, unreachable]],
    ["a receiver that acknowledges everything", [200, 202, 204, 299]],
  ])("accepts %s", async (_, answers) => {
    expect(found(await withAnswers(answers))).toEqual([]);
  });

  test("accepts one event whose retries fail", async () => {
    const hooks = await withAnswers([500]);
    for (const by of ["PT5S", "PT5M", "PT30M", "PT2H"]) {
      hooks.answers.push(500);
      await hooks.clock.advance({ by });
      await hooks.settled();
    }
    expect(hooks.received).toHaveLength(5);
    expect(found(hooks)).toEqual([]);
  });

  test("accepts an outage after which all retries are acknowledged", async () => {
    const hooks = await withAnswers([503, 503, 503, 503]);
    await hooks.clock.advance({ by: "PT5S" });
    await hooks.settled();
    expect(found(hooks)).toEqual([]);
  });

  test("accepts refusals of signatures that a scenario made invalid", async () => {
    const hooks = await openWebhooks();
    hooks.scenario("webhook-bad-signature");
    for (const _ of [1, 2, 3]) await tell(hooks, 401);
    expect(hooks.received).toHaveLength(3);
    expect(found(hooks)).toEqual([]);
  });

  test("accepts tests that each begin with a reset and have one error", async () => {
    const hooks = await openWebhooks();
    for (const _ of [1, 2, 3, 4]) {
      hooks.reset();
      const token = await hooks.exchange("sk_sandbox_northwind_owner");
      const body = { url: "http://localhost/hooks", events: ["card.created"] };
      await hooks.call("POST", "/developer/webhooks", body, token);
      await tell(hooks, 500, token);
    }
    expect(hooks.received).toHaveLength(4);
    expect(found(hooks)).toEqual([]);
  });
});
