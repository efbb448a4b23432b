import { isLosslessNumber, parse as parseLossless } from "lossless-json";
import type * as z from "zod";
import { blank } from "../contract/delivery-address.ts";
import { type PhysicalCardOrder, physicalCardOrder } from "../contract/physical-card-order.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { SandboxError } from "../core/errors.ts";
import { parseDecimal, parseJsonNumber } from "../core/money.ts";
import type { Order } from "../core/order-card.ts";
import type { SpendingLimit } from "../core/spending-limit.ts";
import { type Body, maxBodyBytes } from "./read-body.ts";

const pointOfField = {
  account_id: "order.account_id_invalid",
  pin: "order.pin_invalid",
  delivery_address: "order.delivery_address_invalid",
  delivery_method: "order.delivery_method_invalid",
  name: "order.name_invalid",
  auto_convert: "order.auto_convert_invalid",
  spending_limit: "order.spending_limit_invalid",
} satisfies Record<keyof PhysicalCardOrder, ErrorPointId>;

/**
 * The order in a request body, each field checked on its own (spec §2, §4).
 * @throws SandboxError a 400 that names every field of the wrong form; the first one decides the contract
 *   point. An amount is judged once all else is well-formed.
 */
export function readOrder(received: Body): Order {
  if ("unreadable" in received) throw unreadable(received.unreadable);
  const { text } = received;
  const result = physicalCardOrder.safeParse(parseJson(text));
  if (!result.success) throw refusalOf(result.error.issues);
  const body = result.data;
  const name = body.name?.toWellFormed();
  return {
    accountId: body.account_id,
    deliveryAddress: body.delivery_address,
    deliveryMethod: body.delivery_method,
    name: name?.trim() ? name : undefined,
    autoConvert: body.auto_convert ?? false,
    spendingLimit: body.spending_limit ? readSpendingLimit(body.spending_limit, text) : null,
  };
}

function unreadable(why: "too large" | "not UTF-8" | "cut off"): SandboxError {
  return why === "too large"
    ? new SandboxError("order.body_too_large", `the body is over ${maxBodyBytes / 1024} KiB`)
    : new SandboxError("order.body_not_json", `the body is not valid JSON: it is ${why}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SandboxError("order.body_not_json", "the body is not valid JSON");
  }
}

function refusalOf(issues: readonly z.core.$ZodIssue[]): SandboxError {
  const messages = issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  return new SandboxError(pointOf(issues[0]), messages.join("; "));
}

function pointOf(issue: z.core.$ZodIssue | undefined): ErrorPointId {
  const [field, part] = issue?.path ?? [];
  if (field === undefined) return "order.body_not_json";
  if (issue?.message === blank) return "order.address_field_blank";
  if (field === "delivery_address" && part === "country_code") return "order.country_code_invalid";
  if (field === "spending_limit" && part === "amount") return "order.spending_limit_amount_invalid";
  return pointOfField[field as keyof PhysicalCardOrder];
}

function readSpendingLimit(
  { period, amount }: NonNullable<PhysicalCardOrder["spending_limit"]>,
  text: string,
): SpendingLimit {
  const amountMinor = typeof amount === "string" ? parseDecimal(amount) : parseJsonNumber(numberAsSent(text));
  if (amountMinor === undefined || amountMinor === 0n) {
    throw new SandboxError(
      "order.spending_limit_amount_invalid",
      typeof amount === "string"
        ? 'spending_limit.amount: must be a decimal above 0 with at most two places, such as "250.00"'
        : "spending_limit.amount: must be above 0 with at most two decimals, and as a number have at most 15 significant digits; a string may have more",
    );
  }
  return { period, amountMinor };
}

/** The amount's own characters, which a double may not keep: `1.0000000000000001` is not 1. */
function numberAsSent(text: string): string {
  try {
    // Of a member that occurs twice the last counts, as with JSON.parse.
    const body = parseLossless(text, null, { onDuplicateKey: ({ newValue }) => newValue });
    const sent = (body as { spending_limit?: { amount?: unknown } }).spending_limit?.amount;
    return isLosslessNumber(sent) ? sent.value : "";
  } catch {
    return ""; // Nested too deeply to be read digit by digit, and so to be trusted.
  }
}
