import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type SandboxOptions } from "../../src/node/create-sandbox.ts";
import { sweep } from "../../src/node/sweep/sweep.ts";
import { SetupError } from "../../src/rules/errors.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { letConflict } from "../support/let-conflict.ts";

function fileWith(text: string): string {
  const file = join(temporaryFolder(), "real.yaml");
  writeFileSync(file, text);
  return file;
}

/** The status of a replay, and the treatment of X-On-Behalf-Of. */
async function selected(options: SandboxOptions) {
  const sandbox = createSandbox(options);
  onTestFinished(() => sandbox.close());
  const response = await sandbox.fetch("http://sandbox/_sandbox/contract");
  const { points } = (await response.json()) as {
    points: { id: string; status: number; provenance: string }[];
  };
  const replayed = points.find(({ id }) => id === "order.replayed");
  const isRequired = points.some(({ id }) => id === "on_behalf_of.required");
  return { status: replayed?.status, provenance: replayed?.provenance, isRequired };
}

describe("the option dialect", () => {
  test("takes a file, with the provenance of each selection", async () => {
    const dialect = fileWith(`format: 1
replay.status: { use: "200", provenance: observed, date: 2026-11-20, note: "ticket 4711" }
on_behalf_of.mode: { use: required }
`);
    expect(await selected({ dialect })).toMatchObject({ status: 200, isRequired: true });
  });

  test("takes alternatives and selections by behavior", async () => {
    const dialect = { "replay.status": "200", "on_behalf_of.mode": { use: "required", note: "n" } } as const;
    expect(await selected({ dialect })).toMatchObject({ status: 200, isRequired: true });
    expect(await selected({ dialect: { "replay.status": undefined } })).toMatchObject({ status: 201 });
  });

  test("is the same for each run of a sweep", async () => {
    const seen: (number | undefined)[] = [];
    const report = await sweep(
      async ({ sandbox, company }) => {
        const response = await sandbox.fetch("http://sandbox/_sandbox/contract");
        const { points } = (await response.json()) as { points: { id: string; status: number }[] };
        seen.push(points.find(({ id }) => id === "order.replayed")?.status);
        await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
          method: "POST",
          body: JSON.stringify({ api_key: company.apiKey }),
        });
      },
      { dialect: { "replay.status": "200" }, only: ["rate-limited"] },
    );
    expect(report.problem).toBeNull();
    expect(new Set(seen)).toEqual(new Set([200]));
  });

  test.each<[object, string]>([
    [
      { "reply.status": "200" },
      'dialect: unknown key "reply.status". Did you mean "replay.status"? Allowed: ',
    ],
    [{ "replay.status": "300" }, 'dialect: replay.status.use: must be one of "200", "201", but is "300"'],
    [{ "replay.status": 200 }, 'dialect: replay.status.use: must be in quotes: use: "200"'],
    [{ "replay.status": { use: 200 } }, 'dialect: replay.status.use: must be in quotes: use: "200"'],
    [
      { "replay.status": { use: "200", date: "today" } },
      "dialect: replay.status.date: must be a date such as 2026-11-20",
    ],
    [
      { "replay.status": { use: "200", provenence: "observed" } },
      'dialect: replay.status: unknown key "provenence". Did you mean "provenance"?',
    ],
  ])("refuses %j", (dialect, message) => {
    expect(() => createSandbox({ dialect })).toThrow(SetupError);
    expect(() => createSandbox({ dialect })).toThrow(message);
  });

  test("refuses a list", () => {
    expect(() => createSandbox({ dialect: [] as object })).toThrow(
      "createSandbox(): dialect must be a string or an object with alternatives by behavior, but is an array",
    );
  });
});

