import { describe, expect, test } from "vitest";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";

function open(options: TestOptions = {}) {
  const sandbox = openSandbox(options);
  return { ...sandbox, unused: () => sandbox.control.scenarios.unused().map(({ name }) => name) };
}

describe("an unused scenario", () => {
  test("is listed with its target until it fires", async () => {
    const { request, scenario, order } = open();
    scenario("conflict", { company: "northwind", times: 1 });
    expect((await request("/_sandbox/unused-scenarios")).json).toEqual({
      unused_scenarios: [
        {
          name: "conflict",
          company: "northwind",
          operation: null,
          api_key_id: null,
          times: 1,
          armed_at: "2026-03-10T09:30:00.000Z",
          from_start: false,
        },
      ],
    });
    await order();
    expect((await request("/_sandbox/unused-scenarios")).json).toEqual({ unused_scenarios: [] });
  });

  test.each<[string, (sandbox: ReturnType<typeof open>) => void]>([
    ["it is disarmed", ({ control }) => control.scenarios.disarmAll()],
    ["everything is reset", ({ reset }) => reset()],
    ["its company is reset", ({ reset }) => reset("northwind")],
    ["its company is deleted", ({ control }) => control.companies.delete("northwind")],
    [
      "a snapshot is restored",
      ({ snapshot, restore }) => {
        snapshot("armed");
        restore("armed");
      },
    ],
  ])("stays listed after %s", (_title, remove) => {
    const sandbox = open();
    sandbox.scenario("conflict", { company: "northwind" });
    remove(sandbox);
    expect(sandbox.unused()).toEqual(["conflict"]);
  });

  test("is distinguished from one that is armed with the same id after a reset", async () => {
    const { scenario, reset, order, unused } = open();
    const before = scenario("conflict").id;
    reset();
    expect(scenario("conflict").id).toBe(before);
    await order();
    expect(unused()).toEqual(["conflict"]);
  });

  test("of the start is listed once, also after resets", async () => {
    const { reset, order, unused } = open({ scenario: "conflict" });
    reset();
    expect(unused()).toEqual(["conflict"]);
    await order();
    reset();
    expect(unused()).toEqual([]);
  });

  test("stays listed if another check refuses the request", async () => {
    const { scenario, order, unused } = open();
    scenario("token-expired");
    await order({ token: "nobody" });
    expect(unused()).toEqual(["token-expired"]);
  });
});
