import { spendingLimitInput } from "../../../contract/amount.ts";
import {
  cardChange,
  deliveryOptionsRequest,
  physicalCardOrder,
  physicalReplacement,
  virtualCardOrder,
} from "../../../contract/card-requests.ts";
import { deliveryAddress } from "../../../contract/delivery-address.ts";
import { type OperationId, operations } from "../../../contract/operations.ts";
import { newWebhook, webhookChange } from "../../../contract/webhook.ts";
import { type Fields, fieldsOf } from "../request.ts";
import type { Rule } from "../rule.ts";

interface Schema {
  readonly shape: Readonly<Record<string, unknown>>;
}

const bodies: Partial<Record<OperationId, Schema>> = {
  orderPhysicalCard: physicalCardOrder,
  orderVirtualCard: virtualCardOrder,
  replaceCard: physicalReplacement,
  changeCard: cardChange,
  setSpendingLimit: spendingLimitInput,
  listDeliveryOptions: deliveryOptionsRequest,
  createWebhook: newWebhook,
  changeWebhook: webhookChange,
};

/** The objects inside bodies. */
const members: readonly (readonly [string, Schema])[] = [
  ["delivery_address", deliveryAddress],
  ["spending_limit", spendingLimitInput],
];

/** Other names that clients use for a field, in lower case and without underscores and hyphens. */
const aliases: Readonly<Record<string, string>> = {
  zip: "post_code",
  zipcode: "post_code",
  postal: "post_code",
  postalcode: "post_code",
  addressline1: "line1",
  address1: "line1",
  addressline2: "line2",
  address2: "line2",
  addressline3: "line3",
  address3: "line3",
  town: "city",
  province: "state",
  country: "country_code",
  shippingaddress: "delivery_address",
  shippingmethod: "delivery_method",
  limit: "spending_limit",
  spendlimit: "spending_limit",
  cardname: "name",
  autoconversion: "auto_convert",
  eventtypes: "events",
};

/** The service ignores an unknown field whose name is similar to that of a missing field. */
export const misspeltField: Rule = {
  severity: "warn",
  title: "Misspelled field that the service ignored",
  why: "The service ignores unknown fields. The request succeeds without the value that you sent: for example, the card has no spending limit.",
  fix: "Use the field names of the API reference, and validate request bodies against its schemas in your tests.",
  spec: "§2, §4 (ignoring unknown fields is assumed)",
  operations: Object.keys(bodies) as OperationId[],
  watch: (report) => ({
    onRequest(request) {
      const { operation, point } = request.exchange;
      // The message of a refusal already names the field.
      if (operation === undefined || point !== operations[operation].success) return;
      const body = bodies[operation];
      const sent = fieldsOf(request.json);
      const names = body && sent ? misspeltIn(body, sent) : [];
      if (names.length === 0) return;
      report({
        observed: `The request succeeded, but the service ignored ${names.join(", ")}`,
        requests: [request],
      });
    },
  }),
};

function misspeltIn(body: Schema, sent: Fields): string[] {
  const names = misspeltInObject(body, sent);
  for (const [member, schema] of members) {
    const object = member in body.shape ? fieldsOf(sent[member]) : undefined;
    if (object) names.push(...misspeltInObject(schema, object).map((name) => `${name} in "${member}"`));
  }
  return names;
}

function misspeltInObject({ shape }: Schema, sent: Fields): string[] {
  const names: string[] = [];
  for (const name of Object.keys(sent)) {
    if (name in shape || sent[name] === null || sent[name] === "") continue;
    const bare = bareName(name);
    const intended = Object.keys(shape).find((field) => bareName(field) === bare || aliases[bare] === field);
    if (intended !== undefined && sent[intended] === undefined)
      names.push(`"${name}" (expected "${intended}")`);
  }
  return names;
}

function bareName(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}
