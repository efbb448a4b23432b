import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { readScenarios } from "../../src/node/input-files.ts";
import { run, startCommandLine, temporaryFolder } from "../support/command-line.ts";

/** A valid file. `lines` replaces lines of it; `undefined` removes a line. */
function fileOf(lines: Record<string, string | undefined> = {}): string {
  const all: Record<string, string | undefined> = {
    name: "mine",
    title: "Mine",
    description: "My own",
    spec: "[§7]",
    points: "[order.quota_reached]",
    steps: "[{ facts: { quota_reached: true } }]",
    example: "[{ expect: { status: 422 } }]",
    ...lines,
  };
  return Object.entries(all)
    .flatMap(([key, value]) => (value === undefined ? [] : `${key}: ${value}\n`))
    .join("");
}

function folderOf(files: Record<string, string>): string {
  const folder = join(temporaryFolder(), "scenarios");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe("an invalid scenario file is refused with file, line and column", () => {
  test.each<[string, Record<string, string | undefined>, RegExp]>([
    ["an unknown key", { titel: "x" }, /mine\.yaml:8:1: unknown key "titel"\. Did you mean "title"\?/],
    [
      "an unknown fact",
      { steps: "[{ facts: { quota_reach: true } }]" },
      /:6:20: unknown key "quota_reach"\. Did you mean "quota_reached"\? Allowed: token, key_revoked, /,
    ],
    [
      "an unknown fault",
      { steps: "[{ faults: { issuer: { hold: 5 } } }]" },
      /:6:31: unknown key "hold"\. Did you mean "hold_ms"\?/,
    ],
    [
      "a value that has no effect",
      { steps: "[{ facts: { company_status: active } }]" },
      /:6:36: .*suspended/,
    ],
    [
      "no example",
      { example: undefined },
      /example: must be a list of requests, each with its expected response/,
    ],
    ["an empty example", { example: "[]" }, /:7:10: example: must contain at least one request/],
    [
      "an unknown point",
      { points: "[order.quota_reach]" },
      /:5:10: points\.0: unknown "order\.quota_reach"\. Did you mean "order\.quota_reached"\?/,
    ],
    [
      "a first point that no step leads to",
      { points: "[order.created, order.quota_reached]" },
      /:5:10: points\.0: must be one of the contract points that the steps lead to: order\.quota_reached/,
    ],
    ["an unknown tag", { title: "!!foo x" }, /:2:8: .*tag/],
    [
      "an unknown operation",
      { on: "orderPhysicalCards" },
      /:8:5: on: unknown operation "orderPhysicalCards"\. Did you mean "orderPhysicalCard"\? Allowed: /,
    ],
    [
      "an unknown operation in a list",
      { on: "[replaceCard, orderCard]" },
      /:8:5: on: unknown operation "orderCard"\. .*Allowed: /,
    ],
    ["no operation", { on: "[]" }, /:8:5: on: must not be empty/],
    ["an invalid section", { spec: "[7]" }, /:4:8: spec\.0: must be a string, but is 7$/],
    ["a list instead of a text", { title: "[Mine]" }, /:2:8: title: must be a string, but is a list$/],
    ["a text instead of a list", { spec: "§7" }, /:4:7: spec: must be a list, but is "§7"$/],
    ["an empty list", { spec: "[]" }, /:4:7: spec: must not be empty$/],
    ["a text instead of an object", { steps: "[down]" }, /:6:9: steps\.0: must be an object, but is "down"$/],
    [
      "part of a millisecond",
      { steps: "[{ faults: { request: { latency_ms: 0.5 } } }]" },
      /:6:44: steps\.0\.faults\.request\.latency_ms: must be an integer, but is 0\.5$/,
    ],
    [
      "an empty step",
      { steps: "[{}]" },
      /:6:9: steps\.0: must contain facts, faults or both; or only pass: true/,
    ],
    [
      "a step with pass and a fact",
      { steps: "[{ pass: true, facts: { quota_reached: true } }]" },
      /:6:9: steps\.0: must contain facts, faults or both; or only pass: true/,
    ],
    [
      "a name that differs from the file name",
      { name: "yours" },
      /mine\.yaml:1:7: name: must be "mine", the file name without its extension, but is "yours"/,
    ],
    [
      "a point of a step that is missing from points",
      { points: "[order.created]" },
      /:5:9: points: must include order\.quota_reached, because step 1 leads to it/,
    ],
  ])("%s", (_what, lines, message) => {
    const folder = folderOf({ "mine.yaml": fileOf(lines) });
    expect(() => readScenarios(folder)).toThrow(message);
  });
});

describe("a step that can never fire is refused with the reason", () => {
  test.each<[string, string, RegExp]>([
    [
      "a fact that an earlier fact hides",
      "[{ facts: { quota_reached: true, company_status: closed } }]",
      /:6:35: steps\.0\.facts\.quota_reached: can never fire, because facts\.company_status takes precedence/,
    ],
    [
      "a fault of the response after a refusal by the issuer",
      "[{ faults: { issuer: { unavailable: true }, response: { reset: true } } }]",
      /steps\.0\.faults\.response\.reset: can never fire, because faults\.issuer\.unavailable takes precedence/,
    ],
    [
      "a fault of the issuer after an earlier refusal",
      "[{ facts: { account: missing }, faults: { issuer: { hold_ms: 5 } } }]",
      /faults\.issuer\.hold_ms: can never fire, because facts\.account takes precedence/,
    ],
    [
      "a fault after a dropped request",
      "[{ faults: { request: { dropped: true }, response: { latency_ms: 5 } } }]",
      /faults\.response\.latency_ms: can never fire, because faults\.request\.dropped takes precedence/,
    ],
    [
      "two ways to end one connection",
      "[{ faults: { response: { reset: true, empty: true } } }]",
      /faults\.response\.empty: can never fire, because faults\.response\.reset takes precedence/,
    ],
    [
      "permissions that allow the operation",
      "[{ facts: { permissions: [issue_cards] } }]",
      /facts\.permissions: can never fire, because issue_cards allows orderPhysicalCard/,
    ],
    [
      "a fact of another operation",
      "[{ facts: { key_revoked: true } }]",
      /facts\.key_revoked: can never fire, because it does not affect orderPhysicalCard/,
    ],
    [
      "steps that only pass",
      "[{ pass: true }]",
      /:6:8: steps: can never fire, because every step only passes/,
    ],
    [
      "a connection that is lost while an issuer works that takes no time",
      "[{ faults: { issuer: { disconnect: true } } }]",
      /faults\.issuer\.disconnect: needs latency_ms or hold_ms beside it/,
    ],
    [
      "a fault of a response that is lost before",
      "[{ faults: { issuer: { hold_ms: 5, disconnect: true }, response: { silent_ms: 5 } } }]",
      /faults\.response\.silent_ms: can never fire, because faults\.issuer\.disconnect takes precedence/,
    ],
  ])("%s", (_what, steps, message) => {
    const folder = folderOf({ "mine.yaml": fileOf({ steps }) });
    expect(() => readScenarios(folder)).toThrow(message);
  });

  test("a refusal can be delayed and truncated", () => {
    const steps =
      "[{ facts: { quota_reached: true }, faults: { response: { latency_ms: 5, truncated: true } } }]";
    expect(readScenarios(folderOf({ "mine.yaml": fileOf({ steps }) }))).toHaveLength(1);
  });
});

describe("a folder of scenario files", () => {
  test.each([
    [
      "does not exist",
      () => "/nowhere/at/all",
      /\/nowhere\/at\/all: cannot read the folder of scenario files: ENOENT/,
    ],
    ["contains no YAML file", () => folderOf({ "notes.txt": "" }), /contains no scenario files/],
    [
      "contains only a folder named like a YAML file",
      () => {
        const folder = folderOf({});
        mkdirSync(join(folder, "mine.yaml"));
        return folder;
      },
      /contains no scenario files/,
    ],
    [
      "contains a file that is not text",
      () => {
        const folder = folderOf({});
        writeFileSync(join(folder, "mine.yaml"), Buffer.from([0x89, 0x50, 0x4e, 0x47]));
        return folder;
      },
      /mine\.yaml: cannot read the scenario file: it is not a UTF-8 text file/,
    ],
    [
      "reuses the name of a shipped scenario",
      () => folderOf({ "conflict.yaml": fileOf({ name: "conflict" }) }),
      /conflict\.yaml:1:7: name: "conflict" is already the name of another scenario/,
    ],
    [
      "contains a name twice",
      () => folderOf({ "mine.yaml": fileOf(), "mine.yml": fileOf() }),
      /mine\.yml:1:7: name: "mine" is already the name of another scenario/,
    ],
  ])("is refused if it %s", (_what, folder, message) => {
    expect(() => createSandbox({ scenarios: folder() })).toThrow(message);
  });

  test("adds to the shipped scenarios, and --scenario can arm one of them", async () => {
    const folder = folderOf({ "mine.yaml": fileOf() });
    const sandbox = await startCommandLine(["--scenarios", folder, "--scenario", "mine"]);
    const reply = await sandbox.order("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30");
    expect([reply.status, reply.headers.get("Sandbox-Scenario")]).toEqual([422, "mine"]);
    const { scenarios } = (await (await fetch(`${sandbox.url}/_sandbox/scenarios`)).json()) as {
      scenarios: { name: string }[];
    };
    expect(scenarios.map(({ name }) => name).at(-1)).toBe("mine");
  });

  test("an unknown or invalid scenario prevents the start with an error message of one line", async () => {
    const folder = folderOf({ "mine.yaml": fileOf({ titel: "x" }) });
    for (const [args, message] of [
      [["--scenario", "quota-reach"], 'unknown scenario "quota-reach". Did you mean "quota-reached"?'],
      [["--scenario", "nope"], 'unknown scenario "nope". Use one of quota-reached, '],
      [["--scenarios", folder], 'unknown key "titel"'],
      [["--scenario", "conflict", "--scenario", "forbidden"], "--scenario: can be used only once"],
    ] as const) {
      const { ended, output } = run([...args, "--port", "0"]);
      expect((await ended).code).toBe(2);
      expect(output.stderr).toContain(message);
      expect(output.stderr.trim().split("\n")).toHaveLength(1);
    }
  });
});

test("each start with a database file arms its own scenario; an unknown name creates no file", () => {
  const db = join(temporaryFolder(), "sandbox.db");
  expect(() => createSandbox({ db, scenario: "forbiden" })).toThrow('Did you mean "forbidden"?');
  expect(existsSync(db)).toBe(false);
  const armedAt = (scenario?: string) => {
    const sandbox = createSandbox({ db, scenario });
    const { armed } = sandbox.control.scenarios.armed();
    sandbox.close();
    return armed.map(({ name }) => name);
  };
  expect([armedAt("conflict"), armedAt("conflict"), armedAt("forbidden"), armedAt()]).toEqual([
    ["conflict"],
    ["conflict"],
    ["forbidden"],
    [],
  ]);
});

test("the start-up lines show the armed scenario", async () => {
  const { output } = await startCommandLine(["--scenario", "conflict"]);
  expect(output.stdout).toContain("\nArmed for all companies: conflict\n");
});

test("the published schema has the keys of scenario files", () => {
  const schema = JSON.parse(readFileSync(new URL("../../schema/scenario.json", import.meta.url), "utf8"));
  expect(schema.additionalProperties).toBe(false);
  expect(schema.required).toEqual(["name", "title", "description", "spec", "points", "steps", "example"]);
  expect(Object.keys(schema.properties.steps.items.properties.facts.properties)).toContain("quota_reached");
  expect(schema.properties.points.items.enum).toContain("order.quota_reached");
});