describe("refuses an invalid dialect file with file, line and column:", () => {
  test.each([
    ["no format", 'replay.status: { use: "200" }\n', /real\.yaml:1:1: format: is required and must be 1$/],
    ["another format", "format: 2\n", /real\.yaml:1:9: format: must be 1, but is 2$/],
    [
      "an unknown behavior",
      'format: 1\nreplay.staus: { use: "200" }\n',
      /real\.yaml:2:1: unknown key "replay\.staus"\. Did you mean "replay\.status"\?/,
    ],
    [
      "an unknown alternative",
      'format: 1\nreplay.status: { use: "202" }\n',
      /real\.yaml:2:23: replay\.status\.use: unknown "202"\..* Allowed: 200, 201$/,
    ],
    [
      "a number",
      "format: 1\nreplay.status:\n  use: 200\n",
      /real\.yaml:3:8: replay\.status\.use: must be in quotes: use: "200"$/,
    ],
    ["no selection", "format: 1\nreplay.status: 200\n", /real\.yaml:2:16: replay\.status: must be an object/],
    [
      "a date that does not exist",
      'format: 1\nreplay.status: { use: "200", date: 2026-02-30 }\n',
      /real\.yaml:2:36: replay\.status\.date: must be a date such as 2026-11-20$/,
    ],
    [
      "an unknown provenance",
      'format: 1\nreplay.status: { use: "200", provenance: guessed }\n',
      /real\.yaml:2:42: replay\.status\.provenance: unknown "guessed"\. Allowed: observed, assumed$/,
    ],
    [
      "a behavior twice",
      'format: 1\nreplay.status: { use: "200" }\nreplay.status: { use: "201" }\n',
      /real\.yaml:3:1: key "replay\.status" occurs twice in the same mapping$/,
    ],
  ])("%s", (_what, text, message) => {
    expect(() => createSandbox({ dialect: fileWith(text) })).toThrow(message);
  });

  test("alternatives that cannot be combined, with both lines", () => {
    letConflict("replay.status", "200", "api_keys.quota=member");
    const both = 'format: 1\napi_keys.quota: { use: member }\nreplay.status: { use: "200" }\n';
    expect(() => createSandbox({ dialect: fileWith(both) })).toThrow(
      /real\.yaml:3:16: replay\.status: 200 cannot be combined with api_keys\.quota: member \(.*real\.yaml:2:17\)$/,
    );
  });

  test("an alternative that cannot be combined with a default", () => {
    letConflict("replay.status", "200", "api_keys.quota=company");
    const one = fileWith('format: 1\nreplay.status: { use: "200" }\n');
    const message = "replay.status: 200 cannot be combined with api_keys.quota: company, its default";
    expect(() => createSandbox({ dialect: one })).toThrow(message);
    expect(() => createSandbox({ dialect: { "replay.status": "200" } })).toThrow(message);
  });
});

describe("the options onBehalfOf and keyQuota", () => {
  const dialect = { "on_behalf_of.mode": "required", "api_keys.quota": "member" } as const;

  test("are short for a behavior of the dialect", async () => {
    expect(await selected({ onBehalfOf: "required" })).toMatchObject({ isRequired: true });
    expect(
      await selected({
        onBehalfOf: "required",
        keyQuota: "member",
        dialect: { ...dialect, "replay.status": "200" },
      }),
    ).toMatchObject({ isRequired: true, status: 200 });
  });

  test("must not contradict it", () => {
    expect(() => createSandbox({ dialect, onBehalfOf: "off" })).toThrow(
      "--on-behalf-of (onBehalfOf): is off, but the option dialect selects on_behalf_of.mode: required. Remove one of them, or make them agree.",
    );
    const file = fileWith("format: 1\napi_keys.quota: { use: member }\n");
    expect(() => createSandbox({ dialect: file, keyQuota: "company" })).toThrow(
      `--key-quota (keyQuota): is company, but ${file} selects api_keys.quota: member.`,
    );
  });

  test("must not conflict with it", () => {
    letConflict("replay.status", "200", "api_keys.quota=member");
    expect(() => createSandbox({ dialect: { "replay.status": "200" }, keyQuota: "member" })).toThrow(
      "replay.status: 200 cannot be combined with api_keys.quota: member",
    );
  });
});

test("the key quota of a dialect decides which fixtures are valid", () => {
  const keys = [1, 2, 3, 4, 5, 6].map((n) => `{ secret: sk_sandbox_ann_key_${n} }`);
  const members = [keys.slice(0, 3), keys.slice(3)].map(
    (each, m) => `{ slug: m${m}, name: M, role: owner, api_keys: [${each.join(", ")}] }`,
  );
  const fixtures = join(temporaryFolder(), "world.yaml");
  writeFileSync(
    fixtures,
    `companies: [{ slug: solo, name: Solo, country_code: IE, members: [${members.join(", ")}] }]\n`,
  );
  expect(() => createSandbox({ fixtures })).toThrow("active API key number 6");
  createSandbox({ fixtures, dialect: { "api_keys.quota": "member" } }).close();
});
