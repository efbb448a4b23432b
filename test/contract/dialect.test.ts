import { describe, expect, test } from "vitest";
import { type BehaviourId, behaviourIds, behaviours } from "../../src/contract/behaviours.ts";
import type { Decision } from "../../src/contract/decision.ts";
import { decisionsOf } from "../../src/contract/decisions.ts";
import {
  conflictIn,
  contractUnder,
  type Dialect,
  defaultContract,
  defaultOf,
  reachablePoints,
} from "../../src/contract/dialect.ts";
import { operationIds } from "../../src/contract/operations.ts";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";

const alternatives = behaviourIds.flatMap((id) =>
  behaviours[id].alternatives.map((alternative) => ({ id, alternative, name: `${id}: ${alternative.id}` })),
);

/** The dialect that selects an alternative that the types do not know. */
const selecting = (selections: Record<string, object>) => selections as Dialect;

describe.each(behaviourIds)("the behavior %s", (id) => {
  const { title, spec, alternatives, points } = behaviours[id];

  test("has an id of its group, a title, and sections of the specification", () => {
    expect(id).toMatch(/^[a-z_]+\.[a-z0-9_]+$/);
    expect(title).toMatch(/^[A-Z][^\n]*[^.\n]$/);
    expect(spec).toMatch(/^§[1-9](\.[1-9])?(, §[1-9](\.[1-9])?)*$/);
  });

  test("has several alternatives with different ids, each with a title and a reason", () => {
    expect(alternatives.length).toBeGreaterThan(1);
    expect(new Set(alternatives.map((each) => each.id)).size).toBe(alternatives.length);
    for (const { id, title, reason } of alternatives) {
      expect(id).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
      for (const text of [title, reason]) expect(text).toMatch(/^[^\n]*[^.\n]$/);
    }
  });

  test("lists the contract points that its alternatives change", () => {
    const changed = alternatives.flatMap(({ points = {}, unreachable = [] }) => [
      ...Object.keys(points),
      ...unreachable,
    ]);
    expect(changed.filter((point) => !points.includes(point as ContractPointId))).toEqual([]);
  });

  test("has a default that changes nothing", () => {
    const { points, moves } = defaultOf(id);
    expect([points, moves]).toEqual([undefined, undefined]);
  });
});

describe("no alternative contradicts the specification:", () => {
  test.each(alternatives)("$name", ({ alternative: { points = {}, unreachable = [] } }) => {
    const isSpecified = (point: string) =>
      contractPoints[point as ContractPointId].provenance === "specified";
    expect(unreachable.filter(isSpecified)).toEqual([]);
    for (const [point, change] of Object.entries(points).filter(([point]) => isSpecified(point))) {
      const { open = [] } = contractPoints[point as ContractPointId];
      const aspects = Object.keys(change).map((aspect) => (aspect === "code" ? "envelope" : aspect));
      const changed = aspects.filter((aspect) => aspect !== "title");
      expect([point, changed.filter((aspect) => !(open as readonly string[]).includes(aspect))]).toEqual([
        point,
        [],
      ]);
    }
  });
});

test("each contract point can be reached under some alternative", () => {
  const unreachable = (Object.keys(contractPoints) as ContractPointId[]).filter((point) =>
    behaviourIds.some((id) => behaviours[id].alternatives.every((each) => each.unreachable?.includes(point))),
  );
  expect(unreachable).toEqual([]);
});

describe("the rows of the decisions table", () => {
  const moving = alternatives.filter(({ alternative }) => alternative.moves);

  test.each(moving)("$name moves rows of an operation, and loses none", ({ id, alternative }) => {
    const { rows } = contractUnder(selecting({ [id]: { use: alternative.id } }));
    const orders = operationIds.map((operation) => [rows[operation], decisionsOf(operation)] as const);
    expect(orders.some(([moved, usual]) => moved.some((row, i) => row !== usual[i]))).toBe(true);
    const all = (of: readonly Decision[]) => new Set(of);
    for (const [moved, usual] of orders) expect(all(moved)).toEqual(all(usual));
  });

  test("are those of the table without a dialect", () => {
    for (const operation of operationIds) {
      expect(defaultContract.rows[operation]).toEqual(decisionsOf(operation));
    }
  });
});

describe("conflicts", () => {
  test.each(alternatives.filter(({ alternative }) => alternative.conflicts))(
    "$name refers to alternatives of other behaviors",
    ({ id, alternative: { conflicts = [] } }) => {
      for (const conflict of conflicts) {
        const [other = "", use = ""] = conflict.split("=");
        expect(other).not.toBe(id);
        expect(behaviours[other as BehaviourId].alternatives.map((each) => each.id)).toContain(use);
      }
    },
  );

  test("no alternative conflicts with the defaults of other behaviors", () => {
    const conflicting = alternatives.filter(({ id, alternative }) =>
      conflictIn(selecting({ [id]: { use: alternative.id } })),
    );
    expect(conflicting.map(({ name }) => name)).toEqual([]);
  });
});

describe("the contract under a dialect", () => {
  test("has the choices, the statuses and the reachable points of its alternatives", () => {
    const { choices, points } = contractUnder({ "replay.status": { use: "200" } });
    expect(choices).toEqual({ ...defaultContract.choices, "replay.status": "200" });
    expect([points["order.replayed"].status, points["order.created"].status]).toEqual([200, 201]);
    const required = contractUnder({ "on_behalf_of.mode": { use: "required" } });
    expect(required.unreachable).not.toContain("order.on_behalf_of_required");
    expect(defaultContract.unreachable).toContain("order.on_behalf_of_required");
    expect(reachablePoints(required).map(({ id }) => id)).toContain("order.on_behalf_of_required");
  });

  test("is made once for equal dialects", () => {
    expect(contractUnder({ "replay.status": { use: "200" } })).toBe(
      contractUnder({ "replay.status": { use: "200" } }),
    );
    expect(contractUnder({})).toBe(defaultContract);
  });

  test("marks points as observed once all their open behaviors were observed, but never specified ones", () => {
    const about = (point: ContractPointId) =>
      behaviourIds.filter((id) => behaviours[id].points.includes(point));
    const observed = Object.fromEntries(
      about("cards.replayed").map((id) => [id, { use: defaultOf(id).id, provenance: "observed" }]),
    );
    const all = contractUnder(selecting(observed)).points;
    expect(all["cards.replayed"].provenance).toBe("observed");
    expect(all["order.replayed"].provenance).toBe("specified");
    const assumed = { ...observed, "replay.status": { use: "200" } };
    expect(contractUnder(selecting(assumed)).points["cards.replayed"].provenance).toBe("assumed");
  });
});
