import type * as z from "zod";
import type { Order } from "../cards/order.ts";
import { amountTooLarge } from "../contract/amount.ts";
import { blank } from "../contract/delivery-address.ts";
import { type PhysicalCardOrder, physicalCardOrder } from "../contract/physical-card-order.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { SandboxError } from "../rules/errors.ts";
import { describeIssues } from "../rules/issues.ts";
import { type Body, maxBodyBytes } from "./read-body.ts";
import { readSpendingLimit } from "./read-spending-limit.ts";

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
  return {
    accountId: body.account_id,
    deliveryAddress: body.delivery_address,
    deliveryMethod: body.delivery_method,
    name: body.name?.toWellFormed() || undefined,
    autoConvert: body.auto_convert ?? false,
    spendingLimit: body.spending_limit
      ? readSpendingLimit(body.spending_limit, text, ["spending_limit"], {
          invalid: "order.spending_limit_amount_invalid",
          tooLarge: "order.spending_limit_amount_too_large",
        })
      : null,
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
  return new SandboxError(pointOf(issues[0]), describeIssues(issues));
}

function pointOf(issue: z.core.$ZodIssue | undefined): ErrorPointId {
  const [field, part] = issue?.path ?? [];
  if (field === undefined) return "order.body_not_json";
  if (issue?.message === blank) return "order.address_field_blank";
  if (field === "delivery_address" && part === "country_code") return "order.country_code_invalid";
  if (issue?.message === amountTooLarge) return "order.spending_limit_amount_too_large";
  if (field === "spending_limit" && part === "amount") return "order.spending_limit_amount_invalid";
  return pointOfField[field as keyof PhysicalCardOrder];
}
