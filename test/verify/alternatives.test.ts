import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { behaviourIds, behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { CannotProbe, type Probe } from "../../src/verify/probe.ts";
import { probes } from "../../src/verify/probes.ts";
import { openTarget } from "../../src/verify/target.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const targetWith = (choices: Partial<Choices>, effect: Probe["effect"]) => {
  const { request, company } = openSandbox({ choices });
  return openTarget({
    fetch: async (path, init) => {
      const { status, headers, text } = await request(path, init);
      return new Response(text === "" ? null : text, { status, headers });
    },
    apiKey: "sk_sandbox_northwind_owner",
    employeeApiKey: "sk_sandbox_northwind_employee",
    companyId: company("northwind").id,
    effect,
    uuid: randomUUID,
  });
};

test("each behavior that can be observed from outside has a probe", () => {
  const observable = behaviourIds.filter((id) => behaviours[id].unobservable === undefined);
  expect(probes.map(({ behaviour }) => behaviour).toSorted()).toEqual(observable.toSorted());
});

describe.each(probes)("the probe of $behaviour", ({ behaviour, effect, observe }) => {
  test.each(behaviours[behaviour].alternatives.map(({ id }) => id))("recognizes %s", async (use) => {
    expect(await observe(targetWith({ [behaviour]: use }, effect))).toBe(use);
  });
});

test("a probe of an employee needs their API key", async () => {
  const { employeeToken } = openTarget({
    fetch: async () => new Response("{}"),
    apiKey: "sk_sandbox_northwind_owner",
    effect: "read",
    uuid: randomUUID,
  });
  await expect(employeeToken()).rejects.toThrow(CannotProbe);
});
