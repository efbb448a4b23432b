import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { behaviourIds, behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { CannotProbe } from "../../src/verify/probe.ts";
import { probes } from "../../src/verify/probes.ts";
import { openTarget } from "../../src/verify/target.ts";
import { base, openSandbox } from "../support/open-sandbox.ts";

const targetWith = (choices: Partial<Choices>) => {
  const { request } = openSandbox({ choices });
  return openTarget({
    fetch: async (path, init) => {
      const { status, headers, text } = await request(path, init);
      return new Response(text === "" ? null : text, { status, headers });
    },
    apiKey: "sk_sandbox_northwind_owner",
    employeeApiKey: "sk_sandbox_northwind_employee",
    uuid: randomUUID,
  });
};

test("each behavior that can be observed from outside has a probe", () => {
  const observable = behaviourIds.filter((id) => behaviours[id].unobservable === undefined);
  expect(probes.map(({ behaviour }) => behaviour).toSorted()).toEqual(observable.toSorted());
});

describe.each(probes)("the probe of $behaviour", ({ behaviour, observe }) => {
  test.each(behaviours[behaviour].alternatives.map(({ id }) => id))("recognizes %s", async (use) => {
    expect(await observe(targetWith({ [behaviour]: use }))).toBe(use);
  });
});

test("a probe of an employee needs their API key", async () => {
  const { employeeToken } = openTarget({
    fetch: async () => new Response(`${base}`),
    apiKey: "sk_sandbox_northwind_owner",
    uuid: randomUUID,
  });
  expect(() => employeeToken()).toThrow(CannotProbe);
});
