import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ZodError } from "zod";
import type { CardOrder } from "../../src/cards/issue.ts";
import { greatestMinor } from "../../src/contract/amount.ts";
import type { Choices } from "../../src/contract/behaviours.ts";
import { contractUnder, defaultContract } from "../../src/contract/dialect.ts";
import { openapiDocument } from "../../src/contract/openapi/document.ts";
import { newWebhook, webhookChange } from "../../src/contract/webhook.ts";
import {
  readCardChange,
  readDeliveryAddress,
  readLimit,
  readOrder,
  readReplacement,
  readVirtualOrder,
} from "../../src/http/read-card-body.ts";
import { SandboxError } from "../../src/rules/errors.ts";
import type { SpendingLimit } from "../../src/rules/limits.ts";
import { targetViolation } from "../../src/webhooks/target.ts";
import { dialectWith } from "../support/open-sandbox.ts";

/** The dialects whose requests differ the most from those without a dialect. */
const contracts = {
  "without a dialect": defaultContract,
  "if it is stricter": contractUnder(
    dialectWith({ "json.unknown_fields": "400", "card.name_blank": "400", "card.name_length": "30" }),
  ),
  "if it is less strict": contractUnder(
    dialectWith({ "address.blank_line1": "accepted", "card.name_length": "100" }),
  ),
};
const validators = Object.entries(contracts).map(([name, contract]) => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(openapiDocument(undefined, contract) as object, "openapi.json");
  return { name, ajv, choices: contract.choices };
});

const odd = [undefined, null, true, 7, "", " ", [], {}];
const uuid = [
  "1d541080-dfcd-4ea6-937b-cc4bd3db87af",
  "1D541080-DFCD-4EA6-937B-CC4BD3DB87AF",
  "1d541080",
  ...odd,
];
const text = (max: number) => [
  "a",
  "a".repeat(max),
  "a".repeat(max + 1),
  "💳".repeat(max),
  "💳".repeat(max + 1),
  ...odd,
];
const amounts = [
  ...[
    "0.01",
    "250",
    "250.5",
    "250.00",
    "250.001",
    "0",
    "0.00",
    "-1",
    "+1",
    "1e2",
    ".5",
    "5.",
    " 1",
    "1\n",
    "٣",
  ],
  ...["9999999999999.99", "10000000000000", "00000000000000000001.00", "9".repeat(400)],
  ...[250, 19.99, 0.07, 9999999999999.99, 1e13, 1e300, 0, -1, -0.01],
  ...odd,
];
const limit = {
  period: ["daily", "weekly", "monthly", "lifetime", "lifetime", "yearly", ...odd],
  amount: amounts,
};
const address = {
  line1: [...text(100), "\ufeff", "\u00a0", "\u200b"],
  line2: text(100),
  line3: text(50),
  city: text(50),
  state: text(50),
  post_code: text(10),
  country_code: ["GB", "KE", "gb", "UK", "XX", "ZZ", "GB ", "GBR", ...odd],
};
const pin = ["4821", "0000", "482", "48210", "482a", "٤٨٢١", "4821\n", 4821, ...odd];
const method = ["classic", "express", "international", "pigeon", "Express", ...odd];
const name = [...text(100), ...text(30), ` ${"a".repeat(100)}`, `${"a".repeat(99)} `];
const flag = [true, false, "true", 1, null, undefined];
const reason = ["lost", "stolen", "damaged", "expiring", "boredom", ...odd];
const url = [
  ...[
    "https://example.com/hooks",
    "http://localhost:9/hooks",
    "http://127.0.0.1/h?a=b#c",
    "https://a.example:444",
  ],
  ...[
    "example.com",
    "/hooks",
    "https://",
    "https://a b",
    "https://a/ä",
    " https://a.example",
    "https://a/\n",
    "//a",
  ],
  ...[`https://a.example/${"a".repeat(2048)}`, ...odd],
];
const events = [
  ["card.created"],
  ["card.created", "card.created"],
  ["card.created", "nope"],
  "card.created",
  ...odd,
];

/** The values of each field, or of the fields of an object. */
interface Fields {
  readonly [field: string]: readonly unknown[] | Fields;
}

/** Objects with these fields; the first value of each field is valid, as are most others. */
function objectOf(fields: Fields): fc.Arbitrary<unknown> {
  const values = Object.entries(fields).map(([field, each]) => {
    const right = "length" in each ? fc.constant((each as unknown[])[0]) : objectOf(each as Fields);
    const any = fc.constantFrom(...("length" in each ? (each as unknown[]) : odd));
    return fc
      .oneof({ weight: 6, arbitrary: right }, { weight: 2, arbitrary: any })
      .map((value) => [field, value]);
  });
  const known = fc.tuple(...values).map((entries) => Object.fromEntries(entries));
  return fc.oneof(
    { weight: 12, arbitrary: known },
    { weight: 2, arbitrary: known.map((object) => ({ ...object, other: 1 })) },
    { weight: 1, arbitrary: fc.constantFrom(...odd, { other: 1 }) },
  );
}

