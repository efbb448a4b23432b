import type * as z from "zod";
import type { ChangeRequest } from "../cards/change.ts";
import type { CardOrder } from "../cards/issue.ts";
import type { Order } from "../cards/order.ts";
import type { Replacement } from "../cards/replace.ts";
import { amountExpected, amountTooLarge, greatestMinor, spendingLimitInput } from "../contract/amount.ts";
import type { Choices } from "../contract/behaviours.ts";
import type { CardType } from "../contract/card.ts";
import {
  blankLineForms,
  cardChange,
  deliveryOptionsRequest,
  longestName,
  type PhysicalCardOrder,
  physicalCardOrder,
  physicalReplacement,
  virtualCardOrder,
  virtualReplacement,
} from "../contract/card-requests.ts";
import { blank, codePointLength, type DeliveryAddress } from "../contract/delivery-address.ts";
import { defaultContract } from "../contract/dialect.ts";
import { shownValue } from "../contract/expected.ts";
import { type AccountId, accountId } from "../contract/identifiers.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { SandboxError } from "../rules/errors.ts";
import type { SpendingLimit } from "../rules/limits.ts";
import { parseDecimal, parseJsonNumber } from "../rules/money.ts";
import { isWeakPin } from "../rules/pin.ts";
import {
  type Body,
  type BodyRefusals,
  describeBodyIssues,
  parseBody,
  unreadableMessages,
} from "./read-body.ts";

/**
 * The order of a physical card. Each field is checked on its own (spec §2, §4), and an amount once all fields are
 * well-formed.
 * @throws SandboxError 400: the message names every invalid field, and the first one decides the contract point
 */
export function readOrder(received: Body, choices = defaultContract.choices): Order {
  const schema = acceptsBlankLine(choices) ? blankLineForms.order : physicalCardOrder;
  const { body, text } = parseBody(received, schema, orderRefusals, choices);
  const { account_id, pin, delivery_address, delivery_method, auto_convert, spending_limit } = body;
  const order = {
    accountId: account_id,
    deliveryAddress: delivery_address,
    deliveryMethod: delivery_method,
    name: nameOf(body.name, choices, orderNamePoints),
    autoConvert: auto_convert ?? false,
    spendingLimit: spending_limit
      ? readSpendingLimit(spending_limit, text, ["spending_limit"], orderAmountPoints)
      : null,
  };
  refuseWeakPin(pin, "order.pin_weak", choices);
  return order;
}

/** The account_id of a body, whether or not its other fields are valid; undefined if it is not a UUID. */
export function accountIdIn(received: Body): AccountId | undefined {
  if ("unreadable" in received) return undefined;
  try {
    return accountId.safeParse(JSON.parse(received.text)?.account_id).data;
  } catch {
    return undefined;
  }
}

/** The order of a virtual card. Its fields are those of the physical one without the PIN and the delivery. */
export function readVirtualOrder(received: Body, choices = defaultContract.choices): CardOrder {
  const { body, text } = parseBody(received, virtualCardOrder, cardRefusals, choices);
  const limit = body.spending_limit;
  return {
    accountId: body.account_id,
    name: nameOf(body.name, choices),
    autoConvert: body.auto_convert ?? false,
    spendingLimit: limit ? readSpendingLimit(limit, text, ["spending_limit"], amountPoints) : null,
  };
}

/** The reason of a replacement, and the delivery of a physical card. */
export function readReplacement(
  received: Body,
  type: CardType,
  choices = defaultContract.choices,
): Replacement {
  if (type === "virtual") {
    const { body } = parseBody(received, virtualReplacement, cardRefusals, choices);
    return { reason: body.reason, delivery: undefined };
  }
  const schema = acceptsBlankLine(choices) ? blankLineForms.replacement : physicalReplacement;
  const { body } = parseBody(received, schema, cardRefusals, choices);
  refuseWeakPin(body.pin, "cards.pin_weak", choices);
  return { reason: body.reason, delivery: { address: body.delivery_address, method: body.delivery_method } };
}

/** A spending limit that is the whole body. */
export function readLimit(received: Body, choices = defaultContract.choices): SpendingLimit {
  const { body, text } = parseBody(received, spendingLimitInput, cardRefusals, choices);
  return readSpendingLimit(body, text, [], amountPoints);
}

/** The fields to change. As in an order, an empty name selects the default name. */
export function readCardChange(
  received: Body,
  choices = defaultContract.choices,
): Pick<ChangeRequest, "name" | "autoConvert"> {
  const { name, auto_convert } = parseBody(received, cardChange, cardRefusals, choices).body;
  return {
    name: name === undefined ? undefined : { given: nameOf(name, choices) },
    autoConvert: auto_convert,
  };
}

export function readDeliveryAddress(received: Body, choices = defaultContract.choices): DeliveryAddress {
  const schema = acceptsBlankLine(choices) ? blankLineForms.deliveryOptions : deliveryOptionsRequest;
  return parseBody(received, schema, cardRefusals, choices).body.delivery_address;
}

/** @throws SandboxError 400 or 422. The message never shows the PIN. */
function refuseWeakPin(pin: string, point: "order.pin_weak" | "cards.pin_weak", choices: Choices): void {
  if (choices["pin.weak"] === "accepted" || !isWeakPin(pin)) return;
  throw new SandboxError(
    point,
    "pin: is easy to guess. Use digits that neither repeat nor count up or down.",
  );
}

function acceptsBlankLine(choices: Choices): boolean {
  return choices["address.blank_line1"] === "accepted";
}

