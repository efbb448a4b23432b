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

/** The members of bodies that are objects. */
const members: readonly (readonly [string, Schema])[] = [
  ["delivery_address", deliveryAddress],
  ["spending_limit", spendingLimitInput],
];

/** Other names that clients give to a field, without case, underscores and hyphens. */
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

/** The service ignores an unknown field that has a similar name as a field that is missing. */
export const misspeltField: Rule = {
  severity: "warn",
  title: "Misspelt field that was ignored",
  why: "Unknown fields are ignored: the request succeeds without what the field was to say, such as a card without its spending limit.",
  mend: "Name the field as the service does, and check bodies against its schema in your own tests.",
  spec: "§2, §4 (that unknown fields are ignored is assumed)",
  operations: Object.keys(bodies) as OperationId[],
  watch: (report) => ({
    onRequest(request) {
      const { operation, point } = request.exchange;
      // A refusal has already told the client.
      if (operation === undefined || point !== operations[operation].success) return;
      const body = bodies[operation];
      const sent = fieldsOf(request.json);
      const names = body && sent ? misspeltIn(body, sent) : [];
      if (names.length === 0) return;
      report({ seen: `The request succeeded without ${names.join(", ")}`, requests: [request] });
    },
  }),
};

function misspeltIn(body: Schema, sent: Fields): string[] {
  const names = misspeltInObject(body, sent);
  for (const [member, schema] of members) {
    const object = member in body.shape ? fieldsOf(sent[member]) : undefined;
    if (object) names.push(...misspeltInObject(schema, object).map((name) => `${name} in ${member}`));
  }
  return names;
}

function misspeltInObject({ shape }: Schema, sent: Fields): string[] {
  const names: string[] = [];
  for (const name of Object.keys(sent)) {
    if (name in shape || sent[name] === null || sent[name] === "") continue;
    const bare = bareName(name);
    const meant = Object.keys(shape).find((field) => bareName(field) === bare || aliases[bare] === field);
    if (meant !== undefined && sent[meant] === undefined) names.push(`${name} in place of ${meant}`);
  }
  return names;
}

function bareName(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}
