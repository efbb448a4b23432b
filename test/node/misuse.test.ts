import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/node/create-sandbox.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { SetupError } from "../../src/rules/errors.ts";

describe("an unknown option", () => {
  test("of createSandbox() is refused with the nearest name", () => {
    const options = { scenarois: "./scenarios" } as object;
    expect(() => createSandbox(options)).toThrow(
      /^createSandbox\(\): unknown option "scenarois"\. Did you mean "scenarios"\? Allowed: db, durability, seed, /,
    );
  });

  test("of createSandbox() can be an option of startSandbox()", () => {
    expect(() => createSandbox({ port: 0 } as object)).toThrow(
      /^createSandbox\(\): unknown option "port"\. /,
    );
  });

  test("of startSandbox() is refused before it listens on a port", async () => {
    await expect(startSandbox({ port: 0, adminTokn: "t" } as object)).rejects.toThrow(
      /^startSandbox\(\): unknown option "adminTokn"\. Did you mean "adminToken"\? /,
    );
  });

  test("does not include known options with the value undefined", async () => {
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

describe("an invalid option", () => {
  test.each<[unknown, string]>([
    [{ durability: "ful" }, 'createSandbox(): durability must be "normal" or "full", but is "ful"'],
    [{ assumed: "off" }, 'createSandbox(): assumed must be true or false, but is "off"'],
    [{ keyQuota: "member " }, 'createSandbox(): keyQuota must be "company" or "member", but is "member "'],
    [
      { onBehalfOf: true },
      'createSandbox(): onBehalfOf must be "off" or "optional" or "required" or "required-except-order", but is true',
    ],
    [{ seed: "7" }, 'createSandbox(): seed must be a non-negative integer, but is "7"'],
    [
      { journalBytes: "64 MiB" },
      'createSandbox(): journalBytes must be a non-negative integer, but is "64 MiB"',
    ],
    [{ journal: -1 }, "createSandbox(): journal must be a non-negative integer, but is -1"],
    [
      { clock: new Date(0) },
      "createSandbox(): clock must be a string with an ISO 8601 timestamp, but is an object",
    ],
    [{ db: null }, "createSandbox(): db must be a string, but is null"],
    [
      { allowWebhookHosts: "hooks.example.com" },
      'createSandbox(): allowWebhookHosts must be an array of strings, but is "hooks.example.com"',
    ],
    [{ deliver: {} }, "createSandbox(): deliver must be a function, but is an object"],
    [null, "createSandbox(): the options must be an object, such as { seed: 7 }, but are null"],
    ["world.db", 'createSandbox(): the options must be an object, such as { seed: 7 }, but are "world.db"'],
  ])("%o is refused by createSandbox()", (options, message) => {
    expect(() => createSandbox(options as object)).toThrow(new SetupError(message));
  });

  test.each<[object, string]>([
    [{ port: "x" }, 'startSandbox(): port must be an integer from 0 to 65535, but is "x"'],
    [{ port: 70_000 }, "startSandbox(): port must be an integer from 0 to 65535, but is 70000"],
    [
      { port: 0, tls: { cert: "PEM" } },
      "startSandbox(): tls must be an object with the PEM strings cert and key, but is an object",
    ],
  ])("%o is refused by startSandbox()", async (options, message) => {
    await expect(startSandbox(options)).rejects.toThrow(new SetupError(message));
  });
});

describe("a scenario without a name", () => {
  test.each([[undefined], [{ times: 1 }], [null]])("is refused: %j", async (name) => {
    const sandbox = createSandbox();
    onTestFinished(() => sandbox.close());
    const company = await sandbox.isolatedCompany();
    const message = /^scenario: must be the name of a scenario, such as "quota-reached"/;
    expect(() => sandbox.scenario(name as unknown as string)).toThrow(message);
    expect(() => company.scenario(name as unknown as string)).toThrow(message);
  });
});

describe("invalid arguments of a method", () => {
  test.each<[string, (sandbox: Sandbox) => unknown, RegExp]>([
    [
      "a company in an object",
      (sandbox) => sandbox.reset({ company: "northwind" } as unknown as string),
      /^company: no company has the id or slug \{"company":"northwind"\}\. Use the id, slug or live\/SLUG of a company/,
    ],
    [
      "an unknown contract point",
      (sandbox) => sandbox.coverage({ exclude: ["order.creatd"] }),
      /^exclude: unknown contract point "order\.creatd"\. Did you mean "order\.created"\?/,
    ],
    [
      "an unknown filter of coverage",
      (sandbox) => sandbox.coverage({ exclud: [] } as object),
      /^unknown key "exclud"\. Did you mean "exclude"\? Allowed: company, exclude$/,
    ],
    [
      "an unknown filter of requests",
      (sandbox) => sandbox.requests.list({ limt: 1 } as object),
      /^unknown key "limt"\. Did you mean "limit"\? Allowed: company, operation, /,
    ],
    [
      "an unknown filter of findings",
      (sandbox) => sandbox.findings({ finl: true } as object),
      /^unknown key "finl"\. Did you mean "final"\? Allowed: company, final, evidence$/,
    ],
    [
      "a limit of requests that is not a number",
      (sandbox) => sandbox.requests.list({ limit: "1" } as unknown as object),
      /^limit: /,
    ],
    [
      "an unknown option of scenario()",
      (sandbox) => sandbox.scenario("conflict", { time: 1 } as object),
      /^unknown key "time"\. Did you mean "times"\?/,
    ],
    [
      "an unknown filter of armed scenarios",
      (sandbox) => sandbox.control.scenarios.armed({ compny: "northwind" } as object),
      /^unknown key "compny"\. Did you mean "company"\?/,
    ],
    [
      "an unknown filter of deliveries",
      (sandbox) => sandbox.webhooks.deliveries({ compny: "northwind" } as object),
      /^unknown key "compny"\. Did you mean "company"\?/,
    ],
  ])("%s is refused with the allowed values", (_, call, message) => {
    const sandbox = createSandbox();
    onTestFinished(() => sandbox.close());
    expect(() => call(sandbox)).toThrow(message);
  });
});

test("an isolated company refuses unknown options", async () => {
  const sandbox = createSandbox();
  onTestFinished(() => sandbox.close());
  const company = await sandbox.isolatedCompany();
  expect(() => company.requests({ limt: 1 } as object)).toThrow(/Did you mean "limit"/);
  expect(() => company.scenario("conflict", { time: 1 } as object)).toThrow(/Did you mean "times"/);
  await expect(sandbox.isolatedCompany({ nmae: "A" } as object)).rejects.toThrow(/Did you mean "name"/);
  await expect(sandbox.clock.advance({ of: "PT1H" } as unknown as { by: string })).rejects.toThrow(
    /unknown key "of"/,
  );
});

describe("a closed sandbox", () => {
  const closed = "this sandbox is closed. Create another one with createSandbox().";

  test("refuses every call with an error that says so", async () => {
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

  test("still returns the journal and the coverage, and can be closed again", () => {
    const sandbox = createSandbox();
    sandbox.close();
    sandbox.close();
    expect(sandbox.requests.list().requests).toEqual([]);
    expect(sandbox.coverage().points.length).toBeGreaterThan(100);
  });
});
