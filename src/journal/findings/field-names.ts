import { spendingLimitInput } from "../../contract/amount.ts";
import {
  cardChange,
  deliveryOptionsRequest,
  physicalCardOrder,
  physicalReplacement,
  virtualCardOrder,
} from "../../contract/card-requests.ts";
import { deliveryAddress } from "../../contract/delivery-address.ts";
import type { OperationId } from "../../contract/operations.ts";
import { newWebhook, webhookChange } from "../../contract/webhook.ts";
import { type Fields, fieldsOf } from "./sent-body.ts";

/** A field that was sent under a name that the service ignores, in place of the one that it knows. */
export interface Misnamed {
  readonly sent: string;
  readonly meant: string;
  /** The member of the body that it stands in; undefined where it is the body itself. */
  readonly within: string | undefined;
}

/** The fields that there are. */
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
const members: Readonly<Record<string, Schema>> = {
  delivery_address: deliveryAddress,
  spending_limit: spendingLimitInput,
};

const memberSchemas = Object.entries(members);

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

/** Of bodies that many requests share. */
const latest = new WeakMap<Fields, { readonly body: Schema; readonly found: readonly Misnamed[] }>();

/** The fields of a request's body that are there by another name than their own alone. */
export function misnamedFields(operation: OperationId | undefined, json: unknown): readonly Misnamed[] {
  const body = operation && bodies[operation];
  const sent = fieldsOf(json);
  if (!body || !sent) return [];
  const known = latest.get(sent);
  if (known?.body === body) return known.found;
  const found = misnamedOf(body, sent);
  latest.set(sent, { body, found });
  return found;
}

function misnamedOf(body: Schema, sent: Fields): readonly Misnamed[] {
  const found = misnamedIn(body, sent, undefined);
  for (const [member, schema] of memberSchemas) {
    const within = member in body.shape ? fieldsOf(sent[member]) : undefined;
    if (within) found.push(...misnamedIn(schema, within, member));
  }
  return found;
}

function misnamedIn({ shape }: Schema, sent: Fields, within: string | undefined): Misnamed[] {
  const found: Misnamed[] = [];
  for (const name of Object.keys(sent)) {
    if (name in shape || saysNothing(sent[name])) continue;
    const bare = bareName(name);
    const meant = Object.keys(shape).find((field) => bareName(field) === bare || aliases[bare] === field);
    if (meant !== undefined && sent[meant] === undefined) found.push({ sent: name, meant, within });
  }
  return found;
}

function saysNothing(value: unknown): boolean {
  return value === null || value === "";
}

function bareName(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}