const sent = (body: unknown) => ({ text: JSON.stringify(body) });
const account_id = uuid;
const bodies: Record<string, [Fields, (body: unknown, choices: Choices) => unknown]> = {
  PhysicalCardOrder: [
    {
      account_id,
      pin,
      delivery_address: address,
      delivery_method: method,
      name: [...name.slice(0, 2), ...text(30).slice(0, 3), " "],
      auto_convert: flag,
      spending_limit: limit,
    },
    (body, choices) => readOrder(sent(body), choices),
  ],
  VirtualCardOrder: [
    { account_id, name, auto_convert: flag, spending_limit: limit },
    (body, choices) => readVirtualOrder(sent(body), choices),
  ],
  PhysicalReplacement: [
    { reason, pin, delivery_address: address, delivery_method: method },
    (body, choices) => readReplacement(sent(body), "physical", choices),
  ],
  VirtualReplacement: [{ reason }, (body, choices) => readReplacement(sent(body), "virtual", choices)],
  SpendingLimitInput: [limit, (body, choices) => readLimit(sent(body), choices)],
  CardChange: [
    { name: [undefined, ...name], auto_convert: [undefined, ...flag] },
    (body, choices) => readCardChange(sent(body), choices),
  ],
  DeliveryOptionsRequest: [
    { delivery_address: address },
    (body, choices) => readDeliveryAddress(sent(body), choices),
  ],
  NewWebhook: [{ url, events }, (body) => webhookRead(newWebhook.parse(body))],
  WebhookChange: [
    {
      url: [undefined, ...url],
      events: [undefined, ...events],
      status: [undefined, "active", "disabled", "off", null],
    },
    (body) => webhookRead(webhookChange.parse(body)),
  ],
};

const urlRefused = new Error("the server refuses the URL");

/** Refuses a URL as the server does, but for a host that it may not send to. */
function webhookRead({ url }: { readonly url?: string | undefined }): void {
  if (url !== undefined && targetViolation(url, ["example.com", "a.example"])) throw urlRefused;
}

/** Whether the server accepts a body. It refuses a third decimal place of a number, which the schema cannot express. */
function isTaken(read: (body: unknown) => unknown, body: unknown): boolean {
  try {
    const taken = read(body) as Partial<SpendingLimit & Pick<CardOrder, "spendingLimit">> | undefined;
    // Any period but lifetime has a cap, which no amount beyond the bound is within.
    return ((taken?.spendingLimit ?? taken)?.amountMinor ?? 0) <= greatestMinor;
  } catch (error) {
    if (error instanceof SandboxError || error instanceof ZodError || error === urlRefused) return false;
    throw error;
  }
}

describe.each(validators)(
  "the OpenAPI document accepts what the server accepts $name",
  ({ ajv, choices }) => {
    const isDefault = choices === defaultContract.choices;
    // The webhooks are not read by their routes here.
    const shown = Object.entries(bodies).filter(([name]) => isDefault || !name.includes("Webhook"));

    test.each(shown)("%s", (name, [fields, readUnder]) => {
      const read = (body: unknown) => readUnder(body, choices);
      const validate = ajv.getSchema(`openapi.json#/components/schemas/${name}`);
      if (!validate) throw new Error(`the description has no ${name}`);
      fc.assert(
        fc.property(objectOf(fields), (drawn) => {
          // As it arrives: undefined fields are not sent.
          const body = drawn === undefined ? {} : JSON.parse(JSON.stringify(drawn));
          expect({ body, isTaken: validate(body) }).toEqual({ body, isTaken: isTaken(read, body) });
        }),
        { numRuns: isDefault ? 3000 : 1000 },
      );
    });

    test("except a number with three decimal places: the server refuses it, the schema cannot express it", () => {
      const validate = ajv.getSchema("openapi.json#/components/schemas/SpendingLimitInput");
      const body = { period: "daily", amount: 19.999 };
      expect([validate?.(body), isTaken((each) => readLimit(sent(each)), body)]).toEqual([true, false]);
      const exact = new Ajv2020().compile({ type: "number", multipleOf: 0.01 });
      expect([19.99, 0.07].map((amount) => exact(amount))).toEqual([false, false]);
    });
  },
);
