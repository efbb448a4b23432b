import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { readScenarios } from "../../src/node/input-files.ts";
import { run, startCommandLine, temporaryFolder } from "../support/command-line.ts";

/** A file that fits; each line may be replaced, or dropped by `undefined`. */
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

describe("a scenario file that does not fit is refused with file, line and column", () => {
  test.each<[string, Record<string, string | undefined>, RegExp]>([
    ["an unknown key", { titel: "x" }, /mine\.yaml:8:1: unknown key "titel": did you mean "title"\?/],
    [
      "an unknown fact",
      { steps: "[{ facts: { quota_reach: true } }]" },
      /:6:20: unknown key "quota_reach": did you mean "quota_reached"\? Known here: token, key_revoked, /,
    ],
    [
      "an unknown fault, deep inside",
      { steps: "[{ faults: { issuer: { hold: 5 } } }]" },
      /:6:31: unknown key "hold": did you mean "hold_ms"\?/,
    ],
    [
      "a value that forces nothing",
      { steps: "[{ facts: { company_status: active } }]" },
      /:6:36: .*suspended/,
    ],
    ["no example", { example: undefined }, /example: is required: requests, and what becomes of each/],
    ["an empty example", { example: "[]" }, /:7:10: example: must hold a request/],
    [
      "an unknown point",
      { points: "[order.quota_reach]" },
      /:5:10: points\.0: unknown "order\.quota_reach": did you mean "order\.quota_reached"\?/,
    ],
    [
      "a first point to which no step leads",
      { points: "[order.created, order.quota_reached]" },
      /:5:10: points\.0: must be one to which a step leads: order\.quota_reached/,
    ],
    ["an unknown tag", { title: "!!foo x" }, /:2:8: .*tag/],
    ["an unknown operation", { on: "orderCard" }, /:8:5: on: /],
    ["a section that is none", { spec: "[7]" }, /:4:8: spec\.0: /],
    ["an empty step", { steps: "[{}]" }, /:6:9: steps\.0: must hold facts or faults, or pass alone/],
    [
      "a step that passes and does more",
      { steps: "[{ pass: true, facts: { quota_reached: true } }]" },
      /:6:9: steps\.0: must hold facts or faults, or pass alone/,
    ],
    [
      "a name that is not the file's",
      { name: "yours" },
      /mine\.yaml:1:7: name: must be the file's, mine; it is yours/,
    ],
    [
      "points that leave out where a step leads",
      { points: "[order.created]" },
      /:5:9: points: must name order\.quota_reached, to which step 1 leads/,
    ],
  ])("%s", (_what, lines, message) => {
    const folder = folderOf({ "mine.yaml": fileOf(lines) });
    expect(() => readScenarios(folder)).toThrow(message);
  });
});

describe("a rule that can never fire is refused, with what hides it", () => {
  test.each<[string, string, RegExp]>([
    [
      "a fact behind an earlier one",
      "[{ facts: { quota_reached: true, company_status: closed } }]",
      /:6:35: steps\.0\.facts\.quota_reached: can never fire: facts\.company_status decides before it/,
    ],
    [
      "a commit that never comes",
      "[{ faults: { issuer: { unavailable: true }, response: { reset: true } } }]",
      /steps\.0\.faults\.response\.reset: can never fire: faults\.issuer\.unavailable decides before it/,
    ],
    [
      "an issuer that nobody asks",
      "[{ facts: { account: missing }, faults: { issuer: { hold_ms: 5 } } }]",
      /faults\.issuer\.hold_ms: can never fire: facts\.account decides before it/,
    ],
    [
      "anything behind a dropped request",
      "[{ faults: { request: { dropped: true }, response: { latency_ms: 5 } } }]",
      /faults\.response\.latency_ms: can never fire: faults\.request\.dropped decides before it/,
    ],
    [
      "two ends of one connection",
      "[{ faults: { response: { reset: true, empty: true } } }]",
      /faults\.response\.empty: can never fire: faults\.response\.reset decides before it/,
    ],
    [
      "permissions that allow the order",
      "[{ facts: { permissions: [issue_cards] } }]",
      /facts\.permissions: can never fire: a member with issue_cards is not refused for it/,
    ],
    [
      "a fact of another operation",
      "[{ facts: { key_revoked: true } }]",
      /facts\.key_revoked: can never fire: nothing in orderPhysicalCard goes by it/,
    ],
    ["steps that only pass", "[{ pass: true }]", /:6:8: steps: can never fire: it only passes/],
  ])("%s", (_what, steps, message) => {
    const folder = folderOf({ "mine.yaml": fileOf({ steps }) });
    expect(() => readScenarios(folder)).toThrow(message);
  });

  test("a slow refusal may fire, and one that is cut off", () => {
    const steps =
      "[{ facts: { quota_reached: true }, faults: { response: { latency_ms: 5, truncated: true } } }]";
    expect(readScenarios(folderOf({ "mine.yaml": fileOf({ steps }) }))).toHaveLength(1);
  });
});

