import { describe, expect, test } from "vitest";
import type { ContractPointId } from "../../src/contract/points.ts";
import { cardOf, type OrderBody, openSandbox } from "../support/open-sandbox.ts";
import { london } from "../support/physical-order.ts";

const address = (overrides: object, drop: string[] = []): OrderBody => ({
  delivery_address: Object.fromEntries(
    Object.entries({ ...london, ...overrides }).filter(([name]) => !drop.includes(name)),
  ),
});
const limit = (amount: unknown, period: unknown = "daily"): OrderBody => ({
  spending_limit: { period, amount },
});
const unknownId = "9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11";

/** What the body says; the point that refuses it; what the message names. */
const refused: readonly (readonly [string, OrderBody, ContractPointId, string])[] = [
  ["no account_id", { account_id: undefined }, "order.account_id_invalid", "account_id: is required"],
  ["account_id null", { account_id: null }, "order.account_id_invalid", "account_id"],
  ["account_id no UUID", { account_id: "gbp" }, "order.account_id_invalid", "account_id: must be a UUID"],
  [
    "account_id with a newline",
    { account_id: `${unknownId}\n` },
    "order.account_id_invalid",
    "account_id: must be a UUID",
  ],
  ["account_id a number", { account_id: 7 }, "order.account_id_invalid", "account_id"],

  ["no pin", { pin: undefined }, "order.pin_invalid", "pin: is required"],
  ["pin null", { pin: null }, "order.pin_invalid", "pin"],
  ["pin a number", { pin: 4821 }, "order.pin_invalid", "pin: must be a string of four digits"],
  ["pin of three", { pin: "482" }, "order.pin_invalid", "pin: must be a string of four digits"],
  ["pin of five", { pin: "48210" }, "order.pin_invalid", "pin"],
  ["pin with a newline", { pin: "4821\n" }, "order.pin_invalid", "pin"],
  ["pin with a space", { pin: " 4821" }, "order.pin_invalid", "pin"],
  ["pin in full-width digits", { pin: "４８２１" }, "order.pin_invalid", "pin"],
  ["pin in Arabic-Indic digits", { pin: "٤٨٢١" }, "order.pin_invalid", "pin"],
  ["pin with a letter", { pin: "482a" }, "order.pin_invalid", "pin"],

  [
    "no delivery_address",
    { delivery_address: undefined },
    "order.delivery_address_invalid",
    "delivery_address: is required",
  ],
  ["address null", { delivery_address: null }, "order.delivery_address_invalid", "must be an object"],
  ["address a string", { delivery_address: "x" }, "order.delivery_address_invalid", "must be an object"],
  ["address a list", { delivery_address: [] }, "order.delivery_address_invalid", "must be an object"],
  [
    "no line1",
    address({}, ["line1"]),
    "order.delivery_address_invalid",
    "delivery_address.line1: is required",
  ],
  ["line1 empty", address({ line1: "" }), "order.address_field_blank", "line1: must not be blank"],
  ["line1 blank", address({ line1: " \t" }), "order.address_field_blank", "line1: must not be blank"],
  [
    "line1 null",
    address({ line1: null }),
    "order.delivery_address_invalid",
    "line1: must be a string, but is null",
  ],
  [
    "line1 of 101",
    address({ line1: "a".repeat(101) }),
    "order.delivery_address_invalid",
    "at most 100 characters, but has 101",
  ],
  [
    "line2 of 101",
    address({ line2: "a".repeat(101) }),
    "order.delivery_address_invalid",
    "line2: must have at most 100",
  ],
  ["line2 null", address({ line2: null }), "order.delivery_address_invalid", "line2"],
  [
    "line3 of 51",
    address({ line3: "a".repeat(51) }),
    "order.delivery_address_invalid",
    "line3: must have at most 50",
  ],
  [
    "city of 51",
    address({ city: "a".repeat(51) }),
    "order.delivery_address_invalid",
    "city: must have at most 50",
  ],
  ["city a number", address({ city: 1 }), "order.delivery_address_invalid", "city: must be a string"],
  [
    "state of 51",
    address({ state: "a".repeat(51) }),
    "order.delivery_address_invalid",
    "state: must have at most 50",
  ],
  [
    "post_code of 11",
    address({ post_code: "a".repeat(11) }),
    "order.delivery_address_invalid",
    "post_code: must have at most 10",
  ],
  [
    "no country_code",
    address({}, ["country_code"]),
    "order.country_code_invalid",
    "country_code: is required",
  ],
  ["country_code null", address({ country_code: null }), "order.country_code_invalid", "but is null"],
  ["country_code UK", address({ country_code: "UK" }), "order.country_code_invalid", 'but is "UK" (use "GB"'],
  ["country_code gb", address({ country_code: "gb" }), "order.country_code_invalid", 'use "GB"'],
  ["country_code GBR", address({ country_code: "GBR" }), "order.country_code_invalid", "alpha-2"],
  [
    "country_code XK, unassigned",
    address({ country_code: "XK" }),
    "order.country_code_invalid",
    "ISO 3166-1",
  ],
  ["country_code ZZ", address({ country_code: "ZZ" }), "order.country_code_invalid", "ISO 3166-1"],
  ["country_code empty", address({ country_code: "" }), "order.country_code_invalid", "country_code"],

  [
    "no delivery_method",
    { delivery_method: undefined },
    "order.delivery_method_invalid",
    "delivery_method: is required",
  ],
  [
    "delivery_method pigeon",
    { delivery_method: "pigeon" },
    "order.delivery_method_invalid",
    "classic, express",
  ],
  ["delivery_method null", { delivery_method: null }, "order.delivery_method_invalid", "delivery_method"],
  [
    "delivery_method EXPRESS",
    { delivery_method: "EXPRESS" },
    "order.delivery_method_invalid",
    "delivery_method",
  ],

  ["name a number", { name: 7 }, "order.name_invalid", "name: must be a string"],
  ["name null", { name: null }, "order.name_invalid", "name"],
  ["auto_convert a string", { auto_convert: "true" }, "order.auto_convert_invalid", "auto_convert"],
  ["auto_convert null", { auto_convert: null }, "order.auto_convert_invalid", "auto_convert"],
  [
    "auto_convert 1",
    { auto_convert: 1 },
    "order.auto_convert_invalid",
    "auto_convert: must be true or false",
  ],

  ["spending_limit null", { spending_limit: null }, "order.spending_limit_invalid", "must be an object"],
  ["spending_limit a string", { spending_limit: "1" }, "order.spending_limit_invalid", "must be an object"],
  ["spending_limit a list", { spending_limit: [] }, "order.spending_limit_invalid", "spending_limit"],
  [
    "no period",
    { spending_limit: { amount: "1" } },
    "order.spending_limit_invalid",
    "spending_limit.period: is required",
  ],
  ["period yearly", limit("1", "yearly"), "order.spending_limit_invalid", "daily, weekly, monthly, lifetime"],
  ["period null", limit("1", null), "order.spending_limit_invalid", "spending_limit.period"],
  [
    "no amount",
    { spending_limit: { period: "daily" } },
    "order.spending_limit_amount_invalid",
    "spending_limit.amount: is required",
  ],
  ...[null, true, {}, ["1"]].map(
    (amount) =>
      [
        `amount ${JSON.stringify(amount)}`,
        limit(amount),
        "order.spending_limit_amount_invalid",
        "must be a string or a number",
      ] as const,
  ),
  ...[
    "1e2",
    "+5",
    ".5",
    "5.",
    "1,00",
    " 1",
    "1 ",
    "1\n",
    "10.000",
    "0",
    "0.00",
    "-1",
    "",
    "１",
    "0x10",
    "NaN",
  ].map(
    (amount) =>
      [
        `amount ${JSON.stringify(amount)}`,
        limit(amount),
        "order.spending_limit_amount_invalid",
        "spending_limit.amount",
      ] as const,
  ),
  ...[1.001, 0, -1, -0.01, 0.001, 0.1 + 0.2, 1234567.891].map(
    (amount) =>
      [
        `amount ${amount} as a number`,
        limit(amount, "lifetime"),
        "order.spending_limit_amount_invalid",
        "spending_limit.amount",
      ] as const,
  ),
  ...["10000000000000", "10000000000000.00", "9".repeat(60_000), 1e13, 1e21, 1e308].map(
    (amount) =>
      [
        `amount ${String(amount).slice(0, 20)} as a ${typeof amount}`,
        limit(amount, "lifetime"),
        "order.spending_limit_amount_too_large",
        "spending_limit.amount: must be at most 9999999999999.99",
      ] as const,
  ),
  ["daily over the cap", limit("10000.01"), "order.spending_limit_over_cap", "10000.00 for a daily limit"],
  ["daily over the cap as a number", limit(10000.01), "order.spending_limit_over_cap", "10000.00"],
  ["weekly over the cap", limit("50000.01", "weekly"), "order.spending_limit_over_cap", "rolling_32_days"],
  ["monthly over the cap", limit("50000.01", "monthly"), "order.spending_limit_over_cap", "rolling_32_days"],
  [
    "twenty digits over the cap",
    limit("10000000000000000000.00", "monthly"),
    "order.spending_limit_over_cap",
    "50000.00 for a monthly limit",
  ],

  ["GB without a city", address({}, ["city"]), "order.address_field_required", "delivery_address.city"],
  ["GB with a blank city", address({ city: " " }), "order.address_field_required", "delivery_address.city"],
  ["GB without a post code", address({}, ["post_code"]), "order.address_field_required", "post_code"],
  ["GB with an empty post code", address({ post_code: "" }), "order.address_field_required", "post_code"],
  [
    "a post code that is no British one",
    address({ post_code: "12345" }),
    "order.post_code_format",
    "must be a valid post code for GB",
  ],
  [
    "US without a state",
    { ...address({ country_code: "US", post_code: "10001" }), delivery_method: "international" },
    "order.address_field_required",
    "delivery_address.state",
  ],
  [
    "an Eircode that is none",
    address({ country_code: "IE", post_code: "D02" }),
    "order.post_code_format",
    "must be a valid post code for IE",
  ],
  [
    "international within GB",
    { delivery_method: "international" },
    "order.delivery_method_not_offered",
    "classic or express",
  ],
  [
    "classic to FR",
    { ...address({ country_code: "FR", post_code: "75001" }), delivery_method: "classic" },
    "order.delivery_method_not_offered",
    "express or international",
  ],
  [
    "express to JP",
    { ...address({ country_code: "JP", state: "Tokyo", post_code: "100-0001" }), delivery_method: "express" },
    "order.delivery_method_not_offered",
    "must be international for",
  ],
  [
    "classic to RU: the zone decides before the country",
    { ...address({ country_code: "RU", state: "Moscow", post_code: "101000" }), delivery_method: "classic" },
    "order.delivery_method_not_offered",
    "delivery_method",
  ],
];

