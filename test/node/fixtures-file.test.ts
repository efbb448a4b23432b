import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { readDefaultFile, readFixtures } from "../../src/node/input-files.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const head = "companies:\n  - slug: solo\n    name: Solo Ltd\n    country_code: IE\n";

function reading(text: string, keyQuota?: "member"): () => unknown {
  const file = join(temporaryFolder(), "world.yaml");
  writeFileSync(file, text);
  return () => readFixtures(file, keyQuota);
}

describe("active keys in a fixtures file (spec §5.5)", () => {
  const member = (name: string, count: number) =>
    `{ slug: ${name}, name: ${name}, role: owner, api_keys: [${Array.from({ length: count }, (_, n) => `{ secret: sk_sandbox_${name}_key_${n} }`).join(", ")}] }`;
  const text = (...members: string[]) =>
    `${head}    members:\n${members.map((each) => `      - ${each}\n`).join("")}`;

  test("are limited to five per company", () => {
    expect(reading(text(member("ann", 3), member("bob", 2)))).not.toThrow();
    expect(reading(text(member("ann", 3), member("bob", 3)))).toThrow(
      /world\.yaml:7:\d+: companies\.0\.members\.1\.api_keys\.2: is the active API key number 6 of the company solo, but at most 5 are allowed/,
    );
  });

  test("are limited to five per member with keyQuota member", () => {
    expect(reading(text(member("ann", 5), member("bob", 5)), "member")).not.toThrow();
    expect(reading(text(member("ann", 5), member("bob", 6)), "member")).toThrow(
      /:7:\d+: .*api_keys\.5: is the active API key number 6 of the member bob, but at most 5 are allowed/,
    );
  });

  test("are limited by the option keyQuota of createSandbox()", () => {
    const file = join(temporaryFolder(), "world.yaml");
    writeFileSync(file, text(member("ann", 3), member("bob", 3)));
    expect(() => createSandbox({ fixtures: file })).toThrow("active API key number 6 of the company solo");
    createSandbox({ fixtures: file, keyQuota: "member" }).close();
  });
});

