import { describe, expect, test } from "vitest";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";

function open(options: TestOptions = {}) {
  const sandbox = openSandbox(options);
  return { ...sandbox, unfired: () => sandbox.control.scenarios.unfired().map(({ name }) => name) };
}

describe("what was armed and never fired", () => {
  test("is told with whom it was armed for, and is gone once it fires", async () => {
    const { request, scenario, order } = open();
    scenario("conflict", { company: "northwind", times: 1 });
    expect((await request("/_sandbox/unfired")).json).toEqual({
      unfired: [
        {
          name: "conflict",
          company: "northwind",
          operation: null,
          api_key_id: null,
          times: 1,
          armed_at: "2026-03-10T09:30:00.000Z",
        },
      ],
    });
    await order();
    expect((await request("/_sandbox/unfired")).json).toEqual({ unfired: [] });
  });

  test.each<[string, (sandbox: ReturnType<typeof open>) => void]>([
    ["it is disarmed", ({ control }) => control.scenarios.disarmAll()],
    ["everything is reset", ({ reset }) => reset()],
    ["its company is reset", ({ reset }) => reset("northwind")],
    ["its company is deleted", ({ control }) => control.companies.delete("northwind")],
    [
      "the world is put back",
      ({ snapshot, restore }) => {
        snapshot("armed");
        restore("armed");
      },
    ],
  ])("is remembered where %s", (_title, remove) => {
    const sandbox = open();
    sandbox.scenario("conflict", { company: "northwind" });
    remove(sandbox);
    expect(sandbox.unfired()).toEqual(["conflict"]);
  });

  test("is told apart from what a reset world arms under the same id", async () => {
    const { scenario, reset, order, unfired } = open();
    const before = scenario("conflict").id;
    reset();
    expect(scenario("conflict").id).toBe(before);
    await order();
    expect(unfired()).toEqual(["conflict"]);
  });

  test("what the sandbox is started with counts once, however often it is reset", async () => {
    const { reset, order, unfired } = open({ scenario: "conflict" });
    reset();
    expect(unfired()).toEqual(["conflict"]);
    await order();
    reset();
    expect(unfired()).toEqual([]);
  });

  test("a request that is refused for something else does not make it fire", async () => {
    const { scenario, order, unfired } = open();
    scenario("token-expired");
    await order({ token: "nobody" });
    expect(unfired()).toEqual(["token-expired"]);
  });
});