describe("an invalid field returns 400 with a CardError that names it (spec §2, §4)", () => {
  test.each(refused)("%s", async (_, body, point, message) => {
    const reply = await openSandbox().order({ body });
    expect(reply.point).toBe(point);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.json)).toEqual(["error"]);
    expect(reply.json.error).toContain(message);
  });

  test("names every invalid field, and the first decides the contract point", async () => {
    const reply = await openSandbox().order({ body: { pin: 1, delivery_method: "pigeon", name: null } });
    expect(reply.point).toBe("order.pin_invalid");
    expect(reply.json.error).toMatch(/pin: .*; delivery_method: .*; name: /);
  });

  test("shows the PIN in no message", async () => {
    const sandbox = openSandbox();
    for (const pin of ["91827", 91827]) {
      expect((await sandbox.order({ body: { pin } })).text).not.toContain("91827");
    }
    expect((await sandbox.order({ raw: '{"pin": "91827", "oops": }' })).text).not.toContain("91827");
  });
});

/** What the body says; what the card says of it. */
const accepted: readonly (readonly [string, OrderBody, object])[] = [
  ["unknown fields", { color: "red", delivery_adress: null }, {}],
  ["a PIN of zeros", { pin: "0000" }, {}],
  ["line1 of 100", address({ line1: "a".repeat(100) }), {}],
  ["line1 of 100 code points beyond the BMP", address({ line1: "🏠".repeat(100) }), {}],
  ["post_code of 10 code points, trimmed to its form", address({ post_code: "  SE1 4PG " }), {}],
  ["a post code in small letters", address({ post_code: "se14pg" }), {}],
  ["optional strings empty", address({ line2: "", line3: "", state: "" }), {}],
  ["a city of 50", address({ city: "é".repeat(50) }), {}],
  ["no name", {}, { name: expect.stringMatching(/^Physical [0-9]{4}$/) }],
  ["a blank name", { name: "  " }, { name: expect.stringMatching(/^Physical [0-9]{4}$/) }],
  ["an empty name", { name: "" }, { name: expect.stringMatching(/^Physical [0-9]{4}$/) }],
  ["a name of 5,000 characters", { name: "n".repeat(5000) }, { name: "n".repeat(5000) }],
  ["a name with white space around it", { name: " Travel \n" }, { name: "Travel" }],
  ["a name beyond the BMP", { name: "🚂 Reisen" }, { name: "🚂 Reisen" }],
  ["auto_convert true", { auto_convert: true }, { auto_convert: true }],
  ["no auto_convert", {}, { auto_convert: false }],
  ["no spending_limit", {}, { spending_limit: null }],
  ...(
    [
      ["10.1", "daily", "10.10"],
      ["10", "daily", "10.00"],
      ["007.5", "daily", "7.50"],
      ["00000000000000001", "lifetime", "1.00"],
      ["0.01", "weekly", "0.01"],
      ["10000", "daily", "10000.00"],
      ["50000.00", "weekly", "50000.00"],
      ["50000", "monthly", "50000.00"],
      ["9999999999999.99", "lifetime", "9999999999999.99"],
      [10, "daily", "10.00"],
      [10.1, "daily", "10.10"],
      [19.99, "daily", "19.99"],
      [9999999999999.99, "lifetime", "9999999999999.99"],
      [1e12, "lifetime", "1000000000000.00"],
    ] as const
  ).map(
    ([amount, period, shown]) =>
      [
        `a ${period} limit of ${JSON.stringify(amount)}`,
        limit(amount, period),
        { spending_limit: { period, amount: shown, currency: "GBP", used: "0.00" } },
      ] as const,
  ),
  ["AE with a state and neither city nor post code", abroad("AE", { state: "Dubai" }), {}],
  ["HK without a post code", abroad("HK", { state: "Kowloon" }), {}],
  ["ES without a state", { ...abroad("ES", { city: "Madrid", post_code: "28001" }) }, {}],
  ["IT without a state", { ...abroad("IT", { city: "Roma", post_code: "00118" }) }, {}],
  ["IE without a post code", { ...abroad("IE", { city: "Dublin" }) }, {}],
];