/** The contract points for a refused name. */
interface NamePoints {
  readonly blank: ErrorPointId;
  readonly tooLong: ErrorPointId;
}

const namePoints: NamePoints = { blank: "cards.body_invalid", tooLong: "cards.body_invalid" };
const orderNamePoints: NamePoints = { blank: "order.name_blank", tooLong: "order.name_too_long" };

/** @throws SandboxError one of `points`, if the contract refuses the name */
function nameOf(name: string | undefined, choices: Choices, points = namePoints): string | undefined {
  if (name === "" && choices["card.name_blank"] === "400") {
    throw new SandboxError(points.blank, "name: must not be blank. Leave it out to get the default name.");
  }
  const max = longestName(choices["card.name_length"]);
  if (name !== undefined && name.length > max && codePointLength(name) > max) {
    const has = codePointLength(name);
    throw new SandboxError(points.tooLong, `name: must have at most ${max} characters, but has ${has}`);
  }
  return name?.toWellFormed() || undefined;
}

const pointOfField = {
  account_id: "order.account_id_invalid",
  pin: "order.pin_invalid",
  delivery_address: "order.delivery_address_invalid",
  delivery_method: "order.delivery_method_invalid",
  name: "order.name_invalid",
  auto_convert: "order.auto_convert_invalid",
  spending_limit: "order.spending_limit_invalid",
} satisfies Record<keyof PhysicalCardOrder, ErrorPointId>;

const orderRefusals: BodyRefusals = {
  unreadable: (why) => {
    const point = why === "too large" ? "order.body_too_large" : "order.body_not_json";
    return new SandboxError(point, unreadableMessages[why]);
  },
  invalid: (issues) => new SandboxError(pointOf(issues[0]), describeBodyIssues(issues)),
  unknownField: (message) => new SandboxError("order.unknown_field", message),
};

function pointOf(issue: z.core.$ZodIssue | undefined): ErrorPointId {
  const [field, part] = issue?.path ?? [];
  if (field === undefined) return "order.body_not_json";
  if (issue?.message === blank) return "order.address_field_blank";
  if (field === "delivery_address" && part === "country_code") return "order.country_code_invalid";
  if (issue?.message === amountTooLarge) return "order.spending_limit_amount_too_large";
  if (field === "spending_limit" && part === "amount") return "order.spending_limit_amount_invalid";
  return pointOfField[field as keyof PhysicalCardOrder];
}

const cardRefusals: BodyRefusals = {
  unreadable: (why, choices) => {
    const isOwn = why === "too large" && choices["body_too_large.status"] === "413";
    return new SandboxError(isOwn ? "cards.body_too_large" : "cards.body_invalid", unreadableMessages[why]);
  },
  invalid: (issues) => new SandboxError("cards.body_invalid", describeBodyIssues(issues)),
  unknownField: (message) => new SandboxError("cards.unknown_field", message),
};

/** The contract points for a refused amount. */
interface AmountPoints {
  /** Not above 0, or not a decimal with at most two places. */
  readonly invalid: ErrorPointId;
  readonly tooLarge: ErrorPointId;
}

const amountPoints: AmountPoints = { invalid: "cards.body_invalid", tooLarge: "cards.body_invalid" };
const orderAmountPoints: AmountPoints = {
  invalid: "order.spending_limit_amount_invalid",
  tooLarge: "order.spending_limit_amount_too_large",
};

/**
 * The limit in a body (spec §2, SpendingLimitInput), whose amount is read exactly.
 * @param text - the body as it was sent
 * @param path - the path to the limit in the body; empty if the body is the limit
 * @throws SandboxError one of `points`
 */
function readSpendingLimit(
  { period, amount }: z.output<typeof spendingLimitInput>,
  text: string,
  path: readonly string[],
  points: AmountPoints,
): SpendingLimit {
  const amountPath = [...path, "amount"];
  const sent = typeof amount === "string" ? amount : numberAsSent(text, amountPath);
  const amountMinor = typeof amount === "string" ? parseDecimal(sent) : parseJsonNumber(sent);
  const field = amountPath.join(".");
  if (amountMinor === undefined || amountMinor === 0) {
    throw new SandboxError(points.invalid, `${field}: ${amountExpected}, but is ${shownValue(sent)}`);
  }
  // Every other period has a lower cap (spec §2).
  if (period === "lifetime" && amountMinor > greatestMinor)
    throw new SandboxError(points.tooLarge, `${field}: ${amountTooLarge}`);
  return { period, amountMinor };
}

/** Names with their colon, brackets, and numbers. String values match too, and are skipped. */
const jsonToken = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]|-?[0-9][-+.0-9eE]*/g;

/**
 * The characters of a number, which a double may not keep: `1.0000000000000001` is not 1. It is a loop and not a
 * recursion, so ignored members may be nested to any depth.
 * @param text - valid JSON
 * @returns the last number at the path: if a member occurs twice, the last one counts, as in JSON.parse
 */
function numberAsSent(text: string, path: readonly string[]): string {
  let sent = "";
  let depth = 0;
  /** The length of the part of the path that leads to the current position. */
  let matched = 0;
  for (const [token, name, colon] of text.matchAll(jsonToken)) {
    if (colon !== undefined && name !== undefined) {
      if (matched < depth - 1) continue;
      matched = JSON.parse(name) === path[depth - 1] ? depth : depth - 1;
    } else if (token === "{" || token === "[") {
      depth += 1;
    } else if (token === "}" || token === "]") {
      depth -= 1;
      matched = Math.min(matched, depth);
    } else if (name === undefined && matched === path.length && depth === path.length) {
      sent = token;
    }
  }
  return sent;
}
