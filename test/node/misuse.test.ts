import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";

describe("an option that there is not", () => {
  test("of createSandbox() is refused, with the one that was meant", () => {
    const options = { scenarois: "./scenarios" } as object;
    expect(() => createSandbox(options)).toThrow(
      /^createSandbox\(\) has no option scenarois: did you mean scenarios\? It takes db, durability, seed, /,
    );
  });

  test("of createSandbox() is startSandbox()'s alone", () => {
    expect(() => createSandbox({ port: 0 } as object)).toThrow(/^createSandbox\(\) has no option port: /);
  });

  test("of startSandbox() is refused too, and binds no port", async () => {
    await expect(startSandbox({ port: 0, adminTokn: "t" } as object)).rejects.toThrow(
      /^startSandbox\(\) has no option adminTokn: did you mean adminToken\? /,
    );
  });

  test("is none that is known, whatever its value", async () => {
    createSandbox({ db: undefined, seed: undefined, observe: undefined }).close();
    const started = await startSandbox({
      port: 0,
      livePort: undefined,
      tls: undefined,
      control: true,
      journal: 0,
    });
    await started.close();
  });
});

describe("a scenario that is not named", () => {
  test.each([[undefined], [{ times: 1 }], [null]])("%j is asked for", async (name) => {
    const sandbox = createSandbox();
    onTestFinished(() => sandbox.close());
    const company = await sandbox.isolatedCompany();
    const message = /^name the scenario: scenario\("quota-reached"\)/;
    expect(() => sandbox.scenario(name as unknown as string)).toThrow(message);
    expect(() => company.scenario(name as unknown as string)).toThrow(message);
  });
});

describe("a sandbox that is closed", () => {
  const closed = "this sandbox is closed: make another with createSandbox()";

  test("says so, whatever is asked of it", async () => {
    const sandbox = createSandbox();
    const company = await sandbox.isolatedCompany();
    sandbox.close();
    await expect(sandbox.fetch("http://sandbox/")).rejects.toThrow(closed);
    await expect(sandbox.isolatedCompany()).rejects.toThrow(closed);
    await expect(sandbox.clock.advance({ by: "PT1H" })).rejects.toThrow(closed);
    await expect(company.clock.advance("PT1H")).rejects.toThrow(closed);
    for (const call of [
      () => sandbox.world(),
      () => sandbox.reset(),
      () => sandbox.snapshot("a"),
      () => sandbox.restore("a"),
      () => sandbox.scenario("quota-reached"),
      () => sandbox.control.apiKeys.list(),
      () => sandbox.webhooks.deliveries(),
      () => company.scenario("quota-reached"),
      () => company.delete(),
    ]) {
      expect(call).toThrow(closed);
    }
  });

  test("still tells what was seen, and may be closed again", () => {
    const sandbox = createSandbox();
    sandbox.close();
    sandbox.close();
    expect(sandbox.requests.list().requests).toEqual([]);
    expect(sandbox.coverage().points.length).toBeGreaterThan(100);
  });
});
