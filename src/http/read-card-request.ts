import type * as z from "zod";
import type { ChangeRequest } from "../cards/change.ts";
import type { CardOrder } from "../cards/issue.ts";
import type { Replacement } from "../cards/replace.ts";
import type { CardType } from "../contract/card.ts";
import {
  cardChange,
  deliveryOptionsRequest,
  physicalReplacement,
  virtualCardOrder,
  virtualReplacement,
} from "../contract/card-requests.ts";
import type { DeliveryAddress } from "../contract/delivery-address.ts";
import { spendingLimitInput } from "../contract/spending-limit.ts";
import { SandboxError } from "../rules/errors.ts";
import { describeIssues } from "../rules/issues.ts";
import type { SpendingLimit } from "../rules/limits.ts";
import { type Body, maxBodyBytes } from "./read-body.ts";
import { readSpendingLimit } from "./read-spending-limit.ts";

const point = "cards.body_invalid";
const amountPoints = { invalid: point, tooLarge: point } as const;

/** The order of a virtual card; its fields are those of the specified order. */
export function readVirtualOrder(received: Body): CardOrder {
  const { body, text } = read(virtualCardOrder, received);
  const limit = body.spending_limit;
  return {
    accountId: body.account_id,
    name: nameOf(body.name),
    autoConvert: body.auto_convert ?? false,
    spendingLimit: limit ? readSpendingLimit(limit, text, ["spending_limit"], amountPoints) : null,
  };
}

/** What a card is replaced for, and where the new one is delivered to. */
export function readReplacement(received: Body, type: CardType): Replacement {
  if (type === "virtual")
    return { reason: read(virtualReplacement, received).body.reason, delivery: undefined };
  const { reason, delivery_address, delivery_method } = read(physicalReplacement, received).body;
  return { reason, delivery: { address: delivery_address, method: delivery_method } };
}

/** The limit that is a body by itself. */
export function readLimit(received: Body): SpendingLimit {
  const { body, text } = read(spendingLimitInput, received);
  return readSpendingLimit(body, text, [], amountPoints);
}

/** The fields to change. As in an order, an empty name selects the default name. */
export function readCardChange(received: Body): Pick<ChangeRequest, "name" | "autoConvert"> {
  const { name, auto_convert } = read(cardChange, received).body;
  return { name: name === undefined ? undefined : { given: nameOf(name) }, autoConvert: auto_convert };
}

export function readDeliveryAddress(received: Body): DeliveryAddress {
  return read(deliveryOptionsRequest, received).body.delivery_address;
}

function nameOf(name: string | undefined): string | undefined {
  return name?.toWellFormed() || undefined;
}

/** @throws SandboxError `cards.body_invalid`, which names every field of the wrong form */
function read<Schema extends z.ZodType>(
  schema: Schema,
  received: Body,
): { readonly body: z.output<Schema>; readonly text: string } {
  if ("unreadable" in received) {
    const why = received.unreadable;
    throw new SandboxError(
      point,
      why === "too large" ? `the body is over ${maxBodyBytes / 1024} KiB` : `the body is ${why}`,
    );
  }
  const { text } = received;
  const result = schema.safeParse(parseJson(text));
  if (result.success) return { body: result.data, text };
  throw new SandboxError(point, describeIssues(result.error.issues));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SandboxError(point, "the body is not valid JSON");
  }
}
