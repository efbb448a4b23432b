import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/node/create-sandbox.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { SetupError } from "../../src/rules/errors.ts";

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

describe("an option's value that it does not take", () => {
  test.each<[unknown, string]>([
    [{ durability: "ful" }, 'the option durability of createSandbox() takes "normal" or "full"; got "ful"'],
    [{ assumed: "off" }, 'the option assumed of createSandbox() takes true or false; got "off"'],
    [
      { keyQuota: "member " },
      'the option keyQuota of createSandbox() takes "company" or "member"; got "member "',
    ],
    [
      { onBehalfOf: true },
      'the option onBehalfOf of createSandbox() takes "off" or "optional" or "required" or "required-except-order"; got true',
    ],
    [{ seed: "7" }, 'the option seed of createSandbox() takes a whole number from 0; got "7"'],
    [
      { journalBytes: "64 MiB" },
      'the option journalBytes of createSandbox() takes a whole number from 0; got "64 MiB"',
    ],
    [{ journal: -1 }, "the option journal of createSandbox() takes a whole number from 0; got -1"],
    [
      { clock: new Date(0) },
      "the option clock of createSandbox() takes an ISO 8601 instant as a string; got an object",
    ],
    [{ db: null }, "the option db of createSandbox() takes a string; got null"],
    [
      { allowWebhookHosts: "hooks.example.com" },
      'the option allowWebhookHosts of createSandbox() takes an array of strings; got "hooks.example.com"',
    ],
    [{ deliver: {} }, "the option deliver of createSandbox() takes a function; got an object"],
    [null, "createSandbox() takes its options as an object, such as { seed: 7 }"],
    ["world.db", "createSandbox() takes its options as an object, such as { seed: 7 }"],
  ])("%o is refused by createSandbox()", (options, message) => {
    expect(() => createSandbox(options as object)).toThrow(new SetupError(message));
  });

  test.each<[object, string]>([
    [{ port: "x" }, 'the option port of startSandbox() takes a port from 0 to 65535; got "x"'],
    [{ port: 70_000 }, "the option port of startSandbox() takes a port from 0 to 65535; got 70000"],
    [
      { port: 0, tls: { cert: "PEM" } },
      "the option tls of startSandbox() takes an object of cert and key, each PEM; got an object",
    ],
  ])("%o is refused by startSandbox()", async (options, message) => {
    await expect(startSandbox(options)).rejects.toThrow(new SetupError(message));
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

describe("what a test process hands on", () => {
  test.each<[string, (sandbox: Sandbox) => unknown, RegExp]>([
    [
      "a company in an object",
      (sandbox) => sandbox.reset({ company: "northwind" } as unknown as string),
      /^no company \{"company":"northwind"\}: name it by its id, its slug, or live\/SLUG/,
    ],
    [
      "a point that there is not",
      (sandbox) => sandbox.coverage({ exclude: ["order.creatd"] }),
      /^exclude: "order\.creatd" is no contract point: did you mean order\.created\?/,
    ],
    [
      "a filter that there is not",
      (sandbox) => sandbox.coverage({ exclud: [] } as object),
      /^unknown key "exclud": did you mean "exclude"\? Known here: company, exclude$/,
    ],
    [
      "an unknown filter of requests",
      (sandbox) => sandbox.requests.list({ limt: 1 } as object),
      /^unknown key "limt": did you mean "limit"\? Known here: company, operation, /,
    ],
    [
      "an unknown filter of findings",
      (sandbox) => sandbox.findings({ finl: true } as object),
      /^unknown key "finl": did you mean "final"\? Known here: company, final$/,
    ],
    [
      "a limit of requests that is no number",
      (sandbox) => sandbox.requests.list({ limit: "1" } as unknown as object),
      /^limit: /,
    ],
    [
      "an unknown option of an arming",
      (sandbox) => sandbox.scenario("conflict", { time: 1 } as object),
      /^unknown key "time": did you mean "times"\?/,
    ],
    [
      "an unknown filter of armed scenarios",
      (sandbox) => sandbox.control.scenarios.armed({ compny: "northwind" } as object),
      /^unknown key "compny": did you mean "company"\?/,
    ],
    [
      "an unknown filter of deliveries",
      (sandbox) => sandbox.webhooks.deliveries({ compny: "northwind" } as object),
      /^unknown key "compny": did you mean "company"\?/,
    ],
  ])("%s is refused with what fits", (_, call, message) => {
    const sandbox = createSandbox();
    onTestFinished(() => sandbox.close());
    expect(() => call(sandbox)).toThrow(message);
  });
});

test("an isolated company refuses unknown options, too", async () => {
  const sandbox = createSandbox();
  onTestFinished(() => sandbox.close());
  const company = await sandbox.isolatedCompany();
  expect(() => company.requests({ limt: 1 } as object)).toThrow(/did you mean "limit"/);
  expect(() => company.scenario("conflict", { time: 1 } as object)).toThrow(/did you mean "times"/);
  await expect(sandbox.isolatedCompany({ nmae: "A" } as object)).rejects.toThrow(/did you mean "name"/);
  await expect(sandbox.clock.advance({ of: "PT1H" } as unknown as { by: string })).rejects.toThrow(
    /unknown key "of"/,
  );
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
