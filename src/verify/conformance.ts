import * as z from "zod";
import { card } from "../contract/card.ts";
import type { ContractPointId } from "../contract/points.ts";
import { cardError, gatewayError } from "../contract/responses.ts";
import { tokenExchangeResponse } from "../contract/token-exchange.ts";
import type { Probe, ProbeReply, ProbeRequest, Target } from "./probe.ts";
import { isSuccess, tokenPath } from "./replies.ts";

/** Checks a contract point that the specification shows. */
export interface ConformanceCheck {
  readonly point: ContractPointId;
  readonly effect: Probe["effect"];
  /** Returns how the target differs from the specification, without any value but the status; undefined: it conforms. */
  check(target: Target): Promise<string | undefined>;
}

// The specification does not exclude further fields, nor an offset other than Z.
const instant = z.iso.datetime({ offset: true });
const anyCard = z.looseObject({ ...card.shape, created_at: instant });
const activeCard = anyCard.extend({ type: z.literal("physical"), status: z.literal("active") });
const anyExchange = z.looseObject({ ...tokenExchangeResponse.shape, expires_at: instant });
const forbidden = z.looseObject({
  ...gatewayError.shape,
  error: z.looseObject({ ...gatewayError.shape.error.shape, code: z.literal("forbidden") }),
});

function misfit(schema: z.ZodType, json: unknown): string | undefined {
  const { error } = schema.safeParse(json);
  const fields = error?.issues.map(({ path }) => path.join(".") || "the body") ?? [];
  return error && `not as specified: ${[...new Set(fields)].slice(0, 10).join(", ")}`;
}

function differs(reply: ProbeReply, status: number, body?: z.ZodType): string | undefined {
  if (reply.status !== status) return `returned ${reply.status} instead of ${status}`;
  return body && misfit(body, reply.json);
}

/** A request of GET /developer/companies, which the specification names, with a wrong access token or none. */
const unauthorized = (point: ContractPointId, token: string | null): ConformanceCheck => ({
  point,
  effect: "read",
  check: async ({ send }) => differs(await send({ method: "GET", path: "/developer/companies", token }), 401),
});

async function orderRequest(
  target: Target,
  fields: Readonly<Record<string, unknown>> = {},
  key: string | undefined = target.uuid(),
): Promise<ProbeRequest> {
  return {
    method: "POST",
    path: "/developer/cards/physical",
    headers: { "Idempotency-Key": key },
    body: { ...(await target.order()), ...fields },
  };
}

/** An order with one mistake, and its 400. */
const refused = (
  point: ContractPointId,
  wrong: Readonly<Record<string, unknown>> | ((target: Target) => Promise<Readonly<Record<string, unknown>>>),
): ConformanceCheck => ({
  point,
  effect: "write",
  check: async (target) => {
    const fields = typeof wrong === "function" ? await wrong(target) : wrong;
    return differs(await target.send(await orderRequest(target, fields)), 400, cardError);
  },
});

const refusedKey = (point: ContractPointId, key: string | undefined): ConformanceCheck => ({
  point,
  effect: "write",
  check: async (target) => {
    const request = await orderRequest(target);
    const headers = { "Idempotency-Key": key };
    return differs(await target.send({ ...request, headers }), 400, cardError);
  },
});

/** An amount that is a cent above the daily card limit, which each card shows. */
async function overCap(target: Target) {
  const { card } = await target.firstOrder();
  const cap = Math.round(Number(card.card_limits?.daily?.amount ?? 1_000_000) * 100) + 1;
  return { spending_limit: { period: "daily", amount: (cap / 100).toFixed(2) } };
}

/** The contract points of the specification that a client can meet on any target. */
export const conformanceChecks: readonly ConformanceCheck[] = [
  {
    point: "token.issued",
    effect: "read",
    check: async ({ send, apiKey }) => {
      const reply = await send({ method: "POST", path: tokenPath(apiKey), body: { api_key: apiKey } });
      return isSuccess(reply) ? misfit(anyExchange, reply.json) : `returned ${reply.status}`;
    },
  },
  unauthorized("auth.token_missing", null),
  unauthorized("auth.token_invalid", "no-such-token"),
  unauthorized("auth.api_key_as_bearer", "sk_sandbox_no_such_key"),
  {
    point: "order.created",
    effect: "write",
    check: async (target) => differs((await target.firstOrder()).reply, 201, activeCard),
  },
  {
    point: "order.replayed",
    effect: "write",
    check: async (target) => {
      const { request, card } = await target.firstOrder();
      const reply = await target.send(request);
      if (!isSuccess(reply)) return `returned ${reply.status} instead of the original card`;
      return misfit(anyCard, reply.json) ?? (reply.json.id === card.id ? undefined : "returned another card");
    },
  },
  refusedKey("order.idempotency_key_missing", undefined),
  refusedKey("order.idempotency_key_invalid", "order-1"),
  {
    point: "order.body_not_json",
    effect: "write",
    check: async (target) =>
      differs(await target.send({ ...(await orderRequest(target)), body: "{" }), 400, cardError),
  },
  refused("order.account_id_invalid", { account_id: "gbp" }),
  refused("order.pin_invalid", { pin: "482" }),
  refused("order.delivery_address_invalid", async (target) => {
    const { delivery_address } = await target.order();
    return { delivery_address: { ...(delivery_address as object), line1: "x".repeat(101) } };
  }),
  refused("order.country_code_invalid", async (target) => {
    const { delivery_address } = await target.order();
    return { delivery_address: { ...(delivery_address as object), country_code: "GBR" } };
  }),
  refused("order.delivery_method_invalid", { delivery_method: "pigeon" }),
  refused("order.name_invalid", { name: 1 }),
  refused("order.auto_convert_invalid", { auto_convert: "yes" }),
  refused("order.spending_limit_invalid", { spending_limit: { period: "yearly", amount: "10.00" } }),
  refused("order.spending_limit_amount_invalid", { spending_limit: { period: "daily", amount: "10.001" } }),
  refused("order.spending_limit_over_cap", overCap),
  {
    point: "order.account_not_found",
    effect: "write",
    check: async (target) => {
      const request = await orderRequest(target, { account_id: target.uuid() });
      return differs(await target.send(request), 404, cardError);
    },
  },
  {
    point: "order.forbidden",
    effect: "write",
    check: async (target) => {
      const token = await target.employeeToken();
      return differs(await target.send({ ...(await orderRequest(target)), token }), 403, forbidden);
    },
  },
];
