import {
  areaOperations,
  developerOperations,
  type OperationId,
  operationIds,
  operations,
  type Permission,
} from "../contract/operations.ts";
import type { PointId } from "../contract/points.ts";
import type { StepFile } from "./scenario.ts";

/** A fact or a fault that a step may hold. */
interface Effect {
  /** Where the step says it, and which value there. */
  readonly path: string;
  readonly value?: string;
  /** The operations that it can strike. */
  readonly on: readonly OperationId[];
  /** The refusal to which it leads. */
  readonly point?: PointId;
  /**
   * What is left to strike after it. `nothing`: the connection is gone. `answer`: the request is decided, and
   * only what delivers its answer is left. Absent: it delays or changes something, and the request goes on.
   */
  readonly leaves?: "answer" | "nothing";
  /** It strikes the answer, whatever was decided. */
  readonly ofAnswer?: true;
}

const any = operationIds;
const order: readonly OperationId[] = ["orderPhysicalCard"];
/** What makes a card beside the order, and what changes one. */
const issuing: readonly OperationId[] = ["replaceCard", "orderVirtualCard"];
const changing: readonly OperationId[] = [
  "freezeCard",
  "unfreezeCard",
  "setSpendingLimit",
  "removeSpendingLimit",
  "changeCard",
  "terminateCard",
];
/** What shows what cards have spent. */
const showing: readonly OperationId[] = [
  ...order,
  ...issuing,
  "freezeCard",
  "unfreezeCard",
  "setSpendingLimit",
  "changeCard",
  "listCards",
  "getCard",
];
const options: readonly OperationId[] = ["listDeliveryOptions"];
const exchange: readonly OperationId[] = ["exchangeSandboxKey", "exchangeLiveKey"];
const developer = developerOperations;
/** Those that cause events of which webhooks are told. */
const telling: readonly OperationId[] = [
  ...order,
  ...issuing,
  ...changing.filter((id) => id !== "changeCard"),
  "testWebhook",
];
/** Those that refuse by points of their own share. */
const others = developerOperations.filter((id) => id !== "orderPhysicalCard");
const othersOfAreas = others.filter((id) => areaOperations.includes(id));

const refusal = (on: readonly OperationId[], point: PointId, path: string, value?: string): Effect => ({
  path,
  ...(value !== undefined && { value }),
  on,
  point,
  leaves: "answer",
});

/** Every effect, in the order in which they strike a request: each hides those after it that it leaves nothing. */
const effects: readonly Effect[] = [
  { path: "faults.request.latency_ms", on: any },
  { path: "faults.request.dropped", on: any, leaves: "nothing" },
  refusal(exchange, "token.invalid_request", "facts.request_valid"),
  refusal(developer, "auth.token_invalid", "facts.token", "refused"),
  refusal(developer, "auth.token_expired", "facts.token", "expired"),
  refusal(any, "gateway.rate_limited", "faults.request.rate_limited"),
  refusal(exchange, "token.unavailable", "faults.token.unavailable"),
  refusal(exchange, "token.key_revoked", "facts.key_revoked"),
  refusal(order, "order.forbidden", "facts.permissions"),
  refusal(others, "access.forbidden", "facts.permissions"),
  refusal(order, "order.not_entitled", "facts.entitled"),
  refusal(othersOfAreas, "access.not_entitled", "facts.entitled"),
  refusal(order, "order.invalid_request", "facts.request_valid"),
  refusal([...changing, ...issuing, ...options], "cards.invalid_request", "facts.request_valid"),
  refusal(order, "order.account_not_found", "facts.account", "missing"),
  refusal(["orderVirtualCard"], "cards.account_not_found", "facts.account", "missing"),
  refusal(order, "order.change_in_progress", "facts.change_in_progress"),
  refusal([...changing, "replaceCard"], "cards.change_in_progress", "facts.change_in_progress"),
  refusal(["orderVirtualCard"], "cards.virtual_change_in_progress", "facts.change_in_progress"),
  refusal(order, "order.company_inactive", "facts.company_status"),
  refusal(order, "order.account_closed", "facts.account", "closed"),
  refusal(order, "order.company_details_missing", "facts.company_details_complete"),
  refusal(order, "order.cardholder_details_missing", "facts.cardholder_details_complete"),
  refusal(order, "order.country_undeliverable", "facts.country_deliverable"),
  refusal(order, "order.quota_reached", "facts.quota_reached"),
  refusal(issuing, "cards.company_inactive", "facts.company_status"),
  refusal(issuing, "cards.account_closed", "facts.account", "closed"),
  refusal(issuing, "cards.company_details_missing", "facts.company_details_complete"),
  refusal(issuing, "cards.cardholder_details_missing", "facts.cardholder_details_complete"),
  refusal(["replaceCard"], "cards.country_undeliverable", "facts.country_deliverable"),
  { path: "facts.country_deliverable", on: options },
  refusal(issuing, "cards.quota_reached", "facts.quota_reached"),
  { path: "faults.issuer.latency_ms", on: [...order, ...issuing] },
  { path: "faults.issuer.hold_ms", on: [...order, ...issuing] },
  refusal(order, "order.issuer_rejected", "faults.issuer.rejected"),
  refusal(order, "order.issuer_bad_gateway", "faults.issuer.bad_gateway"),
  refusal(order, "order.issuer_unavailable", "faults.issuer.unavailable"),
  refusal(issuing, "cards.issuer_rejected", "faults.issuer.rejected"),
  refusal(issuing, "cards.issuer_bad_gateway", "faults.issuer.bad_gateway"),
  refusal(issuing, "cards.issuer_unavailable", "faults.issuer.unavailable"),
  { path: "facts.used_unreadable", on: showing },
  { path: "faults.token.lifetime_s", on: exchange },
  { path: "faults.webhook.duplicate", on: telling },
  { path: "faults.webhook.reorder", on: telling },
  { path: "faults.webhook.stale", on: telling },
  { path: "faults.webhook.bad_signature", on: telling },
  { path: "faults.response.latency_ms", on: any, ofAnswer: true },
  { path: "faults.response.reset", on: any, leaves: "nothing" },
  { path: "faults.response.empty", on: any, leaves: "nothing" },
  { path: "faults.response.bad_gateway", on: [...order, ...issuing], leaves: "answer" },
  { path: "faults.response.truncated", on: any, ofAnswer: true, leaves: "nothing" },
];