function abroad(country_code: string, rest: object): OrderBody {
  return {
    delivery_address: { line1: "1 High Street", country_code, ...rest },
    delivery_method: "international",
  };
}

describe("a valid order creates a card", () => {
  test.each(accepted)("%s", async (_, body, expected) => {
    expect(cardOf(await openSandbox().order({ body }))).toMatchObject(expected);
  });

  test("accepts account_id in capitals", async () => {
    const sandbox = openSandbox();
    const { id } = sandbox.account("northwind");
    const card = cardOf(await sandbox.order({ body: { account_id: id.toUpperCase() } }));
    expect(card.account_id).toBe(id);
  });

  test("a limit is in the account's currency, and its cap applies without conversion", async () => {
    const sandbox = openSandbox();
    const body = { account_id: sandbox.account("northwind", "usd").id, ...limit("10000.00") };
    expect(cardOf(await sandbox.order({ body })).spending_limit).toMatchObject({ currency: "USD" });
  });

  test("returns a name with invalid Unicode the same way on a replay", async () => {
    const sandbox = openSandbox();
    const order = { body: { name: "a\ud800b" }, key: "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30" };
    const first = await sandbox.order(order);
    expect(cardOf(first).name).toBe("a\ufffdb");
    expect((await sandbox.order(order)).text).toBe(first.text);
  });
});
