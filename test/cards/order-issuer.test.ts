import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("a slow issuer", () => {
  /** An issuer that answers when the test says so. */
  const heldIssuer = () => {
    const release: (() => void)[] = [];
    return {
      release,
      issue: () =>
        new Promise<{ outcome: "issued" }>((resolve) => {
          release.push(() => resolve({ outcome: "issued" }));
        }),
    };
  };
  const reaching = async (count: number, list: unknown[]) => {
    while (list.length < count) await new Promise(setImmediate);
  };

  test("keeps the key in progress: 409 before its answer, the original card after it", async () => {
    const issuer = heldIssuer();
    const sandbox = openSandbox({ issuer });
    const first = sandbox.order({ key });
    await reaching(1, issuer.release);
    const meanwhile = await sandbox.order({ key });
    expect([meanwhile.status, meanwhile.point]).toEqual([409, "order.key_in_progress"]);
    expect(meanwhile.json).toEqual({ error: expect.stringContaining("in progress") });
    issuer.release[0]?.();
    expect((await first).point).toBe("order.created");
    expect((await sandbox.order({ key })).text).toBe((await first).text);
  });

  test("does not affect the same key of another member", async () => {
    const issuer = heldIssuer();
    const sandbox = openSandbox({ issuer });
    const first = sandbox.order({ key });
    await reaching(1, issuer.release);
    const other = sandbox.order({ key, apiKey: "sk_sandbox_northwind_admin" });
    await reaching(2, issuer.release);
    for (const release of issuer.release) release();
    expect((await first).json.id).not.toBe((await other).json.id);
  });

  test("numbers the cards in the order of their creation", async () => {
    const issuer = heldIssuer();
    const sandbox = openSandbox({ issuer });
    const orders = [sandbox.order(), sandbox.order()];
    await reaching(2, issuer.release);
    for (const release of issuer.release.toReversed()) release();
    const made = (await Promise.all(orders)).map((reply) => cardOf(reply).token);
    const prompt = openSandbox();
    const expected = [cardOf(await prompt.order()).token, cardOf(await prompt.order()).token];
    expect(made.toSorted()).toEqual(expected.toSorted());
  });

  test("can return a promise of any realm, and creates no card for an unknown outcome", async () => {
    // A promise of another realm is no instance of this one's Promise.
    const foreign = runInNewContext('Promise.resolve({ outcome: "unavailable" })');
    const sandbox = openSandbox({ issuer: { issue: () => foreign } });
    expect((await sandbox.order()).point).toBe("order.issuer_unavailable");
    sandbox.force.issuer = { issue: () => ({ outcome: "timeout" }) as never };
    expect((await sandbox.order()).point).toBe("gateway.internal_error");
    expect(sandbox.company("northwind").live_cards).toBe(0);
  });

  test("does not let orders exceed the quota, which is checked again after its answer", async () => {
    const issuer = heldIssuer();
    const sandbox = openSandbox({ issuer });
    sandbox.database.run("UPDATE companies SET card_quota = 1 WHERE slug = 'northwind'");
    const orders = [sandbox.order(), sandbox.order()];
    await reaching(2, issuer.release);
    for (const release of issuer.release) release();
    const points = (await Promise.all(orders)).map((reply) => reply.point);
    expect(points.toSorted()).toEqual(["order.created", "order.quota_reached"]);
  });

  test("frees the key if it fails", async () => {
    const sandbox = openSandbox({ issuer: { issue: async () => ({ outcome: "unavailable" }) } });
    expect((await sandbox.order({ key })).status).toBe(503);
    sandbox.force.issuer = { issue: () => ({ outcome: "issued" }) };
    expect((await sandbox.order({ key })).point).toBe("order.created");
  });
});
