import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CardStatus, cardStatus } from "../../src/contract/card.ts";
import { cardTransitions, hasEnded, type Trigger } from "../../src/rules/card-transitions.ts";
import { openCards } from "../support/open-cards.ts";

const triggers = Object.keys(cardTransitions) as Trigger[];
const table: Readonly<Record<Trigger, { to: Partial<Record<CardStatus, CardStatus | "previous">> }>> =
  cardTransitions;

/** Where the table leads a card that no hold found in another state. */
const leadsTo = (trigger: Trigger, status: CardStatus): CardStatus | undefined => {
  const next = table[trigger].to[status];
  return next === "previous" ? "active" : next;
};

describe("every trigger changes every status as the table of transitions defines", () => {
  test.each(cardStatus.options)("a card that is %s", async (status) => {
    const sandbox = openCards();
    const { owner, owners } = await sandbox.companyWith(triggers.map(() => status));
    const token = await sandbox.exchange(owner);
    for (const [i, trigger] of triggers.entries()) {
      const id = owners[i]?.id ?? "";
      const reply = await sandbox.set(trigger, id, { token });
      const next = leadsTo(trigger, status);
      const which = `${trigger} of a card that is ${status}`;
      expect(reply.status, which).toBe(next === undefined ? 409 : trigger.startsWith("replace") ? 201 : 200);
      if (next === undefined) expect(reply.json.error, which).toContain(`The card is ${status} and cannot `);
      const { json } = await sandbox.get(`/developer/cards/${id}`, { token });
      expect(json.status, which).toBe(next ?? status);
    }
  });

  test("returns the specified 409 (spec §3)", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const reply = await sandbox.set("unfreeze", id);
    expect([reply.status, reply.point, reply.provenance]).toEqual([409, "cards.state_conflict", "assumed"]);
    expect(reply.json).toEqual({
      error: "The card is active and cannot be unfrozen: its status must be frozen",
    });
  });

  test("a card that has ended allows only the replacement of an expired one", () => {
    const left = triggers.flatMap((trigger) =>
      Object.keys(table[trigger].to)
        .filter((status) => hasEnded(status as CardStatus))
        .map((status) => `${trigger} ${status}`),
    );
    expect(left).toEqual(["replace_expiring expired"]);
  });
});

describe("an operator's hold", () => {
  test.each(["suspend", "lock", "block"] as const)("%s is lifted to the previous status", async (hold) => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.set(hold, id);
    expect((await sandbox.set("lift", id)).json.status).toBe("active");
    await sandbox.set("freeze", id);
    await sandbox.set(hold, id);
    expect((await sandbox.set("lift", id)).json.status).toBe("frozen");
    expect((await sandbox.set("lift", id)).status).toBe(409);
  });
});

test("random changes follow the table of transitions, and live_cards counts the cards that have not ended", async () => {
  const step = fc.record({ trigger: fc.constantFrom(...triggers), pick: fc.nat() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const sandbox = openCards();
      const { owner, liveCards } = await sandbox.companyWith(["inactive", "active", "active"]);
      const token = await sandbox.exchange(owner);
      const list = async () => (await sandbox.get("/developer/cards?limit=100", { token })).json.data;
      /** In which state an operator's hold found a card. */
      const heldFrom = new Map<string, CardStatus>();
      const replaced = new Set<string>();
      for (const { trigger, pick } of steps) {
        const before = await list();
        const { id, status } = before[pick % before.length];
        const reply = await sandbox.set(trigger, id, { token });
        // A card that expired stays so, and is replaced once.
        const isOver = trigger.startsWith("replace") && replaced.has(id);
        const named = isOver ? undefined : table[trigger].to[status as CardStatus];
        const next = named === "previous" ? (heldFrom.get(id) ?? "active") : named;
        expect(reply.status < 300).toBe(next !== undefined);
        const after = await list();
        expect(after.find((each: { id: string }) => each.id === id).status).toBe(next ?? status);
        if (["suspend", "lock", "block"].includes(trigger) && next) heldFrom.set(id, status);
        const made = trigger.startsWith("replace") && next !== undefined ? 1 : 0;
        if (made) replaced.add(id);
        expect(after.length).toBe(before.length + made);
        expect(liveCards()).toBe(
          after.filter((each: { status: CardStatus }) => !hasEnded(each.status)).length,
        );
      }
    }),
    { numRuns: 25 },
  );
});