describe("refuses an invalid fixtures file with file, line and column:", () => {
  test.each([
    [
      "an unknown key, with the nearest known one",
      `${head}    card_qouta: 3\n`,
      /world\.yaml:5:5: unknown key "card_qouta"\. Did you mean "card_quota"\? Allowed: slug, environment, /,
    ],
    [
      "an unknown key at the top",
      `compnies: []\n${head}`,
      /:1:1: unknown key "compnies"\. Did you mean "companies"\?/,
    ],
    [
      "an unknown key deep inside",
      `${head}    members:\n      - { slug: o, name: O, role: owner, api_keys: [{ sceret: sk_sandbox_solo }] }\n`,
      /world\.yaml:6:55: unknown key "sceret"\. Did you mean "secret"\?/,
    ],
    [
      "a value of the wrong kind",
      `${head}    card_quota: many\n`,
      /:5:17: companies\.0\.card_quota: must be an integer/,
    ],
    [
      "an object instead of a list",
      "companies: { slug: solo }\n",
      /:1:12: companies: must be a list, but is an object$/,
    ],
    [
      "a text instead of an object",
      `${head}    accounts: [main]\n`,
      /:5:16: companies\.0\.accounts\.0: must be an object, but is "main"$/,
    ],
    [
      "a secret instead of a list, which is masked",
      `${head}    members: [{ slug: o, name: O, role: owner, api_keys: sk_sandbox_my_secret }]\n`,
      /api_keys: must be a list, but is "sk_sandbox_…"$/,
    ],
    ["a missing key", "companies:\n  - slug: solo\n", /:2:5: companies\.0\.name: /],
    [
      "an unknown status",
      `${head}    status: asleep\n`,
      /:5:13: companies\.0\.status: unknown "asleep"\. Allowed: active, suspended, closed/,
    ],
    [
      "money as a number",
      `${head}    accounts: [{ slug: a, name: A, currency: GBP, balance: 1.5 }]\n`,
      /:5:60: .*balance: /,
    ],
    [
      "an unknown country",
      head.replace("IE", "XX"),
      /:4:19: companies\.0\.country_code: must be an ISO 3166-1/,
    ],
    [
      "a key of the other environment",
      `${head}    members: [{ slug: o, name: O, role: owner, api_keys: [{ secret: sk_live_solo_owner }] }]\n`,
      /:5:69: .*secret: must start with sk_sandbox_ in a sandbox company/,
    ],
    [
      "a key twice",
      `${head}    members: [{ slug: o, name: O, role: owner, api_keys: [{ secret: sk_sandbox_o }, { secret: sk_sandbox_o }] }]\n`,
      /api_keys\.1\.secret: is already used by another API key/,
    ],
    [
      "a company twice",
      `${head}${head.replace("companies:\n", "")}`,
      /:5:11: companies\.1\.slug: "solo" is already used by another sandbox company/,
    ],
    [
      "a card of an unknown member",
      `${head}    accounts: [{ slug: a, name: A, currency: GBP }]\n    cards: [{ member: ghost, account: a }]\n`,
      /:6:23: companies\.0\.cards\.0\.member: must be the slug of a member of this company, but is "/,
    ],
    [
      "a member of an unknown company",
      `${head}    members: [{ slug: o, name: O, role: owner, other_companies: [{ company: duo, role: owner }] }]\n`,
      /other_companies\.0\.company: must be the slug of another sandbox company in this file/,
    ],
    [
      "a member of one other company twice",
      `${head}  - { slug: duo, name: Duo, country_code: IE, members: [{ slug: d, name: D, role: owner, other_companies: [{ company: solo, role: owner }, { company: solo, role: admin }] }] }\n`,
      /other_companies\.1\.company: "solo" is already used by another membership of/,
    ],
    [
      "a member whose own company is among the others",
      `${head}    members: [{ slug: o, name: O, role: owner, other_companies: [{ company: solo, role: owner }] }]\n`,
      /other_companies\.0\.company: must be the slug of another sandbox company in this file/,
    ],
    [
      "a key with a hyphen",
      `${head}    members: [{ slug: o, name: O, role: owner, api_keys: [{ secret: sk_sandbox_a-b-c }] }]\n`,
      /secret: must have 12 to 200 letters, digits or underscores/,
    ],
    ["an alias without an anchor", `${head}    accounts: *nope\n`, /world\.yaml:5:15: .*nope/],
    [
      "too many aliases",
      `a: &a [${"x, ".repeat(99)}]\nb: &b [${"*a, ".repeat(99)}]\nc: [${"*b, ".repeat(99)}]\n`,
      /world\.yaml:2:8: Excessive alias count/,
    ],
    [
      "an unknown key without a similar name",
      `${head}keywords: []\n`,
      /:5:1: unknown key "keywords"\. Allowed: card_limits, companies/,
    ],
    [
      "two documents",
      `${head}---\n${head}`,
      /:5:1: a second YAML document begins here, but the file must contain only one/,
    ],
    ["deeply nested lists", "[".repeat(5000), /world\.yaml:1:[0-9]+: the YAML is nested too deeply/],
    ["deeply nested blocks", "- ".repeat(20_000), /world\.yaml:1:[0-9]+: the YAML is nested too deeply/],
    ["a key that is a list", `${head}    ? [a]\n    : 1\n`, /world\.yaml/],
    ["invalid YAML", "companies: [\n", /world\.yaml:[0-9]+:[0-9]+: /],
    ["a key twice in YAML", `${head}    name: Again\n`, /world\.yaml:5:5: key "name" occurs twice/],
    [
      "a key twice in YAML's short form",
      "companies: [{ slug: a, name: A, slug: b }]\n",
      /:1:33: key ".+" occurs twice/,
    ],
    ["an empty file", "", /world\.yaml:1:1: must contain a mapping, but the file is empty/],
    ["no company", "companies: []\n", /world\.yaml:1:12: companies: /],
  ])("%s", (_, text, message) => {
    const read = reading(text);
    expect(read).toThrow(message);
    expect(read).toThrow(/^[^\n]*$/);
  });
});