describe("a folder of one's own", () => {
  test.each([
    ["is not there", () => "/nowhere/at/all", /the scenarios folder \/nowhere\/at\/all cannot be read/],
    ["holds none", () => folderOf({ "notes.txt": "" }), /holds no YAML file/],
    [
      "holds a folder with a file's name",
      () => {
        const folder = folderOf({});
        mkdirSync(join(folder, "mine.yaml"));
        return folder;
      },
      /holds no YAML file/,
    ],
    [
      "holds what is no text",
      () => {
        const folder = folderOf({});
        writeFileSync(join(folder, "mine.yaml"), Buffer.from([0x89, 0x50, 0x4e, 0x47]));
        return folder;
      },
      /mine\.yaml cannot be read: it is no UTF-8 text/,
    ],
    [
      "takes a shipped one's name",
      () => folderOf({ "conflict.yaml": fileOf({ name: "conflict" }) }),
      /conflict\.yaml:1:7: name: a scenario named conflict is there already: rename this one/,
    ],
    [
      "has a name twice",
      () => folderOf({ "mine.yaml": fileOf(), "mine.yml": fileOf() }),
      /mine\.yml:1:7: name: a scenario named mine is there already/,
    ],
  ])("that %s is refused", (_what, folder, message) => {
    expect(() => createSandbox({ scenarios: folder() })).toThrow(message);
  });

  test("adds to those that are shipped, and one of all may be armed from the start", async () => {
    const folder = folderOf({ "mine.yaml": fileOf() });
    const sandbox = await startCommandLine(["--scenarios", folder, "--scenario", "mine"]);
    const reply = await sandbox.order("7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30");
    expect([reply.status, reply.headers.get("Sandbox-Scenario")]).toEqual([422, "mine"]);
    const { scenarios } = (await (await fetch(`${sandbox.url}/_sandbox/scenarios`)).json()) as {
      scenarios: { name: string }[];
    };
    expect(scenarios.map(({ name }) => name).at(-1)).toBe("mine");
  });

  test("a scenario that is unknown, or does not fit, ends the start in one line", async () => {
    const folder = folderOf({ "mine.yaml": fileOf({ titel: "x" }) });
    for (const [args, message] of [
      [["--scenario", "quota-reach"], 'unknown scenario "quota-reach": did you mean "quota-reached"?'],
      [["--scenario", "nope"], 'unknown scenario "nope": there are quota-reached, '],
      [["--scenarios", folder], 'unknown key "titel"'],
      [["--scenario", "conflict", "--scenario", "forbidden"], "It is given once."],
    ] as const) {
      const { ended, output } = run([...args, "--port", "0"]);
      expect((await ended).code).toBe(2);
      expect(output.stderr).toContain(message);
      expect(output.stderr.trim().split("\n")).toHaveLength(1);
    }
  });
});

test("a kept database is armed afresh at each start, by what that start names; a name that is none makes no file", () => {
  const db = join(temporaryFolder(), "sandbox.db");
  expect(() => createSandbox({ db, scenario: "forbiden" })).toThrow('did you mean "forbidden"?');
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

test("what is armed stands among the start-up lines", async () => {
  const { output } = await startCommandLine(["--scenario", "conflict"]);
  expect(output.stdout).toContain("\nArmed for all: conflict\n");
});

test("the published schema takes what the reader takes", () => {
  const schema = JSON.parse(readFileSync(new URL("../../schema/scenario.json", import.meta.url), "utf8"));
  expect(schema.additionalProperties).toBe(false);
  expect(schema.required).toEqual(["name", "title", "description", "spec", "points", "steps", "example"]);
  expect(Object.keys(schema.properties.steps.items.properties.facts.properties)).toContain("quota_reached");
  expect(schema.properties.points.items.enum).toContain("order.quota_reached");
});
