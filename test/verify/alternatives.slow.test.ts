import { describe, expect, test } from "vitest";
import { behaviourIds, behaviours } from "../../src/contract/behaviours.ts";
import { CannotProbe } from "../../src/verify/probe.ts";
import { probes } from "../../src/verify/probes.ts";
import { openProbed } from "../support/probed-target.ts";

test("each behavior that can be observed from outside has a probe", () => {
  const observable = behaviourIds.filter((id) => behaviours[id].unobservable === undefined);
  expect(probes.map(({ behaviour }) => behaviour).toSorted()).toEqual(observable.toSorted());
});

describe.each(probes)("the probe of $behaviour", ({ behaviour, effect, observe }) => {
  test.each(behaviours[behaviour].alternatives.map(({ id }) => id))("recognizes %s", async (use) => {
    const needsOrder = behaviour === "on_behalf_of.mode" && use.startsWith("required");
    const { target } = openProbed({ [behaviour]: use }, { effect: needsOrder ? "write" : effect });
    expect(await observe(target)).toBe(use);
  });
});

test("a probe of an employee needs their API key", async () => {
  const { target } = openProbed({}, { employeeApiKey: undefined });
  await expect(target.employeeToken()).rejects.toThrow(CannotProbe);
});