/** What a step says, each leaf with its path. */
export function* leavesOf({ facts, faults }: StepFile): Generator<{ path: string; value: unknown }> {
  for (const [name, value] of Object.entries(facts ?? {})) yield { path: `facts.${name}`, value };
  for (const [place, each] of Object.entries(faults ?? {})) {
    for (const [name, value] of Object.entries(each ?? {})) yield { path: `faults.${place}.${name}`, value };
  }
}

/** The effects that a step has on an operation, in the order in which they strike. */
function effectsOf(step: StepFile, operation: OperationId): Effect[] {
  const leaves = new Map([...leavesOf(step)].map(({ path, value }) => [path, value]));
  return effects.filter(({ path, value, on }) => {
    if (!on.includes(operation) || !leaves.has(path)) return false;
    if (value !== undefined && leaves.get(path) !== value) return false;
    // A member who has the permission is not refused for it.
    return (
      path !== "facts.permissions" ||
      !step.facts?.permissions?.some((each) => each === permissionOf(operation))
    );
  });
}

function permissionOf(operation: OperationId): Permission | undefined {
  const known = operations[operation];
  return "permission" in known ? known.permission : undefined;
}

/** A step as one operation meets it: without the facts and faults that cannot strike there. */
export function stepOn(step: StepFile, operation: OperationId): StepFile {
  const here = new Set(effectsOf(step, operation).map(({ path }) => path));
  const only = <Leaves extends object>(place: string, leaves: Leaves | undefined): Leaves =>
    Object.fromEntries(
      Object.entries(leaves ?? {}).filter(([name]) => here.has(`${place}.${name}`)),
    ) as Leaves;
  const { request, token, issuer, webhook, response } = step.faults ?? {};
  return {
    ...(step.pass && { pass: step.pass }),
    facts: only("facts", step.facts),
    faults: {
      request: only("faults.request", request),
      token: only("faults.token", token),
      issuer: only("faults.issuer", issuer),
      webhook: only("faults.webhook", webhook),
      response: only("faults.response", response),
    },
  };
}

/** The answers on which a step's facts and faults decide an operation; a success is not among them. */
export function refusalsOf(step: StepFile, operation: OperationId): PointId[] {
  return effectsOf(step, operation).flatMap(({ point }) => (point ? [point] : []));
}

const successes = new Set<PointId>(operationIds.map((id) => operations[id].success));

/** Whether a point is an operation's success: what a step that refuses nothing leads to. A replay is none. */
export function isSuccess(point: PointId): boolean {
  return successes.has(point);
}

/** The points to which a step leads, on the operations that it strikes. */
export function pointsOf(step: StepFile, on: readonly OperationId[]): PointId[] {
  return on.flatMap((operation) => {
    const here = effectsOf(step, operation);
    const end = here.find(
      ({ point, leaves, path }) => point || (leaves && path.startsWith("faults.request")),
    );
    if (end) return end.point ? [end.point] : [];
    return here.length > 0 ? [operations[operation].success] : [];
  });
}

/** What a step says that can never strike on the operations it is meant for, and why. */
export function neverFiring(
  step: StepFile,
  on: readonly OperationId[],
): { readonly path: string[]; readonly why: string }[] {
  return [...leavesOf(step)].flatMap(({ path }) => {
    const reasons = on.map((operation) => {
      const here = effectsOf(step, operation);
      const effect = here.find((each) => each.path === path);
      if (!effect && path === "facts.permissions")
        return `a member with ${permissionOf(operation)} is not refused for it`;
      if (!effect) return `nothing in ${operation} goes by it`;
      const before = here
        .slice(0, here.indexOf(effect))
        .find(({ leaves }) => leaves === "nothing" || (leaves === "answer" && !effect.ofAnswer));
      return before && `${before.path} decides before it`;
    });
    return reasons.every((reason) => reason !== undefined)
      ? [{ path: path.split("."), why: `can never fire: ${[...new Set(reasons)].join(", ")}` }]
      : [];
  });
}