test("refuses 50,000 unknown keys within seconds, with the first one and the number of the others", () => {
  const keys = Array.from({ length: 50_000 }, (_, n) => `    key${n}: 1\n`).join("");
  const startedMs = performance.now();
  expect(reading(head + keys)).toThrow(/world\.yaml:5:5: unknown key "key0"\. .* \(and 49999 more\)$/);
  expect(performance.now() - startedMs).toBeLessThan(30_000);
}, 120_000);

describe("properties that a fixtures file omits", () => {
  test("have defaults: an active company with all entitlements and the assumed card limits", async () => {
    const file = join(temporaryFolder(), "world.yaml");
    writeFileSync(
      file,
      `${head}    accounts: [{ slug: eur, name: Main, currency: EUR }]
    members: [{ slug: o, name: O, role: owner, api_keys: [{ secret: sk_sandbox_solo }] }]\n`,
    );
    const sandbox = createSandbox({ fixtures: file });
    const [company] = sandbox.world().companies;
    expect(company).toMatchObject({
      environment: "sandbox",
      status: "active",
      card_quota: 20,
      live_cards: 0,
    });
    expect(company?.accounts[0]).toMatchObject({ status: "active", balance: "0.00" });
    sandbox.close();
  });

  test("roles in other companies and entitlements keep their values", async () => {
    const world = {
      companies: [
        { slug: "solo", name: "Solo", country_code: "IE", entitlements: ["accounts"] },
        {
          slug: "duo",
          name: "Duo",
          country_code: "IE",
          members: [
            { slug: "d", name: "D", role: "owner", other_companies: [{ company: "solo", role: "employee" }] },
          ],
        },
      ],
    };
    const [solo] = openSandbox({ world }).world().companies;
    expect(solo?.entitlements).toEqual(["accounts"]);
    expect(solo?.members).toMatchObject([{ slug: "d", role: "employee" }]);
  });

  test("the name of a virtual card begins with Virtual", () => {
    const sandbox = openSandbox();
    const names = sandbox.database.all<{ name: string }>("SELECT name FROM cards ORDER BY pk");
    expect(names.map(({ name }) => name.split(" ")[0])).toEqual(["Physical", "Virtual", "Physical"]);
  });

  test("card limits of a fixtures file apply to every card and cap the spending limits", () => {
    const { world } = readDefaultFile();
    expect(world.card_limits).toEqual({
      max_per_purchase: 1_000_000,
      daily: 1_000_000,
      rolling_32_days: 5_000_000,
    });
    const own = 'card_limits: { max_per_purchase: "3", daily: "5", rolling_32_days: "7" }\n';
    expect(reading(`${own}${head}`)()).toMatchObject({
      world: { card_limits: { max_per_purchase: 300, daily: 500, rolling_32_days: 700 } },
    });
  });

  test.each([
    ["daily", "5.00", 201],
    ["daily", "5.01", 400],
    ["weekly", "7.00", 201],
    ["weekly", "7.01", 400],
    ["monthly", "7.01", 400],
  ])("a %s limit of %s under limits of 3, 5 and 7: %i", async (period, amount, status) => {
    const { world } = readDefaultFile();
    const limits = { max_per_purchase: "3", daily: "5", rolling_32_days: "7" };
    const northwind = world.companies.slice(0, 2).map((company) => ({
      ...company,
      accounts: company.accounts.map((account) => ({ ...account, balance: "1.00" })),
    }));
    const sandbox = openSandbox({ world: { card_limits: limits, companies: northwind } });
    const reply = await sandbox.order({ body: { spending_limit: { period, amount } } });
    expect(reply.status).toBe(status);
    if (status === 201) {
      expect(reply.json.card_limits).toMatchObject({
        daily: { amount: "5.00" },
        rolling_32_days: { amount: "7.00" },
      });
    }
  });
});
